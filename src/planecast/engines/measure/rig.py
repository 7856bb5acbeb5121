"""The rig: our generator around the programs under test, here or on another host.

Nothing is known of what is between the two ends: a trial is what the generator sent and what came
back. Two hands on one CPU take turns, so draining waits for longer than a turn.
"""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Self

from planecast.dataplanes.devices import check_devices
from planecast.dataplanes.end import End, eal_words, generator_ports, named_end
from planecast.dataplanes.line import Line, LocalLine
from planecast.dataplanes.ovs import THREADS
from planecast.dataplanes.remote_line import RemoteLine
from planecast.dataplanes.under_test import title_of
from planecast.engines.measure.pacing import CPU_SHARES, DATAPLANE_AWAY_S, WATCHED_S, trial_keys
from planecast.engines.measure.sender import EalWords, joined, sender
from planecast.errors import RunError
from planecast.generators import Generator
from planecast.generators.config import StreamConfig
from planecast.generators.load import LoadGenerator
from planecast.generators.matching import matching_stream, plain_stream
from planecast.host.cpu_time import pinned_seconds
from planecast.process import Planned
from planecast.results.estimate import Estimate
from planecast.scenario.points import value_if_any
from planecast.scenario.scenario import Scenario

DRAIN_S = 0.05
"""The generator goes on receiving until nothing came for so long."""
_CONNECT_TRIALS = 50
_CONNECT_PPS = 10_000.0
_CONNECT_S = 0.02
_LEAD_S = 0.2
"""Into a trial before its cycles are counted: queues are as full by then as they stay."""


@dataclass(frozen=True)
class Opinions:
    """What a trial cost by the programs' own counts, and by ours."""

    own: Mapping[str, Estimate]
    """Cycles a packet as the programs count them."""
    cycles_per_packet: Estimate | None
    """Time-stamp cycles over the packets that the first program took meanwhile, also those that it
    dropped in front of a full link: they are work, too. None with a generator of others, whose
    clock and counts by now are not at hand."""


class Rig:
    """Programs in series and the generator around them. A context manager: nothing outlives it."""

    def __init__(self, scenario: Scenario, generator_cpu: int) -> None:
        """Raises InputError for traffic that the generator can't send."""
        self._scenario = scenario
        self._cpu = generator_cpu
        ours = scenario.dataplane.kind == "ours"
        self._stream: StreamConfig = matching_stream(scenario) if ours else plain_stream(scenario)
        self._stack = ExitStack()

    def planned(self, folder: Path) -> list[Planned]:
        """The processes that it starts, with their sockets in `folder`; a generator of others runs
        already, and the ports of ours are known here when the programs run here.

        Raises MissingError for what isn't here."""
        self._check_devices()
        line = self._made_line()
        found = line.planned(folder)
        if self._scenario.started.host is None:
            generator = self._made_generator(line)
            if isinstance(generator, Generator):
                found.append(generator.plan())
        return found

    def __enter__(self) -> Self:
        try:
            self._check_devices()
            self._line = self._made_line()
            self._stack.enter_context(self._line)
            self._generator = self._made_generator(self._line)
            self._stack.enter_context(self._generator)
            self._connect()
        except BaseException:
            self._stack.close()
            raise
        return self

    def __exit__(self, *about: object) -> None:
        self._stack.close()

    def trial(self, offered_pps: float | None, seconds: float) -> dict[str, Any]:
        """The generator's answer to one trial at a rate (None: as fast as it can), after it has
        drained; with the share of its CPU that each side's thread had (`CPU_SHARES`), and for how
        long the data plane's wanted it in vain (`DATAPLANE_AWAY_S`), where that is known.

        Raises RunError when a program has ended, with its last words.
        """
        began, had, sender_had = time.monotonic(), self._line.cpu_seconds(), self._sender_seconds()
        was_away = self._line.away_seconds()
        self._generator.start(seconds=seconds, keys=trial_keys(self._scenario, offered_pps))
        # Asked before, the generator's main thread would look for the end every millisecond.
        time.sleep(seconds + DRAIN_S)
        sent = self._generator.wait()
        passed = time.monotonic() - began
        has, sender_has = self._line.cpu_seconds(), self._sender_seconds()
        is_away = self._line.away_seconds()
        if is_away is not None and was_away is not None:
            sent[DATAPLANE_AWAY_S], sent[WATCHED_S] = is_away - was_away, passed
        self.check()
        shares = [min((has[cpu] - had[cpu]) / passed, 1.0) for cpu in has.keys() & had.keys()]
        dataplane, sender = CPU_SHARES
        sent[dataplane] = min(shares, default=None)
        if sender_has is not None and sender_had is not None:
            busy_s = sent["seconds"] + sent["drain_ms"]["took"] / 1e3
            sent[sender] = min((sender_has - sender_had) / busy_s, 1.0)
        return sent

    def check(self) -> None:
        """Raises RunError when a program has ended, with its last words."""
        self._line.check()

    def ports(self) -> Mapping[str, int]:
        """What the programs' DPDK ports have counted since their start. Raises RunError."""
        return self._line.ports()

    def opinions(self, offered_pps: float, seconds: float) -> Opinions:
        """What the programs say of themselves in a trial of its own, and what we say of it: both
        counts begin and end while it runs."""
        keys = trial_keys(self._scenario, offered_pps)
        self._generator.start(seconds=2 * _LEAD_S + seconds, keys=keys)
        time.sleep(_LEAD_S)
        self._line.begin_opinion()
        if not isinstance(self._generator, Generator):
            time.sleep(seconds)
            own = self._line.opinion()
            self._generator.wait()
            self.check()
            return Opinions(own, None)
        before, began = self._taken()
        time.sleep(seconds)
        after, ended = self._taken()
        own = self._line.opinion()
        sent = self._generator.wait()
        self.check()
        return Opinions(
            own,
            Estimate(
                value=(ended - began) * sent["tsc_hz"] / max(after - before, 1),
                samples=after - before,
                unit="cycles/packet",
                kind="measured",
            ),
        )

    def _check_devices(self) -> None:
        """Raises MissingError for a named one that isn't here, before anything is started."""
        named = value_if_any(self._scenario, "dataplane.generator_devices") or ()
        check_devices((named_end(device) for device in named), where="dataplane.generator_devices")

    def _sender_seconds(self) -> float | None:
        """CPU time that our generator's thread has had; None for one of others."""
        pid = self._generator.pid if isinstance(self._generator, Generator) else None
        return None if pid is None else pinned_seconds(pid, self._cpu)

    def _taken(self) -> tuple[int, float]:
        """Packets that the first program's ring took by now, and when that was, in seconds."""
        asked = time.monotonic()
        assert isinstance(self._generator, Generator)
        sent = self._generator.stats()["total"]["sent"]
        return sent, (asked + time.monotonic()) / 2

    def _made_line(self) -> Line:
        if self._scenario.started.host is not None:
            return RemoteLine(self._scenario)
        return LocalLine(self._scenario, self._cpu)

    def _made_generator(self, line: Line) -> LoadGenerator:
        ends = line.ends
        queues = THREADS if self._by_thread(ends) else 1
        config = joined(self._cpu, self._stream, DRAIN_S, ends, queues)
        eal = EalWords(eal_words(generator_ports(ends)[0]), tuple(line.before))
        locations = ends[0].device(0), ends[1].device(1)
        return sender(self._scenario, config, eal, locations, DRAIN_S)

    def _by_thread(self, ends: Sequence[End]) -> bool:
        """Whether each thread of the data plane sends into a queue of its own."""
        return self._scenario.dataplane.kind == "ovs" and ends[1].kind == "memif"

    def _connect(self) -> None:
        """Waits until packets come through. Raises RunError when none do."""
        for _ in range(_CONNECT_TRIALS):
            time.sleep(_CONNECT_S)
            if self.trial(_CONNECT_PPS, _CONNECT_S)["total"]["received"]:
                return
        raise RunError("no packet came back", title_of(self._scenario))
