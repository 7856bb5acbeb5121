"""What many tests need: results made by hand, and the program as a person runs it."""

from __future__ import annotations

import fcntl
import os
import shutil
import signal
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any

import pytest
from hypothesis import settings

from planecast.results import Estimate, Kind, Manifest, Result, StageResult
from planecast.scenario import Scenario, with_overrides

# A busy machine is no failure, and in CI the same tests run every time.
settings.register_profile("planecast", deadline=None, derandomize="CI" in os.environ)
settings.load_profile("planecast")

# A shell ignores Ctrl-C for what it starts in the background, and children inherit that: the tests
# that interrupt would wait for ever.
if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
    signal.signal(signal.SIGINT, signal.default_int_handler)

REPOSITORY = Path(__file__).parent.parent


@pytest.fixture
def repository() -> Path:
    """The folder of the project."""
    return REPOSITORY


def estimate(value: float, unit: str, kind: Kind = "measured", percent: float = 2.0) -> Estimate:
    """An estimate whose interval is `percent` to both sides; 0 gives it no interval."""
    width = value * percent / 100
    ends = (value - width, value + width) if percent else (None, None)
    return Estimate(value=value, low=ends[0], high=ends[1], samples=20, unit=unit, kind=kind)


@pytest.fixture
def make_estimate() -> Callable[..., Estimate]:
    """Makes estimates; see `estimate`."""
    return estimate


@pytest.fixture
def manifest() -> Manifest:
    """A manifest that is the same on every machine."""
    return Manifest(
        command="planecast measure scenarios/vpe-upstream.yaml",
        seed=1,
        started_at="2026-01-02T03:04:05Z",
        host={
            "cpu": "Test CPU",
            "cpus": 2,
            "memory_bytes": 1 << 34,
            "kernel": "6.1",
            "virtual": "no",
        },
        versions={"planecast": "0.1.0", "dpdk": "22.11.11"},
        engine="measure",
    )


@pytest.fixture
def make_result(manifest: Manifest) -> Callable[..., Result]:
    """Makes a result of the base scenario at a point, with a cost in cycles a packet."""

    def make(
        cycles: float = 250.0,
        point: Mapping[str, Any] | None = None,
        kind: Kind = "measured",
        percent: float = 2.0,
        **changes: Any,
    ) -> Result:
        values: dict[str, Any] = {
            "scenario": with_overrides(Scenario(name="vpe-upstream"), point or {}),
            "throughput_pps": estimate(2.6e9 / cycles, "pps", kind, percent),
            "cycles_per_packet": estimate(cycles, "cycles/packet", kind, percent),
            "stages": {
                "acl": StageResult(
                    cycles_per_packet=estimate(cycles / 4, "cycles/packet", kind, percent)
                )
            },
            "packets_in": 1000,
            "packets_out": 990,
            "drops": {"acl": 10},
            "disturbed_share": 0.1,
            "manifest": manifest,
        }
        return Result(**(values | changes))

    return make


Planecast = Callable[..., subprocess.CompletedProcess[str]]


@pytest.fixture
def planecast(tmp_path: Path) -> Planecast:
    """Runs ``planecast`` in an empty folder, as a person does: output captured, no terminal."""
    script = Path(sys.executable).parent / "planecast"
    program = [str(script)] if script.exists() else [sys.executable, "-m", "planecast.cli.app"]

    def run(*words: str, **environment: str) -> subprocess.CompletedProcess[str]:
        inherited = {
            name: value for name, value in os.environ.items() if not name.startswith("PLANECAST_")
        }
        return subprocess.run(
            [*program, *words],
            cwd=tmp_path,
            env=inherited | {"NO_COLOR": "1"} | environment,
            capture_output=True,
            text=True,
            timeout=60,
            check=False,
        )

    return run


@pytest.fixture
def scenario_file(tmp_path: Path) -> Path:
    """A copy of the shipped scenario that a test may spoil."""
    return Path(
        shutil.copy(REPOSITORY / "scenarios" / "vpe-upstream.yaml", tmp_path / "scenario.yaml")
    )


@pytest.fixture
def short_folder() -> Iterator[Path]:
    """An empty folder whose path is short enough for sockets."""
    with tempfile.TemporaryDirectory(prefix="pc-") as folder:
        yield Path(folder)


@pytest.fixture
def alone() -> None:
    """For a live test of programs that must keep up with each other: no other one runs."""


@pytest.fixture(autouse=True)
def _among_live_tests(
    request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[None]:
    """Live tests of all workers share a lock; one that is `alone` has it for itself."""
    if request.node.get_closest_marker("live") is None:
        yield
        return
    workers = "PYTEST_XDIST_WORKER" in os.environ
    folder = tmp_path_factory.getbasetemp()
    folder = folder.parent if workers else folder
    with (folder / "live.gate").open("w") as gate, (folder / "live.lock").open("w") as lock:
        # Whoever waits keeps the gate, so that newcomers don't overtake the one that is alone.
        fcntl.flock(gate, fcntl.LOCK_EX)
        fcntl.flock(lock, fcntl.LOCK_EX if "alone" in request.fixturenames else fcntl.LOCK_SH)
        fcntl.flock(gate, fcntl.LOCK_UN)
        yield
