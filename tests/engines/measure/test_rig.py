"""Programs under test as they are, over every kind of link: packets come through, nothing stays."""

from __future__ import annotations

import os
import shutil
import time
from pathlib import Path

import pytest
from tests.engines.measure.conftest import comes_through

from planecast.dataplanes.ovs import ROOTS, SWITCHES
from planecast.engines.measure.rig import Rig
from planecast.errors import MissingError, RunError
from planecast.native import native_folder
from planecast.scenario import Scenario, with_overrides
from planecast.scenario.workload import FUNCTIONS

pytestmark = pytest.mark.live

needs_ovs = pytest.mark.skipif(
    not any((root / SWITCHES[0]).is_file() for root in ROOTS),
    reason="Open vSwitch with DPDK is not here (tools/setup.sh ovs)",
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
    placement = {"lcores": str(cpus[-1]), "rx_ring": 1024, "tx_ring": 1024}
    keys = {f"placement.{name}": value for name, value in placement.items()}
    return with_overrides(Scenario(name="s"), keys)


def passes(scenario: Scenario, folder: Path) -> None:
    """Some trial loses nothing, and nothing is left afterwards."""
    cpu = min(os.sched_getaffinity(0))
    try:
        with Rig(scenario, cpu) as rig:
            assert comes_through(rig)
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
def test_testpmd(base: Scenario, short_folder: Path) -> None:
    keys = {"dataplane.kind": "testpmd", "dataplane.ports": "veth"}
    passes(with_overrides(base, keys), short_folder)


@needs_ovs
def test_its_own_cycles_are_ours_also_when_it_drops(base: Scenario) -> None:
    """At a rate at which the generator can't receive: much is dropped in front of the link back."""
    apart = [1.0]
    with Rig(with_overrides(base, {"dataplane.kind": "ovs"}), min(os.sched_getaffinity(0))) as rig:
        # Each count begins and ends when its program answers; a stall in between parts them, and in
        # a long one the switch has no packets to tell of.
        for _ in range(60):
            try:
                opinions = rig.opinions(20e6, 0.2)
            except RunError:
                time.sleep(1)  # what was sent meanwhile ends
                continue
            assert opinions.cycles_per_packet is not None
            apart.append(abs(opinions.own["pmd"].value / opinions.cycles_per_packet.value - 1))
            if min(apart) <= 0.05:
                break
    assert min(apart) <= 0.05, apart


@needs_ovs
def test_a_guest_behind_open_vswitch(base: Scenario, short_folder: Path) -> None:
    keys = {"dataplane.kind": "ovs", "dataplane.ports": "vhost-user", "dataplane.guests": 1}
    passes(with_overrides(base, keys), short_folder)


@pytest.mark.skipif(VPP is None, reason="VPP is not installed")
@pytest.mark.parametrize("graph", ["l2xc", "l2patch", "l2bridge", "ip4"])
def test_vpp(base: Scenario, short_folder: Path, graph: str) -> None:
    kind = "vpe-upstream" if graph == "l2xc" else graph
    keys = {"dataplane.kind": "vpp", "dataplane.graph": graph, "dataplane.program": VPP}
    tables = {"kind": kind, "flows": 4096, "bridge_entries": 8192, "routes": 4096}
    tables["stages"] = list(FUNCTIONS[kind])
    workload = {f"workload.{name}": value for name, value in tables.items()}
    flows = {"traffic.flows": 4096, "traffic.destination_step": "0.0.64.1"}
    passes(with_overrides(base, keys | workload | flows), short_folder)


def test_devices_that_are_not_there(base: Scenario, short_folder: Path) -> None:
    named = {"dataplane.kind": "testpmd", "dataplane.ports": "named"}
    devices = {"dataplane.devices": "lo 0000:ff:1f.7", "dataplane.generator_devices": "lo nic77"}
    with pytest.raises(MissingError, match="generator_devices: there is no network interface nic"):
        Rig(with_overrides(base, named | devices), 0).__enter__()
    there = {"dataplane.generator_devices": "lo net_null0"}
    with pytest.raises(MissingError, match=r"devices: there is no PCI device 0000:ff:1f\.7"):
        Rig(with_overrides(base, named | devices | there), 0).__enter__()
    assert list(short_folder.iterdir()) == []
