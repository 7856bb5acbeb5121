"""A search that is killed in a trial, again and again: finished trials stay, and nothing else.

    PLANECAST_KILLS=20 .venv/bin/python -m pytest tests/search/test_killed.py -k real -s

kills twenty searches of real packets; without it one is killed.
"""

from __future__ import annotations

import contextlib
import os
import shutil
import signal
import subprocess
import sys
import time
from dataclasses import dataclass
from pathlib import Path
from typing import Self

import pytest

from planecast.cleanup import sweep_leftovers
from planecast.dataplanes.ovs import ROOTS, SWITCHES
from planecast.native import native_folder
from planecast.search.journal import JOURNAL, Journal
from planecast.search.question import QUESTION

KILLS = 20

NURSERY = """\
import os, signal, sys
from pathlib import Path
from tests.search.conftest import MadeUp
from tests.search.conftest import asked
from planecast.results import Manifest
from planecast.search.journal import Journal
from planecast.search.run import search
from planecast.search.session import Session

class KilledInTheThird(MadeUp):
    def trial(self, *load):
        if self.made == 2:
            os.kill(os.getpid(), signal.SIGKILL)
        return super().trial(*load)

def searched(tester, sync):
    question = asked("rfc2544", step_trials=8)
    manifest = Manifest(command="", seed=1, started_at="", host={}, versions={}, engine="simulate")
    with Journal(Path(sys.argv[1]), sync=sync) as journal:
        session = Session(tester, journal, question.trial_seconds)
        return search(question, session, manifest).model_dump_json()

for kill in range(int(sys.argv[2])):
    child = os.fork()
    if child == 0:
        searched(KilledInTheThird(trial_noise=0.01), sync=True)
        os._exit(0)
    assert os.waitpid(child, 0)[1] == signal.SIGKILL, "it had fewer than three trials to make"
    with Journal(Path(sys.argv[1]), sync=False) as journal:
        print(len(journal.trials), flush=True)
print(searched(MadeUp(trial_noise=0.01), sync=False), flush=True)
Path(sys.argv[1]).unlink()
print(searched(MadeUp(trial_noise=0.01), sync=False), flush=True)
"""


def test_twenty_kills_cost_a_trial_each(tmp_path: Path, repository: Path) -> None:
    """Every one is in some trial; the search continues from the finished ones to the same
    answer."""
    words = [sys.executable, "-c", NURSERY, str(tmp_path / "trials"), str(KILLS)]
    path = os.pathsep.join([str(repository), *filter(None, [os.environ.get("PYTHONPATH")])])
    done = subprocess.run(
        words, capture_output=True, text=True, env=os.environ | {"PYTHONPATH": path}, check=False
    )
    assert done.returncode == 0, done.stderr
    *finished, resumed, whole = done.stdout.splitlines()
    counts = [int(count) for count in finished]
    # Of three trials that were begun the first two had ended, and were on disk by then.
    assert counts == [2 * (kill + 1) for kill in range(KILLS)]
    assert resumed == whole


KINDS = ("ovs", "testpmd", "ours")
PORTS = ("memif", "vhost-user", "veth")
REAL_KILLS = int(os.environ.get("PLANECAST_KILLS", "1"))
WAIT_S = 120.0


def there(kind: str) -> bool:
    """Whether the data plane is on this machine."""
    if kind == "ovs":
        return any((root / SWITCHES[0]).is_file() for root in ROOTS)
    return kind == "ours" or shutil.which("dpdk-testpmd") is not None


def processes_of(folder: Path) -> set[str]:
    """Command lines of processes that were started for this folder, by words or environment."""
    found = set()
    for process in Path("/proc").glob("[0-9]*"):
        with contextlib.suppress(OSError):
            words = (process / "cmdline").read_bytes()
            if os.fsencode(folder) in words + (process / "environ").read_bytes():
                found.add(words.replace(b"\0", b" ").decode())
    return found


@dataclass(frozen=True)
class State:
    """What a search might change on the machine and leave so."""

    free_large_pages: int
    names: frozenset[str]
    """Of network interfaces and of DPDK's shared memory."""

    @classmethod
    def now(cls) -> Self:
        large = Path("/sys/kernel/mm/hugepages/hugepages-2048kB/free_hugepages")
        places = [*Path("/sys/class/net").iterdir(), *Path("/dev/shm").glob("*rte*")]
        pages = int(large.read_text()) if large.exists() else 0
        return cls(pages, frozenset(str(path) for path in places))

    def beyond(self, before: Self) -> list[str]:
        """What is there, or taken, that was not before."""
        taken = before.free_large_pages - self.free_large_pages
        pages = [f"{taken} large pages"] if taken > 0 else []
        return pages + sorted(self.names - before.names)


@pytest.mark.live
@pytest.mark.parametrize("number", range(REAL_KILLS))
def test_a_real_one_leaves_nothing_to_the_next_command(
    short_folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, number: int
) -> None:
    kinds = [kind for kind in KINDS if there(kind)]
    if len(os.sched_getaffinity(0)) < 2 or not (native_folder() / "planecast-generator").is_file():
        pytest.skip("two CPUs and the native programs are needed")
    kind, ports = kinds[number % len(kinds)], PORTS[number // len(kinds) % len(PORTS)]
    # Far more than it will live to make, however long we are kept from killing it.
    words = ["search", str(scenario_file(tmp_path, kind, ports)), "--repetitions", "1000"]
    before = State.now()
    with subprocess.Popen(
        [sys.executable, "-m", "planecast.cli.app", *words, "--runs", str(tmp_path / "runs")],
        env=os.environ | {"TMPDIR": str(short_folder)},
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    ) as search:
        finished = wait_for_trials(tmp_path / "runs", 3 + 5 * (number % 4), search)
        running = len(processes_of(short_folder))
        search.send_signal(signal.SIGKILL)
    assert running >= 3, "the search, a data plane, the generator"
    monkeypatch.setattr("tempfile.tempdir", str(short_folder))
    sweep_leftovers()  # what the next command begins with
    until = time.monotonic() + WAIT_S
    while (left := processes_of(short_folder)) and time.monotonic() < until:
        time.sleep(0.02)
    assert left == set()
    assert list(short_folder.iterdir()) == []
    while (more := State.now().beyond(before)) and time.monotonic() < until:
        time.sleep(0.1)  # what programs of other tests have at this moment
    assert more == []
    (run,) = (tmp_path / "runs").iterdir()
    assert {path.name for path in run.iterdir()} >= {"partial", QUESTION, JOURNAL}
    with Journal(run / JOURNAL, sync=False) as journal:
        assert len(journal.trials) >= finished
    print(f"{kind} over {ports}: {running} processes, {len(journal.trials)} trials kept")


def scenario_file(folder: Path, kind: str, ports: str) -> Path:
    path = folder / "killed.yaml"
    ours = "workload: {kind: l2patch, stages: none}\n" if kind == "ours" else ""
    cpu = max(os.sched_getaffinity(0))
    path.write_text(
        f"name: killed\ndataplane: {{kind: {kind}, ports: {ports}}}\n{ours}"
        f"placement: {{cpus: {cpu}, rx_ring: 1024, tx_ring: 1024}}\n"
    )
    return path


def wait_for_trials(runs: Path, count: int, search: subprocess.Popen[bytes]) -> int:
    """How many trials were on disk when there were at least so many."""
    until = time.monotonic() + WAIT_S
    while time.monotonic() < until:
        assert search.poll() is None, "it ended by itself"
        lines = sum(path.read_bytes().count(b"\n") for path in runs.glob(f"*/{JOURNAL}"))
        if lines >= count:
            return lines
        time.sleep(0.005)
    raise AssertionError("no trial has ended")
