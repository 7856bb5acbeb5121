"""Applying and undoing on a resctrl tree with the kernel's rules, killed at every moment."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest
from tests.host.trees import EPYC, XEON, write_tree
from tests.partition.kernel import KernelTree, Killed, prepare, raise_at, snapshot

from planecast.errors import InputError, MissingError, RunError
from planecast.host.root import Root
from planecast.host.topology import Topology, read_topology
from planecast.partition.apply import apply, undo
from planecast.partition.machine import Machine, Timing
from planecast.partition.plan import Plan, make_plan
from planecast.partition.resctrl import Tree
from planecast.partition.tenants import load_tenancy

TENANTS = """\
name: four
tenants:
  - {name: os, role: system, rank: 3, cpus: 0-19, service: 0}
  - {name: dp, role: dataplane, cpus: "21,26-27", service: 1}
  - {name: vm, rank: 2, cpus: 22-25, service: 2}
  - {name: noisy, role: neighbour, rank: 3, cpus: 28-39, service: 3}
classes:
  - {number: 0, l3: 0x7ff}
  - {number: 1, l3: 0x7f0, overlap: true}
  - {number: 2, l3: 0xc, bandwidth: 50, overlap: true}
  - {number: 3, l3: 0x3, bandwidth: 10, overlap: true}
"""


class Bench:
    """A recorded machine, a plan for it, and where the record goes."""

    def __init__(self, folder: Path) -> None:
        self.root = prepare(write_tree(folder / "machine", XEON))
        self.state = folder / "state" / "partition.json"
        path = folder / "tenants.yaml"
        path.write_text(TENANTS)
        self.plan: Plan = make_plan(Machine(self.topology, Timing()), load_tenancy(path), tries=1)

    @property
    def topology(self) -> Topology:
        return read_topology(Root(self.root))

    def apply(self, tree: Tree | None = None) -> list[str]:
        return apply(self.plan, self.topology, tree or KernelTree(self.root), self.state, self.here)

    def undo(self, tree: Tree | None = None) -> list[str]:
        return undo(tree or KernelTree(self.root), self.state, self.here)

    @property
    def here(self) -> Root:
        return Root(self.root)

    def boot(self, number: int) -> None:
        path = self.root / "proc/sys/kernel/random/boot_id"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(f"{number}\n")


@pytest.fixture
def bench(tmp_path: Path) -> Bench:
    return Bench(tmp_path)


def text(bench: Bench, name: str) -> str:
    return (bench.root / "sys/fs/resctrl" / name).read_text()


def test_what_is_applied_stands_there_and_is_undone(bench: Bench) -> None:
    before = snapshot(bench.root)
    assert "read back as written" in bench.apply()[0]
    assert text(bench, "planecast-1/schemata") == "    L3:0=7f0;1=7f0\n    MB:0= 100;1= 100\n"
    assert text(bench, "planecast-3/schemata") == "    L3:0=3;1=3\n    MB:0=  10;1=  10\n"
    assert text(bench, "planecast-1/cpus_list") == "21,26-27,61,66-67\n"
    assert text(bench, "cpus_list") == "0-20,40-60\n"
    assert bench.undo() == ["undone four: every group has its previous values"]
    assert snapshot(bench.root) == before
    assert bench.undo() == ["nothing is applied: there is no record"]


def moments(folder: Path) -> int:
    bench = Bench(folder)
    tree = KernelTree(bench.root)
    bench.apply(tree)
    return tree.moments


def test_killed_at_every_moment_undo_restores_byte_for_byte(tmp_path: Path) -> None:
    count = moments(tmp_path / "count")
    assert count >= 20
    bench = Bench(tmp_path / "killed")
    before = snapshot(bench.root)
    for moment in range(count):
        with pytest.raises(Killed):
            bench.apply(KernelTree(bench.root, raise_at(moment)))
        assert "undone four" in bench.undo()[0]
        assert snapshot(bench.root) == before, moment
        assert not bench.state.exists()


def test_killed_while_undoing_undo_continues(tmp_path: Path) -> None:
    bench = Bench(tmp_path)
    before = snapshot(bench.root)
    bench.apply()
    for moment in range(6):
        with pytest.raises(Killed):
            bench.undo(KernelTree(bench.root, raise_at(0 if moment == 0 else 1)))
        assert bench.state.exists()
    bench.undo()
    assert snapshot(bench.root) == before


PROGRAM = """\
import sys
from pathlib import Path
sys.path.insert(0, {repository!r})
from tests.partition.kernel import KernelTree, kill_at
from planecast.host.root import Root
from planecast.host.topology import read_topology
from planecast.partition.apply import apply
from planecast.partition.plan import Plan
root = Path({root!r})
plan = Plan.model_validate_json(Path({plan!r}).read_text())
here = Root(root)
apply(plan, read_topology(here), KernelTree(root, kill_at({moment})), Path({state!r}), here)
"""


@pytest.mark.parametrize("moment", [3, 14])
def test_a_process_that_is_really_killed(bench: Bench, repository: Path, moment: int) -> None:
    before = snapshot(bench.root)
    plan = bench.root / "plan.json"
    plan.write_text(bench.plan.model_dump_json())
    program = PROGRAM.format(
        repository=str(repository),
        root=str(bench.root),
        plan=str(plan),
        moment=moment,
        state=str(bench.state),
    )
    ended = subprocess.run([sys.executable, "-c", program], check=False, timeout=60)
    assert ended.returncode == -9
    assert snapshot(bench.root) != before
    bench.undo()
    assert snapshot(bench.root) == before


def test_what_the_kernel_refuses_is_put_back(bench: Bench) -> None:
    before = snapshot(bench.root)
    least = bench.root / "sys/fs/resctrl/info/L3/min_cbm_bits"

    class Strict(KernelTree):
        def _mask(self, mask: int) -> None:
            if mask.bit_count() < 3:
                self._refuse("Need at least 3 bits in the mask")

    with pytest.raises(RunError, match=r"Need at least 3 bits in the mask; everything was put"):
        bench.apply(Strict(bench.root))
    assert least.read_text() == "1\n"
    assert snapshot(bench.root) == before
    assert not bench.state.exists()


def test_what_reads_back_as_something_else_is_put_back(bench: Bench) -> None:
    before = snapshot(bench.root)

    class Rounding(KernelTree):
        def _bandwidth(self, value: int) -> int:
            return max(value, 20)

    with pytest.raises(RunError, match="class 3: MB reads back as"):
        bench.apply(Rounding(bench.root))
    assert snapshot(bench.root) == before


def test_classes_that_run_out(bench: Bench) -> None:
    for number in range(14):
        KernelTree(bench.root).make(f"other{number}")
    with pytest.raises(InputError, match=r"needs 3 classes .*, 1 are free"):
        bench.apply()
    # Groups that came between the check and the first change: the kernel says it.
    tree = KernelTree(bench.root)
    tree.make("other14")
    with pytest.raises(RunError, match="Out of CLOSIDs"):
        tree.make("planecast-1")


def test_cores_and_ways_of_other_tools_are_refused(bench: Bench) -> None:
    tree = KernelTree(bench.root)
    tree.make("dpdk")
    tree.write("dpdk", "cpus_list", "26,66\n")
    before = snapshot(bench.root)
    with pytest.raises(InputError, match="CPU 26 is held by another tool's group dpdk"):
        bench.apply()
    assert snapshot(bench.root) == before


def test_a_second_plan_and_another_machine_are_refused(bench: Bench, tmp_path: Path) -> None:
    bench.apply()
    with pytest.raises(InputError, match="four is applied already"):
        bench.apply()
    other = read_topology(Root(write_tree(tmp_path / "epyc", EPYC)))
    with pytest.raises(InputError, match="for another machine"):
        apply(bench.plan, other, KernelTree(bench.root), bench.state)


def test_a_record_from_before_a_reboot_is_stale(bench: Bench) -> None:
    bench.boot(1)
    bench.apply()
    bench.boot(2)
    there = snapshot(bench.root)
    assert "before a reboot" in bench.undo()[0]
    assert snapshot(bench.root) == there
    assert not bench.state.exists()


def test_what_another_tool_changed_since_is_reported(bench: Bench) -> None:
    bench.apply()
    tree = KernelTree(bench.root)
    tree.make("late")
    tree.write("late", "cpus_list", "0,40\n")
    with pytest.raises(RunError, match="another tool has changed it since"):
        bench.undo()
    assert bench.state.exists()
    tree.remove("late")
    bench.undo()


def test_without_resctrl_it_is_said(bench: Bench, tmp_path: Path) -> None:
    with pytest.raises(MissingError, match="not mounted"):
        bench.apply(Tree(tmp_path / "nowhere"))


def test_a_record_that_cannot_be_read_is_kept(bench: Bench) -> None:
    bench.state.parent.mkdir()
    bench.state.write_text("{")
    with pytest.raises(RunError, match="it is damaged"):
        bench.undo()
    assert bench.state.exists()
