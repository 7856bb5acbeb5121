"""Ours against DPDK's own programs: the same work on the same port, in turns on the same CPU."""

from __future__ import annotations

import tempfile
from collections.abc import Sequence
from pathlib import Path

from pydantic import ValidationError

from frames import routed_frames, routes, write_pcap
from planecast.dataplanes.external_dpdk import ExternalDpdkPlan
from planecast.dataplanes.l3fwd import plan_l3fwd, write_rules
from planecast.dataplanes.testpmd import plan_testpmd
from planecast.errors import MissingError
from planecast.scenario import Scenario
from planecast.scenario.host_cpus import cpus_here
from row import Row, row
from turns import compare

ROOT = Path(__file__).parents[1]
L3FWD = ROOT / "build" / "peers" / "l3fwd"
NULL_PORT = "net_null0,size=64,copy=0"
"""Gives and takes buffers without touching what is in them: the cheapest port there is."""


def l2patch_and_testpmd() -> list[Row]:
    """Port to port: l2patch, and testpmd's io."""
    ours = _ours("l2patch")
    peer = plan_testpmd("io", [NULL_PORT], cpus=[_cpu(ours)])
    return _rows("l2patch/testpmd-io", ours, [NULL_PORT], peer, 1.0)


def macswap_and_testpmd() -> list[Row]:
    """Addresses swapped: macswap of both."""
    ours = _ours("macswap")
    peer = plan_testpmd("macswap", [NULL_PORT], cpus=[_cpu(ours)])
    return _rows("macswap/testpmd-macswap", ours, [NULL_PORT], peer, 1.0)


def ip4_and_l3fwd() -> list[Row]:
    """Routing by longest prefix: ip4, and l3fwd, on copies of the same frames."""
    ours = _ours("ip4")
    with tempfile.TemporaryDirectory(prefix="planecast-") as name:
        folder = Path(name)
        write_pcap(folder / "frames.pcap", routed_frames())
        write_rules(folder / "rules", routes(), ports=1)
        vdevs = [f"net_pcap0,rx_pcap={folder / 'frames.pcap'},infinite_rx=1"]
        peer = plan_l3fwd(L3FWD, vdevs, folder / "rules", cpus=[_cpu(ours)])
        return _rows("ip4/l3fwd-lpm", ours, vdevs, peer, 1.0)


def _rows(
    name: str, ours: Scenario, vdevs: Sequence[str], peer: ExternalDpdkPlan, limit: float
) -> list[Row]:
    """The row of ours against the peer; says how much of it was undisturbed."""
    found = compare(ours, vdevs, peer)
    mine, theirs = found.shares
    counted = "only these count" if found.undisturbed else "too few: all windows count"
    print(f"{name}: undisturbed {mine:.0%} of ours, {theirs:.0%} of the peer; {counted}")
    return [row(name, found.ours, found.peer, "TSC cycles/packet", limit, compared=found.ratio)]


def _ours(kind: str) -> Scenario:
    """Our scenario of a network function, on one lcore, the clock not read between stages."""
    keys = {"workload": {"kind": kind}, "placement": {"stage_clock": 0}}
    try:
        return Scenario.model_validate({"name": kind, **keys})
    except ValidationError as error:
        raise MissingError(f"the data plane has no function {kind}") from error


def _cpu(scenario: Scenario) -> int:
    return cpus_here(scenario)[0]
