"""What the machine has or lacks: CPUs, memory, rights; and that nothing is left behind."""

from __future__ import annotations

import os
import re
import shutil
import signal
import subprocess
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from tests.dataplane.conftest import Program

from planecast.native import native_folder
from planecast.scenario.workload import FUNCTIONS

pytestmark = pytest.mark.live

NOBODY = ("setpriv", "--reuid=65534", "--regid=65534", "--clear-groups")
needs_root = pytest.mark.skipif(
    os.geteuid() != 0 or shutil.which("setpriv") is None, reason="only root can become nobody"
)


def traces() -> set[Path]:
    """Files that a data plane could leave; other people's processes may run, too."""
    found: set[Path] = set()
    for folder in ("/dev/shm", "/var/run/dpdk", "/run/user/0/dpdk", "/tmp/dpdk", "/dev/hugepages"):
        if Path(folder).is_dir():
            found |= set(Path(folder).iterdir())
    found |= set(Path("/tmp").glob("*planecast-dataplane*")) | set(Path("/tmp").glob("rte*"))
    return found


@pytest.fixture
def clean(dataplane: Program) -> Iterator[None]:
    """Nothing of the processes of this test is left when they are gone.

    A trace has its process's number in its name, so what has none of ours is another one's.
    """
    before = traces()
    yield
    assert dataplane.pids
    numbers = {path: set(re.findall(r"\d+", path.name)) for path in traces() - before}
    ours = {str(pid) for pid in dataplane.pids}
    assert [path for path, found in numbers.items() if found & ours] == []


@pytest.mark.parametrize("key", ["lcores", "main_cpu"])
@pytest.mark.parametrize("cpu", [999, 1024, 65535])
def test_a_cpu_that_is_not_there(dataplane: Any, clean: None, key: str, cpu: int) -> None:
    done = dataplane.run(dataplane.config(machine={key: cpu}), "--packets", "1")
    assert done.returncode == 3
    assert done.stdout == ""
    assert done.stderr.startswith(
        f"planecast-dataplane: machine.{key}: CPU {cpu} is not there, or not allowed to this "
        "process; there are 0"
    )
    assert done.stderr.count("\n") == 1


@pytest.mark.parametrize("memory_mb", [1, 16, 66, 68])
@pytest.mark.parametrize("page_size", ["auto", "4KiB"])
def test_too_little_memory(dataplane: Any, clean: None, memory_mb: int, page_size: str) -> None:
    machine = {"memory_mb": memory_mb, "page_size": page_size}
    done = dataplane.run(dataplane.config(machine=machine), "--packets", "1")
    assert done.returncode == 1
    assert done.stdout == ""
    last = done.stderr.splitlines()[-1]
    assert last.startswith("planecast-dataplane: no memory for ")
    assert f"; machine.memory_mb is {memory_mb}, and about " in last


@pytest.mark.parametrize("page_size", ["auto", "4KiB", "2MiB"])
def test_pages(dataplane: Any, clean: None, page_size: str) -> None:
    answer = dataplane.once("--packets", "1000", machine={"page_size": page_size})
    if page_size == "4KiB":
        assert answer["page_size"] == "4KiB"


def test_the_memory_that_is_given_is_enough(dataplane: Any) -> None:
    """Sizes between powers of two are where tables round up."""
    for tables in (
        {"flows": 100_000},
        {"flows": 131_073, "acl_rules": 1},
        {"acl_rules": 5000, "flows": 1},
        {"routes": 65_536},
        {"flows": 1_048_576},
    ):
        answer = dataplane.once(
            "--packets", "1000", tables=tables, traffic={"flows": tables.get("flows", 64)}
        )
        assert answer["packets_out"] == answer["packets_in"]


def test_a_run_leaves_nothing(dataplane: Any, clean: None) -> None:
    dataplane.once("--packets", "1000", machine={"telemetry": "on"})
    dataplane.once("--packets", "1000", eal=("--vdev", "net_null0"), ports={"tx": 0})


def test_an_interrupted_run_leaves_nothing(dataplane: Any, clean: None) -> None:
    with dataplane.control(machine={"telemetry": "on"}) as control:
        control.say("trial seconds=60")
        time.sleep(0.1)
        assert control.end(signal.SIGTERM) == 130


def test_a_failed_start_leaves_nothing(dataplane: Any, clean: None) -> None:
    done = dataplane.run(dataplane.config(), "--packets", "1", "--", "--vdev", "net_nothing0")
    assert done.returncode == 2
    done = dataplane.run(dataplane.config(ports={"rx": 0}), "--packets", "1")
    assert done.returncode == 2


@needs_root
@pytest.mark.parametrize("telemetry", ["off", "on"])
def test_without_rights(dataplane: Any, clean: None, tmp_path: Path, telemetry: str) -> None:
    """Any user may measure: no hugepages, no locked memory, no devices."""
    home = tmp_path / "home"
    home.mkdir()
    os.chown(home, 65534, 65534)
    config = Path(shutil.copy(dataplane.config(machine={"telemetry": telemetry}), "/tmp"))
    program = Path(shutil.copy(dataplane.path, "/tmp"))
    try:
        done = dataplane.run(
            config, "--packets", "10000", before=(*NOBODY, "env", f"XDG_RUNTIME_DIR={home}")
        )
    finally:
        config.unlink()
        program.unlink()
    assert done.returncode == 0, done.stderr
    assert '"conserved": true' in done.stdout


@pytest.mark.parametrize("build", ["planecast-dataplane", "planecast-dataplane-v3"])
def test_instruments_find_every_stage_by_its_name(build: str) -> None:
    """Callgrind and the stepper look for functions called stage_<name>, in both builds."""
    path = native_folder() / build
    if not path.is_file():
        pytest.skip(f"{build} is not built")
    listed = subprocess.run(["nm", str(path)], capture_output=True, text=True, check=True).stdout
    symbols = {line.split()[-1] for line in listed.splitlines()}
    names = {name for stages in FUNCTIONS.values() for name in stages} | {"source", "tx"}
    assert {f"stage_{name}" for name in names} <= symbols
