"""Testbed: a data plane under test, and a load generator around it.

Nothing else is known of what is between the generator's two ports: a trial is what was sent and
what came back, and what the data plane says of it where it is asked. Our generator doesn't wait for
a full ring: a wire can't. It drops what is refused (``when_full = drop``) and reports it; that is
the receive ring's loss, as a NIC's is.
"""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Self

from planecast.dataplanes import TrialAnswer
from planecast.dataplanes.devices import check_devices
from planecast.dataplanes.dut import Dut, ExternalDut
from planecast.dataplanes.dut_chain import DutChain
from planecast.dataplanes.own_dut import OwnDut
from planecast.dataplanes.port import named_port
from planecast.dataplanes.remote_dut import RemoteDut
from planecast.engines.measure.generator_factory import generator_of
from planecast.engines.measure.tx_pacing import CPU_SHARES, DATAPLANE_AWAY_S, WATCHED_S, trial_keys
from planecast.errors import InputError, MissingError, RunError
from planecast.generators import Generator
from planecast.generators.load import LoadGenerator
from planecast.host.cpu_time import pinned_seconds
from planecast.process import Planned
from planecast.results.estimate import Estimate
from planecast.scenario.dataplanes.own import OwnDataplane
from planecast.scenario.host_cpus import cpus_here
from planecast.scenario.points import value_if_any
from planecast.scenario.scenario import Scenario

_CONNECT_TRIALS = 50
_CONNECT_PPS = 10_000.0
_CONNECT_S = 0.02
_LEAD_S = 0.2
"""Into a trial before its cycles are counted: queues are as full by then as they stay."""
_ANSWER_S = 60.0


@dataclass(frozen=True)
class LoadTrial:
    """What one trial gave, by both sides."""

    sent: dict[str, Any]
    """The generator's answer (interfaces.md, section 4), with the share of its CPU that each side's
    thread had (`CPU_SHARES`), and for how long the data plane's waited for it
    (`DATAPLANE_AWAY_S`), where that is known."""
    forwarded: TrialAnswer | None
    """The data plane's, where it is asked trial by trial."""
    whole: bool
    """Whether the data plane polled until the last packet had come."""


@dataclass(frozen=True)
class Opinions:
    """What a trial cost by the programs' own counts, and by ours."""

    own: Mapping[str, Estimate]
    """Cycles a packet as the programs count them."""
    cycles_per_packet: Estimate | None
    """Time-stamp cycles over the packets that the first program took in that time, also those that
    it dropped in front of a full link: they are work, too. None with a generator of others, whose
    clock and counts by now are not at hand."""


@dataclass(frozen=True)
class Used:
    """CPU time of both sides' threads by now."""

    dataplane: Mapping[int, float]
    away: float | None
    generator: float | None


class Testbed:
    """A data plane and the generator around it. A context manager: nothing outlives it."""

    __test__ = False  # not one of pytest's

    def __init__(self, scenario: Scenario, dut: Dut, generator_cpu: int) -> None:
        """The generator is the scenario's; ours runs on `generator_cpu`."""
        self.scenario = scenario
        self.dut = dut
        self._cpu = generator_cpu
        self._stack = ExitStack()

    @property
    def cpus(self) -> tuple[int, int]:
        """The data plane's first, and the generator's."""
        return cpus_here(self.scenario)[0], self._cpu

    def planned(self, folder: Path) -> list[Planned]:
        """The processes that it starts, with their sockets in `folder`; a generator of others runs
        already, and the ports of ours are known here when the programs run here.

        Raises MissingError for what isn't here."""
        self._check_devices()
        found = self.dut.planned(folder)
        if value_if_any(self.scenario, "dataplane.host") is None:
            generator = generator_of(self.scenario, self.dut, self._cpu)
            if isinstance(generator, Generator):
                found.append(generator.plan())
        return found

    def __enter__(self) -> Self:
        try:
            self._check_devices()
            self._stack.enter_context(self.dut)
            self._generator = generator_of(self.scenario, self.dut, self._cpu)
            self._stack.enter_context(self._generator)
            self._connect()
        except BaseException:
            self._stack.close()
            raise
        return self

    def __exit__(self, *about: object) -> None:
        self._stack.close()

    def trial(
        self,
        offered_pps: float | None,
        seconds: float,
        *,
        every_burst: bool = False,
        warm_up_s: float = 0.0,
    ) -> LoadTrial:
        """One trial at a rate (None: as fast as the generator can), read after it has drained.

        With `every_burst` a data plane that is asked trial by trial reads its stage clock in each
        burst. For `warm_up_s` our generator sends at the same rate before it counts; the data plane
        counts all. Raises RunError when a program has ended, with its last words.
        """
        dut, generator = self.dut, self._generator
        sending_s = warm_up_s + seconds + dut.drain_s
        window_s = dut.lead_s + sending_s + dut.tail_s + generator.late_s
        if offered_pps is not None:
            generator.prepare(round(offered_pps), seconds)
        keys = trial_keys(self.scenario, offered_pps)
        if warm_up_s > 0:
            keys["warm_up_ms"] = f"{warm_up_s * 1e3:g}"
        began, before = time.monotonic(), self._used()
        dut.begin_trial(window_s, every_burst=every_burst)
        time.sleep(dut.lead_s)
        generator.start(seconds=seconds, keys=keys)
        # Asked before, the generator's main thread would look for the end every millisecond.
        time.sleep(sending_s)
        sent = generator.wait()
        forwarded = dut.finish_trial(window_s + _ANSWER_S)
        passed_s = time.monotonic() - began if forwarded is None else window_s
        note_used(sent, before, self._used(), passed_s, warm_up_s)
        dut.check()
        whole = forwarded is None or _is_whole(sent, forwarded)
        if not whole:
            self.idle(dut.drain_s)
        return LoadTrial(sent, forwarded, whole)

    def idle(self, seconds: float) -> TrialAnswer:
        """Has a data plane that is asked trial by trial poll an empty port; packets that a trial
        left behind are forwarded."""
        self.dut.begin_trial(seconds, every_burst=False)
        answer = self.dut.finish_trial(seconds + _ANSWER_S)
        assert answer is not None
        return answer

    def opinions(self, offered_pps: float, seconds: float) -> Opinions:
        """What the programs say of themselves in a trial of its own, and what we say of it: both
        counts begin and end while it runs."""
        generator, dut = self._generator, self.dut
        keys = trial_keys(self.scenario, offered_pps)
        generator.start(seconds=2 * _LEAD_S + seconds, keys=keys)
        time.sleep(_LEAD_S)
        dut.begin_opinion()
        before, began = _taken(generator)
        time.sleep(seconds)
        after, ended = _taken(generator)
        own = dut.opinion()
        sent = generator.wait()
        dut.check()
        if before is None or after is None:
            return Opinions(own, None)
        cycles = (ended - began) * sent["tsc_hz"] / max(after - before, 1)
        samples, unit = after - before, "cycles/packet"
        return Opinions(own, Estimate(value=cycles, samples=samples, unit=unit, kind="measured"))

    def _used(self) -> Used:
        generator = self._generator
        pid = generator.pid if isinstance(generator, Generator) else None
        sender = None if pid is None else pinned_seconds(pid, self._cpu)
        return Used(self.dut.cpu_seconds(), self.dut.away_seconds(), sender)

    def _check_devices(self) -> None:
        """Raises MissingError for a named one that isn't here, before anything is started."""
        named = value_if_any(self.scenario, "dataplane.generator_devices") or ()
        check_devices((named_port(device) for device in named), where="dataplane.generator_devices")

    def _connect(self) -> None:
        """Waits until packets come through. Raises RunError when none do."""
        for _ in range(_CONNECT_TRIALS):
            time.sleep(_CONNECT_S)
            if self.trial(_CONNECT_PPS, _CONNECT_S).sent["total"]["received"]:
                return
        raise RunError("no packet came back", self.dut.name)


def dut_of(scenario: Scenario, main_cpu: int, *, telemetry: bool = False) -> Dut:
    """The scenario's data plane; its threads that sleep are on `main_cpu`. Our own between memory
    interfaces is asked trial by trial, with DPDK's `telemetry` or without; all others forward from
    their start on."""
    if scenario.dataplane == OwnDataplane():
        return OwnDut(scenario, telemetry=telemetry)
    if scenario.dataplane.kind == "external":
        return ExternalDut()
    if scenario.started.host is not None:
        return RemoteDut(scenario)
    return DutChain(scenario, main_cpu)


def generator_cpu(scenario: Scenario, wanted: int | None, allowed: Sequence[int]) -> int:
    """The generator's CPU: as wanted, else the first that the data plane leaves free.

    Raises InputError for a CPU that the data plane has or that isn't there, MissingError without a
    second CPU.
    """
    taken = cpus_here(scenario)
    free = [cpu for cpu in allowed if cpu not in taken]
    if wanted is not None:
        if wanted in free:
            return wanted
        why = (
            "the data plane forwards on it"
            if wanted in taken
            else "it is not available to this process"
        )
        raise InputError(f"CPU {wanted} can't send: {why}", f"--generator-cpu {wanted}")
    if not free:
        raise MissingError(
            "the generator needs a CPU of its own, other than the data plane's",
            "placement.lcores",
            "two CPUs are needed",
        )
    return free[0]


def _is_whole(sent: Mapping[str, Any], forwarded: TrialAnswer) -> bool:
    """What came after the data plane's window is in the ring still."""
    came = sent["total"]["sent"] + sent.get("warm_up_sent", 0)
    return bool(forwarded.packets_in == came and not sent["gave_up"])


def note_used(
    sent: dict[str, Any], before: Used, after: Used, passed_s: float, warm_up_s: float
) -> None:
    """Adds the CPU shares of a trial that was watched for so long, its warm-up with it."""
    dataplane, generator = CPU_SHARES
    shares = [
        min((after.dataplane[cpu] - before.dataplane[cpu]) / passed_s, 1.0)
        for cpu in after.dataplane.keys() & before.dataplane.keys()
    ]
    sent[dataplane] = min(shares, default=None)
    if after.generator is not None and before.generator is not None:
        busy_s = warm_up_s + sent["seconds"] + sent["drain_ms"]["took"] / 1e3
        busy_s += sent["stalls"]["after_ns"] / 1e9  # awake again after the end, it still drains
        sent[generator] = min((after.generator - before.generator) / busy_s, 1.0)
    if after.away is not None and before.away is not None:
        sent[DATAPLANE_AWAY_S], sent[WATCHED_S] = after.away - before.away, passed_s


def _taken(generator: LoadGenerator) -> tuple[int | None, float]:
    """Packets that the first program's ring took by now, and when that was, in seconds; None of a
    generator of others."""
    if not isinstance(generator, Generator):
        return None, 0.0
    asked = time.monotonic()
    sent = int(generator.stats()["total"]["sent"])
    return sent, (asked + time.monotonic()) / 2
