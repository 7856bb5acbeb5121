"""Real packets as a tester: a generator around the programs under test.

planecast's own data plane between two memory interfaces is asked trial by trial, so that it reports
its stages; all others forward from their start on.
"""

from __future__ import annotations

import os
from collections.abc import Mapping
from contextlib import ExitStack
from pathlib import Path
from statistics import fmean
from typing import Any

from planecast.cleanup import private_folder, sweep_leftovers
from planecast.dataplanes import TrialAnswer
from planecast.dataplanes.dut_factory import title_of
from planecast.dataplanes.link_topology import guests_of
from planecast.dataplanes.own_dut import OwnDut
from planecast.engines.measure.testbed import LoadTrial, Testbed, dut_of, generator_cpu
from planecast.engines.measure.tx_pacing import (
    DATAPLANE_AWAY_S,
    WARM_UP_S,
    WATCHED_S,
    bridged_s,
)
from planecast.engines.measure.unmoved_cpus import UnmovedCpus
from planecast.engines.measure.unsupported import refuse_neighbour, refuse_unmeasured
from planecast.errors import InputError
from planecast.instruments.pauses import Pauses
from planecast.process import Planned
from planecast.results.estimate import Kind
from planecast.scenario.host_cpus import cpus_here
from planecast.scenario.points import value_if_any
from planecast.scenario.scenario import Scenario
from planecast.search.pauses import longest_s, round_s, watched
from planecast.search.simulated import refuse_own_load
from planecast.search.tester import Opinion
from planecast.search.trial import Trial

_WARMUP_S = 0.2
_WARMUP_PPS = 1e6
_UPCALL_S = 1e-4
"""Longer than the slow path takes for a flow, which stops the thread that forwards."""
_OPINION_S = 1.0
_WAKES_S = 1e-4
"""By how much nothing may come back for longer than a thread waited for its CPU, each time: until a
burst has passed, and caches are warm."""
_TRIES = 8
"""Times that a trial is made in which the data plane was kept from its CPU until after its end, or
that lost packets while a hypervisor moved the CPUs."""


class MeasuredTester:
    """Trials of real packets. Nothing runs before the first one."""

    kind: Kind = "measured"

    def __init__(self, scenario: Scenario, cpu: int | None) -> None:
        """`cpu` sends; None: the first that is free. Raises InputError for a scenario that can't be
        fed so, MissingError without a second CPU."""
        refuse_own_load(scenario)
        refuse_unmeasured([scenario], searched=True)
        refuse_neighbour(scenario)
        _refuse_spread(scenario)
        self.scenario = scenario
        self._cpu = _sending_cpu(scenario, cpu)
        self._stack = ExitStack()
        self._testbed: Testbed | None = None
        self.dataplane = title_of(scenario)
        self._unmoved: UnmovedCpus | None = None
        self._pauses: Pauses | None = None
        self._pages: str | None = None
        self._round_s: float | None = None

    def planned(self) -> list[Planned]:
        """The processes that each repetition starts, their sockets in a folder called FOLDER here.

        Raises MissingError for a program or a device that isn't here."""
        if self.scenario.dataplane.kind == "external":
            return []
        with private_folder(for_sockets=True) as folder:
            found = self._made().planned(Path(folder))
        return [process.moved(folder, "FOLDER") for process in found]

    def start(self, repetition: int) -> None:
        """Restarts all programs, and sends for a while: caches, tables and pages are warm."""
        self._stack.close()
        sweep_leftovers()
        here = value_if_any(self.scenario, "dataplane.host") is None
        if here and self.scenario.generator.kind == "ours":
            cpu = cpus_here(self.scenario)[0]
            self._unmoved = self._unmoved or UnmovedCpus(cpu, self._cpu)
            self._unmoved.begin()
            self._pauses = watched(cpu)
        self._testbed = self._stack.enter_context(self._made())
        before = self._testbed.dut.turns()
        self._testbed.trial(_WARMUP_PPS, _WARMUP_S + _slow_path_s(self.scenario))
        self._round_s = round_s(before, self._testbed.dut.turns())
        self._pages = self._testbed.dut.pages()

    def trial(self, offered_pps: float, seconds: float, number: int) -> Trial:
        """One trial, read after everything has drained; our generator sends at its rate before it
        counts. Raises RunError when a program is gone."""
        ours = self.scenario.generator.kind == "ours"
        return self._made_trial(offered_pps, seconds, WARM_UP_S if ours else 0.0)

    def burst(self, packets: int, offered_pps: float, number: int) -> Trial:
        """A burst is a trial that is as long as its packets take, from empty queues on."""
        return self._made_trial(offered_pps, packets / offered_pps, 0.0)

    def _made_trial(self, offered_pps: float, seconds: float, warm_up_s: float) -> Trial:
        unmoved, waited_s = self._unmoved, 0.0
        ring_s = bridged_s(self.scenario, offered_pps)
        drain_s = self._joined.dut.drain_s
        for _ in range(_TRIES):
            waited_s += unmoved.wait() if unmoved else 0.0
            done = self._joined.trial(offered_pps, seconds, warm_up_s=warm_up_s)
            made = trial_of(done, offered_pps, seconds, drain_s=drain_s, ring_s=ring_s)
            if done.whole and not (made.lost > 0 and unmoved and unmoved.moved()):
                break
        state = {
            "handoff_ns": None if unmoved is None else unmoved.ns,
            # Our own data plane reads one in each trial.
            "canary_cycles": made.canary_cycles or (unmoved and unmoved.canary_cycles),
            "waited_s": waited_s,
            "pause_s": None if self._pauses is None else longest_s(self._pauses, seconds),
            "pages": self._pages,
            "round_s": self._round_s,
        }
        return made.model_copy(update=state)

    def opinion(self, offered_pps: float, seconds: float) -> Opinion:
        """What the data plane says of itself; ours is asked by `planecast measure`."""
        if not self._joined.dut.reports_cost:
            return Opinion()
        # Counters of cycles include the time of preemption: over a short trial that would be most.
        said = self._joined.opinions(offered_pps, max(seconds, _OPINION_S))
        return Opinion(said.own, said.cycles_per_packet)

    def by_stage(self, offered_pps: float, seconds: float) -> TrialAnswer | None:
        """What our data plane answers to a trial in which it reads its clock in every burst."""
        if not isinstance(self._joined.dut, OwnDut):
            return None
        return self._joined.trial(offered_pps, seconds, every_burst=True).forwarded

    def counters(self) -> dict[str, int]:
        """What the DPDK ports have counted since the start, program by program."""
        return dict(self._joined.dut.counters())

    def close(self) -> None:
        """Ends all programs."""
        self._stack.close()

    def _made(self) -> Testbed:
        dut = dut_of(self.scenario, self._cpu, telemetry=True)
        return Testbed(self.scenario, dut, self._cpu)

    @property
    def _joined(self) -> Testbed:
        assert self._testbed is not None
        return self._testbed


def _slow_path_s(scenario: Scenario) -> float:
    """Seconds until a switch has asked its slow path about each of its rules once."""
    return scenario.dataplane.rules * _UPCALL_S if scenario.dataplane.kind == "ovs" else 0.0


def _refuse_spread(scenario: Scenario) -> None:
    """Raises InputError for lcores that one port can't feed: each program has one. CPUs of what is
    running already are its own."""
    lcores, wanted = scenario.placement.lcores, scenario.dataplane
    if wanted.kind == "external":
        return
    programs = wanted.programs + guests_of(scenario)
    cut = wanted.kind == "ours" and scenario.placement.cuts
    if cut and programs > 1:
        raise InputError(
            "programs in series can't be cut as well", "placement.cuts", "leave one of the two out"
        )
    if cut or lcores > programs == 1:
        raise InputError(
            f"{lcores} lcores forward, but the one port that packets come in at feeds one",
            "placement.lcores",
            "name one CPU",
        )
    if lcores > programs:
        raise InputError(
            f"{lcores} lcores are named, but {programs} programs forward, on one each",
            "placement.lcores",
            f"name {programs} or fewer",
        )


def _sending_cpu(scenario: Scenario, wanted: int | None) -> int:
    """The CPU of our generator, or of what sleeps next to one of others. Another host's CPUs are
    its own affair: there the first that would be free here, too, in case that the host is this one.
    Raises as `generator_cpu` does."""
    allowed = sorted(os.sched_getaffinity(0))
    taken = cpus_here(scenario)
    free = [cpu for cpu in allowed if cpu not in taken]
    if scenario.generator.kind != "ours":
        return allowed[0]
    if value_if_any(scenario, "dataplane.host") is not None and (wanted in allowed or not free):
        return allowed[0] if wanted is None else wanted
    return generator_cpu(scenario, wanted, allowed)


def trial_of(
    done: LoadTrial,
    offered_pps: float,
    seconds: float,
    *,
    drain_s: float,
    ring_s: float = float("inf"),
) -> Trial:
    """The generator's answer as a trial. What found a full ring was offered, and is lost.

    `ring_s` is for how long the data plane may be away without a loss."""
    sent = done.sent
    total = sent["total"]
    latency = total["latency_ns"] or {}
    stalls = sent.get("stalls", {"unsent": 0, "longest_ns": 0.0})
    unsent = (total["unsent"] - total["refused"]) if total["asked"] else 0
    away = min(stalls["unsent"], unsent)
    longest_s = stalls["longest_ns"] / 1e9
    raw_away_s = sent.get(DATAPLANE_AWAY_S)
    dataplane_away_s = None
    if raw_away_s is not None:
        dataplane_away_s = raw_away_s * min(seconds / sent[WATCHED_S], 1.0)
    lost = total["lost"] + total["refused"]
    silent_s, silent_lost = _silence(sent, raw_away_s)
    rest_s = min(raw_away_s or 0.0, seconds) - (silent_s or 0.0)
    while_away = (rest_s - ring_s) * offered_pps
    return Trial(
        intended_pps=offered_pps,
        intended_seconds=seconds,
        seconds=max(sent["seconds"], 1e-9),
        offered=total["sent"] + total["refused"],
        received=total["sent"] - total["lost"],
        unsent=unsent - away,
        away=away,
        longest_stall_s=longest_s,
        dataplane_away_s=dataplane_away_s,
        silent_s=silent_s,
        silent_lost=silent_lost,
        lost_cpu=0 < lost - silent_lost <= while_away,
        canary_cycles=_canary(done),
        dataplane_cpu=sent.get("dataplane_cpu"),
        generator_cpu=sent.get("generator_cpu"),
        drained=done.whole and not sent["running"] and sent["drain_ms"]["took"] >= 900 * drain_s,
        latency_ns={name: latency[name] for name in ("mean", "p50", "p99") if name in latency},
    )


def _silence(sent: Mapping[str, Any], away_s: float | None) -> tuple[float | None, int]:
    """For how long nothing came back while the data plane waited for its CPU, and packets lost in
    it. None where the generator doesn't say, or packets are lost and none refused; and where the
    kernel knows of no wait so long: then it paused by itself, and what it lost counts."""
    silence = sent.get("silence")
    if silence is None or away_s is None:
        return None, 0
    silent_s = silence["ns"] / 1e9
    if silent_s > away_s + _WAKES_S * silence["count"]:
        return None, 0
    if sent["total"]["lost"] > 0 and sent["total"]["refused"] == 0:
        return None, 0
    return silent_s, silence["lost"]


def _canary(done: LoadTrial) -> float | None:
    """Of a data plane that is asked trial by trial, the one that forwards first."""
    if done.forwarded is None:
        return None
    pairs = done.forwarded.lcores[0].windows.canary_compute
    return fmean(pairs[0]) if pairs and min(pairs[0]) > 0 else None
