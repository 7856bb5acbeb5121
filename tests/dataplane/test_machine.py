"""What the machine has or lacks: CPUs, memory, rights; and that nothing is left behind."""

from __future__ import annotations

import os
import re
import shutil
import signal
import subprocess
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from tests.dataplane.conftest import DataPlane
from tests.programs import cpus, left_behind, wait_until_it_forwards

from planecast.native import native_folder
from planecast.scenario.workload import FUNCTIONS

pytestmark = pytest.mark.live

NOBODY = ("setpriv", "--reuid=65534", "--regid=65534", "--clear-groups")
needs_root = pytest.mark.skipif(
    os.geteuid() != 0 or shutil.which("setpriv") is None, reason="only root can become nobody"
)


@pytest.fixture
def clean(dataplane: DataPlane) -> Iterator[None]:
    """Nothing of the processes of this test is left when they are gone."""
    yield
    assert dataplane.pids
    assert left_behind(dataplane.pids) == set()


@pytest.mark.parametrize("key", ["lcores", "main_cpu"])
@pytest.mark.parametrize("cpu", [999, 1024, 65535])
def test_a_cpu_that_is_not_there(dataplane: Any, clean: None, key: str, cpu: int) -> None:
    done = dataplane.run(dataplane.config(machine={key: cpu}), "--packets", "1")
    assert done.returncode == 3
    assert done.stdout == ""
    assert done.stderr.startswith(
        f"planecast-dataplane: machine.{key}: CPU {cpu} is not there, or not allowed to this "
        f"process; there are {cpus()[0]}"
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
    assert re.match(r"planecast-dataplane: no memory (on socket \d+ )?for ", last)
    assert f"; machine.memory_mb is {memory_mb}, and about " in last


@pytest.mark.parametrize("page_size", ["auto", "4KiB", "2MiB"])
def test_pages(dataplane: Any, clean: None, page_size: str) -> None:
    answer = dataplane.once("--packets", "1000", machine={"page_size": page_size})
    assert answer["page_size"] in (("4KiB", "2MiB") if page_size == "auto" else (page_size,))


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
        control.say("trial seconds=3600")
        wait_until_it_forwards(control.process)
        assert control.end(signal.SIGTERM) == 130


def test_the_main_thread_is_back_on_its_cpu_once_the_tables_are_built(
    dataplane: Any, clean: None
) -> None:
    main, _ = cpus()
    with dataplane.control() as control:
        assert os.sched_getaffinity(control.process.pid) == {main}
        assert control.end() == 0


def test_a_failed_start_leaves_nothing(dataplane: Any, clean: None) -> None:
    done = dataplane.run(dataplane.config(), "--packets", "1", "--", "--vdev", "net_nothing0")
    assert done.returncode == 2
    done = dataplane.run(dataplane.config(ports={"rx": 0}), "--packets", "1")
    assert done.returncode == 2


@needs_root
@pytest.mark.parametrize("telemetry", ["off", "on"])
def test_without_rights(dataplane: Any, clean: None, telemetry: str) -> None:
    """Any user may measure: no hugepages, no locked memory, no devices."""
    # Neither a build tree nor pytest's folders need be anybody's to read.
    with tempfile.TemporaryDirectory(prefix="pc-") as name:
        folder = Path(name)
        os.chown(folder, 65534, 65534)
        config = shutil.copy(dataplane.config(machine={"telemetry": telemetry}), folder)
        dataplane.path = Path(shutil.copy(dataplane.path, folder))
        done = dataplane.run(
            *(config, "--packets", "10000"),
            before=(*NOBODY, "env", f"XDG_RUNTIME_DIR={folder}"),
        )
        assert done.returncode == 0, done.stderr
        assert '"conserved": true' in done.stdout
        assert left_behind(dataplane.pids, folder / "dpdk") == set()


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
