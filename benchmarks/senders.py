"""Packets a second of one core: our generator against testpmd's txonly, in turns.

Each sends frames of 64 bytes over a memory interface of its own into one data plane of ours, which
drops them on another CPU; and, because that one may be slower than both, to a port that takes
everything. Ours writes a sequence number, a time stamp and a check into every packet, over 62,500
flows; txonly sends one header. A turn is a window of txonly, one of ours, one of txonly: the
peer's canaries are before, between and after, so they show the machine's state for all three.
"""

from __future__ import annotations

import tempfile
import time
from collections.abc import Iterator, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from peers import NULL_PORT
from planecast.dataplanes import Dataplane, configs_for
from planecast.dataplanes.external_dpdk import ExternalDpdk, vdev_arguments
from planecast.dataplanes.testpmd import plan_testpmd
from planecast.dataplanes.trial import Windows
from planecast.errors import RunError
from planecast.generators import Generator, GeneratorConfig, StreamConfig
from planecast.results import Estimate
from planecast.scenario import Scenario
from row import Row, row
from turns import RESTARTS, TURNS, Costs, compared

NAME = "generator/testpmd-txonly"
PACKETS = 1 << 15
"""Of a window: a millisecond or two. Where others use the CPUs, few windows of more have the sink
there all the time, and without it the rings are full after 50 µs."""
BURST = 32
FRAME_BYTES = 64
FLOWS = 62_500
CPU, SINK_CPU = 1, 0
"""Who sends, and who takes it. Main lcores sleep on the sink's: its sender is the one measured."""
SINK_SECONDS = 600
"""Longer than the turns of a start can take; the sink is asked to stop before."""
SETTLE_S = 0.2
"""After the last window: what is in the rings is taken, and the sink's counts are whole."""
LIMITED = 0.1
"""Share refused from which on the sink is said to be the limit, as the generator has it."""


@dataclass
class Refused:
    """What the sink did not take at once."""

    calls: int = 0
    """Send calls of ours of which it took something."""
    refused_calls: int = 0
    """Those that it did not take whole, mostly nothing at all: ours sends the rest again."""
    packets: int = 0
    """What full bursts of txonly would have been."""
    dropped: int = 0
    """What it gave up of them."""

    def add_peer(self, windows: Windows) -> None:
        """Adds a window of txonly, whose every call has a full burst."""
        asked = BURST * (sum(windows.bursts) + sum(windows.empty_polls))
        self.packets += asked
        self.dropped += asked - sum(windows.packets)

    def add_ours(self, answer: dict[str, Any]) -> None:
        """Adds a run of ours."""
        self.calls += answer["send_calls"]
        self.refused_calls += answer["refused_calls"]

    def __str__(self) -> str:
        ours = self.refused_calls / (self.calls + self.refused_calls)
        peer = self.dropped / self.packets
        said = f"the sink refused {ours:.1%} of our calls and {peer:.1%} of the peer's packets"
        return said + (": it limits them" if max(ours, peer) > LIMITED else "")


def generator_and_testpmd() -> list[Row]:
    """Packets a second that one core sends: ours with numbers and stamps, and testpmd's txonly."""
    sides, refused, tsc_hz = (Costs(), Costs()), Refused(), 0
    for restart in range(RESTARTS):
        with tempfile.TemporaryDirectory(prefix="planecast-") as folder:
            sockets = [Path(folder) / name for name in ("ours", "peer")]
            with _sink(sockets) as taken:
                vdevs = [_memif(socket, "client") for socket in sockets]
                sent, tsc_hz = _turns(vdevs, restart, sides, refused)
            if taken.result() != sent:
                raise RunError(f"{sent} packets were sent, but the sink took {taken.result()}")
    return _rows(NAME, sides, refused, tsc_hz)


def generator_and_testpmd_alone() -> list[Row]:
    """The same to a port that takes everything at no cost: what the senders themselves can do."""
    sides, refused, tsc_hz = (Costs(), Costs()), Refused(), 0
    for restart in range(RESTARTS):
        tsc_hz = _turns([NULL_PORT] * 2, restart, sides, refused)[1]
    return _rows(f"{NAME} net_null", sides, refused, tsc_hz)


def _rows(name: str, sides: tuple[Costs, Costs], refused: Refused, tsc_hz: int) -> list[Row]:
    """The row of all turns; says how much of it was undisturbed, and who limited it."""
    found = compared(sides)
    mine, theirs = found.shares
    counted = "only these count" if found.undisturbed else "too few: all windows count"
    print(f"{name}: undisturbed {mine:.0%} of ours, {theirs:.0%} of the peer; {counted}; {refused}")
    rates = (_rate(found.ours, tsc_hz), _rate(found.peer, tsc_hz))
    ratio = _turned(found.ratio, 1.0, "ratio")
    return [row(name, *rates, "packets/s", 0.9, at_least=True, compared=ratio)]


def _memif(socket: Path, role: str, number: int = 0) -> str:
    """An end of a memory interface: 1,024 descriptors."""
    return f"net_memif{number},role={role},socket={socket},socket-abstract=no,rsize=10"


@contextmanager
def _sink(sockets: Sequence[Path]) -> Iterator[Future[int]]:
    """A data plane that takes from all of them and drops; at the end, how many packets it took."""
    ports = ",".join(str(number) for number in range(len(sockets)))
    nowhere = ",".join(["internal"] * len(sockets))
    placement = {"cpus": str(SINK_CPU), "stage_clock": 0}
    scenario = Scenario.model_validate(
        {"name": "sink", "workload": {"kind": "l2patch"}, "placement": placement}
    )
    config = replace(configs_for([scenario])[0], rx=ports, tx=nowhere)
    eal = vdev_arguments([_memif(path, "server", n) for n, path in enumerate(sockets)])
    with ThreadPoolExecutor(1) as pool, Dataplane(config, eal) as sink:
        # Large bursts drain a little faster, and it is the senders that are to be measured.
        request = f"trial seconds={SINK_SECONDS} stage_clock=0 burst=256"

        def take() -> int:
            answer = sink.ask(request, SINK_SECONDS)
            if "error" in answer:
                raise RunError(f"the sink refused a trial: {answer['error']}")
            return int(answer["packets_in"])

        taken = pool.submit(take)
        yield taken
        sink.stop()


def _turns(
    vdevs: Sequence[str], restart: int, sides: tuple[Costs, Costs], refused: Refused
) -> tuple[int, int]:
    """The turns of one start of both senders to a port each; packets that both sent, and the clock
    in Hz."""
    peer = plan_testpmd(
        "txonly",
        [vdevs[1]],
        cpus=[CPU],
        main_cpu=SINK_CPU,
        burst=BURST,
        frame_bytes=FRAME_BYTES,
    )
    sent = 0
    with Generator(_config(), vdev_arguments([vdevs[0]])) as mine, ExternalDpdk(peer) as theirs:
        for turn in range(restart * TURNS, (restart + 1) * TURNS):
            before = theirs.trial(1, PACKETS, 0).windows
            mine.start()
            answer = mine.wait()
            after = theirs.trial(1, PACKETS, 0).windows
            for windows in (before, after):
                sides[1].add(windows, turn, restart)
                refused.add_peer(windows)
            sent += _add_ours(answer, sides[0], turn, restart)
            # Its canaries are the peer's on both sides of it.
            sides[0].canaries.append((before.canary_compute[0][1], after.canary_compute[0][0]))
            refused.add_ours(answer)
            if theirs.page_size != answer["page_size"]:
                raise RunError(
                    f"ours has pages of {answer['page_size']}, {peer.name} of {theirs.page_size}"
                )
        time.sleep(SETTLE_S)
        return sent + theirs.observe().tx_packets, theirs.tsc_hz


def _add_ours(answer: dict[str, Any], costs: Costs, turn: int, restart: int) -> int:
    """Adds a run of ours; the packets that it sent. Raises RunError when some were not."""
    sent = int(answer["total"]["sent"])
    if answer["gave_up"] or sent != PACKETS:
        raise RunError(f"ours sent {sent} of {PACKETS} packets")
    costs.cycles.append(answer["seconds"] * answer["tsc_hz"] / sent)
    costs.turns.append(turn)
    costs.restarts.append(restart)
    return sent


def _config() -> GeneratorConfig:
    stream = {"headers": "ipv4", "sizes": FRAME_BYTES, "flows": FLOWS, "packets": PACKETS}
    return GeneratorConfig(
        tx=0,
        rx=None,
        link_gbps=10,
        lcores=(CPU,),
        main_cpu=SINK_CPU,
        streams=(StreamConfig("numbered", stream | {"rate": "max"}),),
        run={"burst": BURST, "loop_check": "off"},
    )


def _rate(cost: Estimate, tsc_hz: int) -> Estimate:
    """Packets a second at a cost in cycles a packet."""
    return _turned(cost, tsc_hz, "packets/s")


def _turned(estimate: Estimate, over: float, unit: str) -> Estimate:
    """`over` divided by an estimate that has an interval."""
    assert estimate.low is not None
    assert estimate.high is not None
    return Estimate(
        value=over / estimate.value,
        low=over / estimate.high,
        high=over / estimate.low,
        samples=estimate.samples,
        unit=unit,
        kind=estimate.kind,
    )
