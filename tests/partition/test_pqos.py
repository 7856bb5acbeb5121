"""Applying through pqos: its commands, what it says read back, refused, killed, undone."""

from __future__ import annotations

import contextlib
import io
import json
import stat
import sys
from pathlib import Path

import pytest
from tests.host.trees import XEON, write_tree
from tests.partition import fake_pqos
from tests.partition.kernel import Killed
from tests.partition.test_apply import TENANTS

from planecast.errors import InputError, MissingError, RunError
from planecast.host.root import Root
from planecast.host.topology import read_topology
from planecast.partition.apply import apply, undo
from planecast.partition.machine import Machine, Timing
from planecast.partition.plan import make_plan
from planecast.partition.pqos import Pqos, parse_shown
from planecast.partition.tenants import load_tenancy

COMMANDS = """\
pqos -e llc@0:1=0x7f0;llc@1:1=0x7f0;
pqos -e mba@0:1=100;mba@1:1=100;
pqos -a llc:1=21,26,27,61,66,67
pqos -e llc@0:2=0xc;llc@1:2=0xc;
pqos -e mba@0:2=50;mba@1:2=50;
pqos -a llc:2=22,23,24,25,62,63,64,65
"""


class InProcess(Pqos):
    """Asks the stand-in without a process of its own; is gone before or after a change."""

    def __init__(self, folder: Path, moment: int = -1) -> None:
        super().__init__(str(folder / "pqos"))
        self._folder, self._left = folder, 2 * moment if moment < 0 else moment

    def _run(self, *words: str) -> str:
        said = io.StringIO()
        if words[0] != "-s":
            if self._left == 0:
                raise Killed
            self._left -= 2
        with contextlib.redirect_stdout(said):
            try:
                fake_pqos.main(self._folder, list(words))
            except SystemExit as end:
                raise RunError(f"pqos refused: {end.code}") from None
        if words[0] != "-s" and self._left == -1:
            raise Killed
        return said.getvalue()


class Bench:
    """A recorded machine, a pqos that stands in for its own, and where the record goes."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.here = Root(write_tree(folder / "machine", XEON))
        self.state = folder / "state" / "partition.json"
        (folder / "state.json").write_text(json.dumps(fake_pqos.fresh(cpus=80, sockets=2)))
        self.program = folder / "pqos"
        fake = Path(fake_pqos.__file__)
        self.program.write_text(
            f'#!/bin/sh\nexec {sys.executable} -IS {fake} {folder} "$@"\n', encoding="utf-8"
        )
        self.program.chmod(self.program.stat().st_mode | stat.S_IXUSR)
        (folder / "tenants.yaml").write_text(TENANTS)
        who = load_tenancy(folder / "tenants.yaml")
        self.topology = read_topology(self.here)
        self.plan = make_plan(Machine(self.topology, Timing()), who, tries=1)

    def apply(self, pqos: Pqos | None = None) -> list[str]:
        groups = pqos or InProcess(self.folder)
        return apply(self.plan, self.topology, groups, self.state, self.here)

    def undo(self, pqos: Pqos | None = None) -> list[str]:
        return undo(pqos or InProcess(self.folder), self.state, self.here)

    def now(self) -> str:
        return (self.folder / "state.json").read_text()

    def asked(self) -> str:
        return (self.folder / "asked").read_text()


@pytest.fixture
def bench(tmp_path: Path) -> Bench:
    return Bench(tmp_path)


def test_pqos_gets_what_the_plan_says_and_undone(bench: Bench) -> None:
    before = bench.now()
    assert "through pqos" in bench.apply(Pqos(str(bench.program)))[0]
    assert bench.asked().startswith(COMMANDS)
    state = json.loads(bench.now())
    assert (state["l3"]["1"][3], state["mba"]["0"][3]) == (0x3, 10)
    assert [state["cpus"][cpu] for cpu in (0, 21, 22, 28, 79)] == [0, 1, 2, 3, 3]
    assert json.loads(bench.state.read_text())["content"]["through"] == "pqos"
    assert "undone four" in bench.undo(Pqos(str(bench.program)))[0]
    assert bench.now() == before
    assert not bench.state.exists()


def test_killed_before_and_after_each_command_undo_restores(bench: Bench) -> None:
    before = bench.now()
    bench.apply()
    changes = len(bench.asked().splitlines())
    bench.undo()
    for moment in range(2 * changes):
        with pytest.raises(Killed):
            bench.apply(InProcess(bench.folder, moment))
        bench.undo()
        assert bench.now() == before, moment


def test_what_pqos_refuses_is_put_back(bench: Bench) -> None:
    before = bench.now()
    (bench.folder / "refuse").write_text("4")
    with pytest.raises(RunError, match="Allocation configuration error!; everything was put back"):
        bench.apply()
    assert bench.now() == before
    assert not bench.state.exists()


def test_classes_and_cpus_that_are_somebodys_are_refused(bench: Bench) -> None:
    state = json.loads(bench.now())
    state["cpus"][26] = 1
    (bench.folder / "state.json").write_text(json.dumps(state))
    with pytest.raises(InputError, match="the group planecast-1 exists already"):
        bench.apply()
    state["cpus"][26] = 9
    (bench.folder / "state.json").write_text(json.dumps(state))
    with pytest.raises(InputError, match="CPU 26 is held by another tool's group planecast-9"):
        bench.apply()
    assert not (bench.folder / "asked").exists()


def test_what_pqos_offers_where_the_kernel_says_nothing(bench: Bench) -> None:
    offer = Pqos(str(bench.program)).offer()
    assert offer.l3 is not None
    assert (offer.l3.mask, offer.l3.shareable, offer.l3.domains) == (0x7FF, 0x600, (0, 1))
    assert offer.bandwidth is not None
    assert (offer.bandwidth.step, offer.bandwidth.classes) == (10, 8)
    assert offer.classes == 8


def test_without_pqos_or_root_it_is_said(tmp_path: Path) -> None:
    with pytest.raises(MissingError, match="apt-get install intel-cmt-cat"):
        Pqos(str(tmp_path / "nowhere")).check()
    broken = tmp_path / "pqos"
    broken.write_text("#!/bin/sh\necho 'Error opening /var/lock/libpqos' >&2\nexit 1\n")
    broken.chmod(0o755)
    with pytest.raises(MissingError, match="Error opening /var/lock/libpqos"):
        Pqos(str(broken)).check()


def test_other_versions_words() -> None:
    said = parse_shown(
        "L3CA/MBA CLOS definitions for Core Complex 3:\n"
        "    L3CA CLOS2 => MASK 0xff\n    MBA CLOS2 => 800 MBps\n"
        "Core information for Core Complex 3:\n    Core 12, L2ID 12, L3ID 3 => CLOS2\n"
    )
    assert said.classes == {2: {"L3": {3: 0xFF}, "MB": {3: 800}}}
    assert said.cpus == {2: [12]}
    with pytest.raises(RunError, match="CDP"):
        parse_shown("    L3CA COS0 => DATA 0x7ff,CODE 0x7ff\n")
