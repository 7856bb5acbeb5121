"""Ours against DPDK's own programs: the same work on the same port, in turns on the same CPU.

Both processes run at once with the same port, pages and bursts, and only one of them forwards at
a time, for some milliseconds; the other sleeps. Windows, clock and canaries are alike: ours has
them in its loop, the peer by the meter in its port. Costs are the port's and the program's.
"""

from __future__ import annotations

import tempfile
from dataclasses import dataclass, field, replace
from pathlib import Path

import numpy as np

from frames import routed_frames, routes, write_pcap
from planecast.dataplanes import Dataplane, Trial, configs_for
from planecast.dataplanes.l3fwd import plan_l3fwd, write_rules
from planecast.dataplanes.meter import MeterWindows
from planecast.dataplanes.peer import Peer, PeerPlan
from planecast.dataplanes.testpmd import plan_testpmd
from planecast.dataplanes.trial import Windows
from planecast.engines.measure.estimate import MIN_WINDOWS, cost_of_windows
from planecast.errors import InputError, MissingError, RunError
from planecast.instruments.canary import low_mode, undisturbed
from planecast.results import Estimate
from planecast.scenario import Scenario, load_scenario, with_overrides
from row import Row, row

ROOT = Path(__file__).parents[1]
SCENARIO = ROOT / "scenarios" / "vpe-upstream.yaml"
L3FWD = ROOT / "build" / "peers" / "l3fwd"

RESTARTS = 4
TURNS = 40
WINDOWS = 32
PACKETS = 8192
"""Of a window: between 50 and 500 µs at what these programs cost, as in a measurement."""
WARMUP = 16384
NULL_PORT = "net_null0,size=64,copy=0"
"""Gives and takes buffers without touching what is in them: the cheapest port there is."""


@dataclass
class Costs:
    """Windows of one side, over all turns."""

    cycles: list[float] = field(default_factory=list)
    """TSC cycles a packet."""
    canaries: list[tuple[float, float]] = field(default_factory=list)
    turns: list[int] = field(default_factory=list)
    restarts: list[int] = field(default_factory=list)

    def add(self, windows: Windows | MeterWindows, turn: int, restart: int) -> None:
        """Adds a trial's windows."""
        self.cycles += [c / p for c, p in zip(windows.cycles, windows.packets, strict=True)]
        self.canaries += windows.canary_compute
        self.turns += [turn] * windows.count
        self.restarts += [restart] * windows.count

    def estimate(self, quiet: float) -> tuple[Estimate, float]:
        """Cycles a packet and the share of undisturbed windows; `quiet`: their canary."""
        good = undisturbed(self.canaries, quiet)
        share = float(good.mean())
        if int(good.sum()) < MIN_WINDOWS:
            good = np.ones_like(good)
        cycles, turns, restarts = map(np.asarray, (self.cycles, self.turns, self.restarts))
        return cost_of_windows(cycles[good], turns[good], restarts[good]), share


def take_turns(ours: Scenario, vdevs: tuple[str, ...], peer: PeerPlan) -> tuple[Costs, Costs]:
    """Windows of ours and of the peer, in turns. Raises what either of them raises."""
    config = replace(configs_for([ours])[0], rx="0", tx=str(len(vdevs) - 1))
    arguments = [word for vdev in vdevs for word in ("--vdev", vdev)]
    trial = Trial(windows=WINDOWS, packets=PACKETS, warmup=WARMUP, scenario=ours)
    found = Costs(), Costs()
    for restart in range(RESTARTS):
        with Dataplane(config, arguments) as mine, Peer(peer) as theirs:
            for turn in range(TURNS):
                # Who goes first changes: a state of the machine that begins in a turn favours none.
                for side in (turn % 2, 1 - turn % 2):
                    number = restart * TURNS + turn
                    if side == 0:
                        answer = mine.trial(trial)
                        lost = sum(answer.drops.values())
                        if lost > 0:
                            raise RunError(f"ours dropped {lost} packets: {answer.drops}")
                        found[0].add(answer.lcores[0].windows, number, restart)
                        pages = answer.page_size
                    else:
                        measured = theirs.trial(WINDOWS, PACKETS, WARMUP)
                        found[1].add(measured.windows, number, restart)
            if pages != theirs.page_size:
                raise RunError(f"ours has pages of {pages}, {peer.name} of {theirs.page_size}")
    return found


def compared(
    name: str, ours: Scenario, vdevs: tuple[str, ...], peer: PeerPlan, limit: float = 1.0
) -> list[Row]:
    """The row of ours against the peer; says how much of it was undisturbed."""
    costs = take_turns(ours, vdevs, peer)
    quiet = low_mode([canary for side in costs for canary in side.canaries])
    (mine, my_share), (theirs, their_share) = (side.estimate(quiet) for side in costs)
    print(f"{name}: undisturbed {my_share:.0%} of ours, {their_share:.0%} of the peer", flush=True)
    return [row(name, mine, theirs, "TSC cycles/packet", limit)]


def _ours(kind: str) -> Scenario:
    """Our scenario of a network function, on one lcore, the clock not read between stages."""
    base = load_scenario(SCENARIO)
    try:
        return with_overrides(base, {"workload": {"kind": kind}, "placement.stage_clock": 0})
    except InputError as error:
        raise MissingError(f"the data plane has no function {kind}") from error


def _cpu(scenario: Scenario) -> int:
    return scenario.placement.cpus[0]


def l2patch_and_testpmd() -> list[Row]:
    """Port to port: l2patch, and testpmd's io."""
    ours = _ours("l2patch")
    peer = plan_testpmd("io", [NULL_PORT], cpu=_cpu(ours))
    return compared("l2patch/testpmd-io", ours, (NULL_PORT,), peer)


def macswap_and_testpmd() -> list[Row]:
    """Addresses swapped: macswap of both."""
    ours = _ours("macswap")
    peer = plan_testpmd("macswap", [NULL_PORT], cpu=_cpu(ours))
    return compared("macswap/testpmd-macswap", ours, (NULL_PORT,), peer)


def ip4_and_l3fwd() -> list[Row]:
    """Routing by longest prefix: ip4, and l3fwd, on copies of the same frames."""
    ours = _ours("ip4")
    with tempfile.TemporaryDirectory(prefix="planecast-") as name:
        folder = Path(name)
        write_pcap(folder / "frames.pcap", routed_frames())
        write_rules(folder / "rules", routes(), ports=1)
        vdevs = (f"net_pcap0,rx_pcap={folder / 'frames.pcap'},infinite_rx=1",)
        peer = plan_l3fwd(L3FWD, vdevs, folder / "rules", cpu=_cpu(ours))
        return compared("ip4/l3fwd-lpm", ours, vdevs, peer)
