"""Programs under test as they are, over every kind of link: packets come through, nothing stays."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import time
from pathlib import Path
from typing import get_args

import pytest
from tests.engines.measure.conftest import comes_through, joined_testbed

from planecast.dataplanes.dpdk_program import L3FWD_PLACES
from planecast.dataplanes.memory import pages_of
from planecast.dataplanes.meter import LIBRARY
from planecast.dataplanes.ovs import ROOTS, SWITCHES
from planecast.dataplanes.polls import PROCESSING, PROGRAM, RX, TX
from planecast.errors import MissingError, RunError
from planecast.native import native_folder
from planecast.scenario import Scenario, with_overrides
from planecast.scenario.dataplanes.dpdk_memory import MemoryLayout

pytestmark = pytest.mark.live

needs_ovs = pytest.mark.skipif(
    not any((root / SWITCHES[0]).is_file() for root in ROOTS),
    reason="Open vSwitch with DPDK is not installed (tools/setup.sh ovs)",
)
VPP = os.environ.get("PLANECAST_TEST_VPP") or shutil.which("vpp")
OURS = {"workload.kind": "l2patch", "workload.stages": "none"}


@pytest.fixture
def base(short_folder: Path, monkeypatch: pytest.MonkeyPatch) -> Scenario:
    """A scenario on two CPUs; private folders lie in `short_folder`."""
    cpus = sorted(os.sched_getaffinity(0))
    if len(cpus) < 2:
        pytest.skip("two CPUs are needed")
    for name in ("planecast-generator", "planecast-dataplane", "planecast-meter.so"):
        if not (native_folder() / name).is_file():
            pytest.skip(f"{name} is not built")
    monkeypatch.setattr("tempfile.tempdir", str(short_folder))
    placement = {"cpus": str(cpus[-1]), "rx_ring": 1024, "tx_ring": 1024}
    keys = {f"placement.{name}": value for name, value in placement.items()}
    return with_overrides(Scenario(name="s"), keys)


def switch_says(folder: Path, command: str) -> str:
    """What an Open vSwitch whose files lie below `folder` answers."""
    (socket,) = folder.glob("**/vsw.ctl")
    root = next(root for root in ROOTS if (root / SWITCHES[0]).is_file())
    libraries = os.pathsep.join(map(str, root.glob("usr/lib/*-linux-*")))
    words = [root / "usr/bin/ovs-appctl", "-t", socket, command]
    given = {**os.environ, "LD_LIBRARY_PATH": libraries} if root != Path("/") else None
    return subprocess.run(words, capture_output=True, text=True, check=True, env=given).stdout


def passes(scenario: Scenario, folder: Path) -> None:
    """Some trial loses nothing, and nothing is left afterwards."""
    cpu = min(os.sched_getaffinity(0))
    try:
        with joined_testbed(scenario, cpu) as testbed:
            assert comes_through(testbed)
    except MissingError as missing:
        if "namespace" not in str(missing):
            raise
        pytest.skip(str(missing))
    assert list(folder.iterdir()) == []


@pytest.mark.parametrize(("ports", "chain"), [("vhost-user", 2), ("veth", 2)])
def test_ours(base: Scenario, short_folder: Path, ports: str, chain: int) -> None:
    keys = {"dataplane.ports": ports, "dataplane.chain": chain}
    passes(with_overrides(base, OURS | keys), short_folder)


@pytest.mark.skipif(shutil.which("dpdk-testpmd") is None, reason="dpdk-testpmd is not installed")
@pytest.mark.parametrize("ports", ["veth", "af_xdp"])
def test_testpmd(base: Scenario, short_folder: Path, ports: str) -> None:
    if ports == "af_xdp" and os.geteuid() != 0:
        pytest.skip("the kernel lets root alone open AF_XDP sockets")
    keys = {"dataplane.kind": "testpmd", "dataplane.ports": ports}
    passes(with_overrides(base, keys), short_folder)


@needs_ovs
def test_vhost_user_on_reserved_pages(base: Scenario, short_folder: Path) -> None:
    """A page is a region of its own to a peer, which takes few, and the rings of 16,384 slots are
    longer than one."""
    pages = Path("/sys/kernel/mm/hugepages/hugepages-2048kB/free_hugepages")
    if not pages.exists() or int(pages.read_text()) < 1024:
        pytest.skip("1,024 free pages of 2 MiB are needed (planecast doctor --apply)")
    vhost = {"dataplane.ports": "vhost-user"}
    passes(with_overrides(base, vhost | OURS), short_folder)
    long_rings = {"placement.rx_ring": 16384, "placement.tx_ring": 16384}
    guest = {"dataplane.kind": "ovs", "dataplane.guests": 1}
    passes(with_overrides(base, vhost | long_rings | guest), short_folder)


@needs_ovs
@pytest.mark.parametrize("layout", get_args(MemoryLayout))
def test_the_switch_has_the_memory_that_is_asked_for(
    base: Scenario, short_folder: Path, layout: MemoryLayout
) -> None:
    """Large pages and buffers side by side, by the library that counts its polls."""
    keys = {"dataplane.kind": "ovs", "dataplane.memory": layout}
    with joined_testbed(with_overrides(base, keys), min(os.sched_getaffinity(0))) as testbed:
        assert comes_through(testbed)
        (socket,) = short_folder.glob("**/vsw.ctl")
        running = [
            folder
            for folder in Path("/proc").glob("[0-9]*")
            if str(socket).encode() in _read(folder / "cmdline")
        ]
        switch = max(running, key=lambda folder: len(_read(folder / "maps")))
        assert LIBRARY.encode() in _read(switch / "maps")
        policy = _read(Path("/sys/kernel/mm/transparent_hugepage/enabled"))
        if b"[always]" in policy or b"[madvise]" in policy:
            found = pages_of(_read(switch / "smaps").decode())
            assert (found == "4KiB") == (layout == "no-huge")


def _read(path: Path) -> bytes:
    try:
        return path.read_bytes()
    except OSError:
        return b""


@needs_ovs
def test_its_own_cycles_are_ours_also_when_it_drops(base: Scenario) -> None:
    """At a rate at which the generator can't receive: much is dropped in front of the link back."""
    apart = [1.0]
    with joined_testbed(
        with_overrides(base, {"dataplane.kind": "ovs"}), min(os.sched_getaffinity(0))
    ) as testbed:
        # Each count begins and ends when its program answers; a stall in between parts them, and in
        # a long one the switch has no packets to report.
        for _ in range(60):
            try:
                opinions = testbed.opinions(20e6, 0.2)
            except RunError:
                time.sleep(1)  # what was sent then ends
                continue
            assert opinions.cycles_per_packet is not None
            own = {name: said.value for name, said in opinions.own.items()}
            if RX not in own:  # a stall in which no poll found packets while polls were counted
                continue
            assert 0 < own[RX] + own[TX] < own[PROCESSING] <= own[PROGRAM]
            assert "pmd processing" not in own
            apart.append(abs(opinions.own["pmd"].value / opinions.cycles_per_packet.value - 1))
            if min(apart) <= 0.05:
                break
    assert min(apart) <= 0.05, apart


@needs_ovs
def test_megaflows_have_the_masks_that_are_asked_for(base: Scenario, short_folder: Path) -> None:
    """Each in a table of its own, of which the datapath shows by what it has installed."""
    keys = {"dataplane.kind": "ovs", "dataplane.rules": 32, "dataplane.masks": 8}
    keys |= {"dataplane.emc_insert_inv_prob": 0, "traffic.flows": 256}
    with joined_testbed(with_overrides(base, keys), min(os.sched_getaffinity(0))) as testbed:
        assert comes_through(testbed)
        found = testbed.opinions(1e5, 0.5).own
        assert found["megaflow look-ups"].value > 0.9
        shown = switch_says(short_folder, "dpctl/dump-flows")
    flows = [line for line in shown.splitlines() if "ipv4(src=" in line]
    masks = {re.sub(r"=[^/,)]+(?=/|,|\))", "", line.partition(", packets")[0]) for line in flows}
    assert len(flows) == 32, shown
    assert len(masks) == 8, masks


@pytest.mark.skipif(
    not any(place.is_file() for place in L3FWD_PLACES),
    reason="l3fwd is not built (tools/setup.sh bench)",
)
@pytest.mark.parametrize("lookup", ["lpm", "fib", "em"])
def test_l3fwd_forwards_every_flow(base: Scenario, short_folder: Path, lookup: str) -> None:
    keys = {"dataplane.kind": "l3fwd", "dataplane.lookup": lookup, "traffic.flows": 3000}
    keys |= {} if lookup == "em" else {"dataplane.routes": 3000}
    passes(with_overrides(base, keys), short_folder)


@needs_ovs
def test_a_guest_behind_open_vswitch(base: Scenario, short_folder: Path) -> None:
    keys = {"dataplane.kind": "ovs", "dataplane.ports": "vhost-user", "dataplane.guests": 1}
    passes(with_overrides(base, keys), short_folder)


@pytest.mark.skipif(VPP is None, reason="VPP is not installed")
@pytest.mark.parametrize("graph", ["l2xc", "l2patch", "l2bridge", "ip4"])
def test_vpp(base: Scenario, short_folder: Path, graph: str) -> None:
    keys = {"dataplane.kind": "vpp", "dataplane.graph": graph, "dataplane.program": VPP}
    tables = {"l2bridge": {"dataplane.stations": 8192}, "ip4": {"dataplane.routes": 4096}}
    flows = {"traffic.flows": 4096, "traffic.destination_step": "0.0.64.1"}
    passes(with_overrides(base, keys | tables.get(graph, {}) | flows), short_folder)


def test_devices_that_are_not_there(base: Scenario, short_folder: Path) -> None:
    named = {"dataplane.kind": "testpmd", "dataplane.ports": "named"}
    devices = {"dataplane.devices": "lo 0000:ff:1f.7", "dataplane.generator_devices": "lo nic77"}
    with pytest.raises(MissingError, match="generator_devices: there is no network interface nic"):
        joined_testbed(with_overrides(base, named | devices), 0).__enter__()
    there = {"dataplane.generator_devices": "lo net_null0"}
    with pytest.raises(MissingError, match=r"devices: there is no PCI device 0000:ff:1f\.7"):
        joined_testbed(with_overrides(base, named | devices | there), 0).__enter__()
    assert list(short_folder.iterdir()) == []
