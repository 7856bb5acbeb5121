"""Telemetry: counters at the rates that a search found, in trials of their own.

It never runs during the search, which would then have measured a data plane that is watched. The
data plane is restarted, packets flow at the found rate, and an instrument looks while they do.
Without hardware counters the same figures come from the time-stamp counter and from instructions
that were counted before, by stage; the marks say so.
"""

from __future__ import annotations

import shutil
import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from typing import Any, Literal, Protocol, TypeVar, get_args

import numpy as np
from numpy.typing import NDArray

from planecast.dataplanes import TrialAnswer
from planecast.dataplanes.trial import Windows
from planecast.errors import InputError, PlanecastError
from planecast.host import Root
from planecast.host.clock import tsc_hz
from planecast.host.counters import hardware_counters
from planecast.instruments.canary import CEILING, lines, settled_floor
from planecast.instruments.on_cpu import busy_ns, ran_ns
from planecast.results.estimate import Estimate
from planecast.results.search import SearchAnswer
from planecast.results.student import mean_estimate
from planecast.results.telemetry import TSC, Telemetry
from planecast.scenario.host_cpus import cpus_here
from planecast.scenario.scenario import Scenario
from planecast.search.counting import count, counted, counting
from planecast.search.trial import Trial
from planecast.study.instructions import count_instructions
from planecast.study.profile import bursts_with
from planecast.workload.counts import IO_STAGES, InstructionCounts, by_kind

Instrument = Literal["cycles", "perf", "callgrind", "singlestep", "dpdk"]
INSTRUMENTS: tuple[Instrument, ...] = get_args(Instrument)
AUTO, NONE = "auto", "none"

_LEAD_S = 0.1
"""Packets flow for so long before and after an instrument looks."""
_LOOK_S = 0.3
_LOOKS = 5
_STAGE_LOOKS, _MOST_STAGE_LOOKS, _STAGE_LOOK_S = 12, 24, 0.05
"""Looks by stage, and those at most while too few of them are undisturbed; each is shorter than
most stretches in which another guest is on the core or is not."""
_FEWEST_LOOKS = 3
"""Undisturbed ones, of which there is a mean."""
_PERF_S = 2.0
_WHOLE = 0.95
"""Share of the time from which on a thread that polls has its CPU for itself."""
CORE = "core"

_Found = TypeVar("_Found")
Floats = NDArray[np.float64]
Closing = Callable[[str], None]


class Watched(Protocol):
    """What telemetry needs of a tester of real packets."""

    scenario: Scenario

    def start(self, repetition: int) -> None: ...

    def trial(self, offered_pps: float, seconds: float, number: int) -> Trial: ...

    def by_stage(self, offered_pps: float, seconds: float) -> TrialAnswer | None:
        """A trial that reads the clock between all stages; None for data planes of others."""

    def counters(self) -> dict[str, int]:
        """What its DPDK ports have counted since its start; empty when it is no DPDK program's."""


def instruments(text: str, scenario: Scenario) -> frozenset[Instrument]:
    """Which instruments ``--telemetry`` names. Raises InputError for one that isn't known."""
    if text == NONE:
        return frozenset()
    ours = scenario.dataplane.kind == "ours"
    if text == AUTO:
        found: set[Instrument] = {"cycles", "dpdk"}
        if shutil.which("perf") and hardware_counters() == "there":
            found.add("perf")
        if ours:
            found.add("singlestep")
        return frozenset(found)
    names = [word.strip() for word in text.split(",")]
    strange = [name for name in names if name not in INSTRUMENTS]
    if strange:
        raise InputError(
            f"got '{strange[0]}'", "--telemetry", f"name some of {', '.join(INSTRUMENTS)}, or none"
        )
    steps = {"callgrind", "singlestep"} & set(names)
    if steps and not ours:
        raise InputError(
            f"{sorted(steps)[0]} counts by stage, and {scenario.dataplane.kind} reports none",
            "--telemetry",
            "take cycles, perf or dpdk, or measure planecast's own data plane",
        )
    return frozenset(name for name in INSTRUMENTS if name in names)


def found_rates(answer: SearchAnswer) -> dict[str, float]:
    """The loads at which it looks: the highest that met each goal, the mean of the repetitions."""
    rates = {
        name: sum(bounds.low_pps for bounds in rate.bounds) / len(rate.bounds)
        for name, rate in answer.rates.items()
    }
    return {name: pps for name, pps in rates.items() if pps > 0}


@dataclass
class _Look:
    """One rate on its way."""

    tester: Watched
    pps: float
    trials: list[Trial] = field(default_factory=list)
    marks: list[str] = field(default_factory=list)
    keys: dict[str, Any] = field(default_factory=dict)

    @property
    def cpus(self) -> tuple[int, ...]:
        return cpus_here(self.tester.scenario)

    def while_sending(self, seconds: float, look: Callable[[], _Found]) -> tuple[Trial, _Found]:
        """What `look` finds within a trial that lasts that much longer at both ends."""
        with ThreadPoolExecutor(max_workers=1) as pool:
            made = pool.submit(self.tester.trial, self.pps, seconds + 2 * _LEAD_S, 0)
            time.sleep(_LEAD_S)
            try:
                found = look()
            finally:
                trial = made.result()
        self.trials.append(trial)
        return trial, found


def observe(
    tester: Watched,
    rates: Mapping[str, float],
    wanted: Iterable[Instrument],
    closing: Closing = lambda words: None,
) -> tuple[Telemetry, ...]:
    """What the instruments find at each rate, of a data plane that is restarted.

    An instrument that fails leaves a mark, and the others continue; that packets fail raises
    RunError.
    """
    chosen = frozenset(wanted)
    if not chosen or not rates:
        return ()
    counts, trouble = _instructions(tester.scenario, chosen, closing)
    closing("telemetry: starting the data plane")
    tester.start(0)
    found = []
    for name, pps in rates.items():
        closing(f"telemetry at {name}, {pps / 1e6:.4g} Mpps")
        look = _Look(tester, pps, marks=list(trouble))
        _cycles(look)
        if counts is not None:
            _stages(look, counts)
        if "perf" in chosen:
            _perf(look)
        else:
            look.marks.append(_without_counters())
        if "dpdk" in chosen:
            _ports(look)
        found.append(_observed(name, look))
    return tuple(found)


def _observed(name: str, look: _Look) -> Telemetry:
    offered = sum(trial.offered for trial in look.trials)
    lost = sum(trial.lost for trial in look.trials)
    return Telemetry(
        rate=name,
        offered_pps=look.pps,
        forwarded_pps=mean_estimate([t.forwarded_pps for t in look.trials], "pps", "measured"),
        loss_ratio=lost / offered if offered else 0.0,
        marks=tuple(dict.fromkeys(look.marks)),
        **look.keys,
    )


def _instructions(
    scenario: Scenario, chosen: frozenset[Instrument], closing: Closing
) -> tuple[InstructionCounts | None, list[str]]:
    """Instructions by stage, remembered where they were counted before; and why there are none."""
    wanted: list[Literal["callgrind", "singlestep"]] = []
    if "singlestep" in chosen:
        wanted.append("singlestep")
    if "callgrind" in chosen:
        wanted.append("callgrind")
    for instrument in wanted:
        closing(f"telemetry: counting instructions by {instrument}")
        try:
            return count_instructions(
                scenario, instrument, bursts_with(scenario.placement.burst)
            ), []
        except PlanecastError as error:
            return None, [f"no instructions by {instrument}: {error}"]
    return None, []


def _cycles(look: _Look) -> None:
    """CPP by the identity clock / pps, the clock being that of the time our threads ran."""
    hz = tsc_hz(Root())
    cycles, shares = [], []
    for _ in range(_LOOKS):
        trial, share = look.while_sending(_LOOK_S, lambda: _busy_share(look.cpus))
        shares.append(share)
        if hz is not None and share > 0 and trial.forwarded_pps > 0:
            cycles.append(hz[0] * share / trial.forwarded_pps)
    if not cycles:
        why = "the clock's frequency is unknown" if hz is None else "none of our threads runs there"
        look.marks.append(f"no cycles a packet: {why}")
        return
    look.keys["cycles_per_packet"] = mean_estimate(cycles, "cycles/packet", "measured")
    look.keys["cycles_of"] = TSC
    look.marks.append(
        "cycles are the time-stamp counter's over the time that the forwarding threads ran, empty "
        "polls among them"
    )
    if 0 < min(shares) < _WHOLE * len(look.cpus):
        look.marks.append(
            f"the forwarding threads ran {100 * min(shares) / len(look.cpus):.0f} % of the time at "
            "the least: what else ran there is in the cycles by stage, and in IPC"
        )


def _without_counters() -> str:
    there = hardware_counters()
    return "no hardware counters were asked" if there == "there" else f"counters are {there} here"


def _busy_share(cpus: tuple[int, ...]) -> float:
    """CPUs' worth of our threads on these CPUs over a short time."""
    before, since = busy_ns(cpus), time.monotonic_ns()
    time.sleep(_LOOK_S)
    after = busy_ns(cpus)
    return ran_ns(before, after) / (time.monotonic_ns() - since)


def _stages(look: _Look, counts: InstructionCounts) -> None:
    """Instructions by kind of work at the bursts that there are, and IPC where both are known."""
    looks = _looks_by_stage(look)
    if not looks:
        return
    packets = sum(sum(windows.packets) for windows in looks)
    bursts = sum(sum(windows.bursts) for windows in looks)
    cycles = _by_stage(looks)
    if not (packets and bursts and cycles):
        look.marks.append("no stage forwarded a packet in the looks by stage")
        return
    burst = packets / bursts
    split = by_kind(counts, max(round(burst), 1))
    look.keys["mean_burst"] = burst
    look.keys["split"] = split
    look.keys |= _undisturbed(looks)
    look.keys["busy_cycles_per_packet"] = sum(cycles.values())
    look.keys["stage_cycles"] = cycles
    working = sum(value for name, value in cycles.items() if name not in IO_STAGES)
    if working > 0 and split.processing > 0:
        look.keys["ipc"] = _single(split.processing / working, "instructions/cycle")
    look.keys["instructions_per_packet"] = _single(split.total, "instructions/packet")
    look.marks += [
        f"instructions were counted by {counts.instrument} ({counts.instruction_set}), in bursts "
        "as at the rate; their I/O is that of the data plane's own source, not of the memory "
        "interface",
        "IPC is that of the processing stages: instructions by stage over TSC cycles by stage",
    ]


def _looks_by_stage(look: _Look) -> list[Windows]:
    """Some, and more while few of them are undisturbed; none of a data plane of others."""
    looks: list[Windows] = []
    while len(looks) < _MOST_STAGE_LOOKS:
        if len(looks) >= _STAGE_LOOKS:
            ends = _canaries(looks)
            if ends is None or _quiet(ends).sum() >= _FEWEST_LOOKS:
                break
        answer = look.tester.by_stage(look.pps, _STAGE_LOOK_S)
        if answer is None:
            break
        looks.append(answer.lcores[0].windows)
    return looks


def _canaries(looks: Sequence[Windows]) -> Floats | None:
    """Cycles a round of the compute canary at both ends of each look, shape (looks, 2); None where
    one has none."""
    ends = [(w.canary_compute[0][0], w.canary_compute[-1][1]) for w in looks if w.canary_compute]
    return np.array(ends) if len(ends) == len(looks) and min(map(min, ends)) > 0 else None


def _quiet(ends: Floats) -> NDArray[np.bool_]:
    """At the ends of which looks no other guest ran on the core: those whose canaries read what
    others do, too."""
    known = lines(ends)
    return known.hold(ends) & (len(known.ends) > 0)


def _by_stage(looks: Sequence[Windows]) -> dict[str, float]:
    """TSC cycles a packet by stage, over all bursts whose stages were timed; empty without any."""
    sampled = sum(sum(windows.sampled_packets) for windows in looks)
    names = looks[0].stage_cycles if sampled else ()
    return {name: sum(sum(w.stage_cycles[name]) for w in looks) / sampled for name in names}


def _undisturbed(looks: Sequence[Windows]) -> dict[str, Any]:
    """What another guest on the core changed: in which share of the looks there was one, and the
    cycles of the stages in the others. Nothing where the core's clock may have moved alone."""
    ends = _canaries(looks)
    if ends is None:
        return {}
    quiet = _quiet(ends)
    if not quiet.any() and ends.max() <= CEILING * settled_floor(ends):
        return {}
    found: dict[str, Any] = {"disturbed_share": float(1 - quiet.mean())}
    if _FEWEST_LOOKS <= quiet.sum() < len(looks):
        own = [windows for windows, one in zip(looks, quiet, strict=True) if one]
        found["undisturbed_cycles_per_packet"] = sum(_by_stage(own).values())
    return found


def _perf(look: _Look) -> None:
    """Core cycles and instructions by hardware counters; they take the place of what was there."""
    try:
        plan = counting(look.cpus, _PERF_S)
        trial, recording = look.while_sending(_PERF_S, lambda: count(plan))
        found = counted(plan, recording, trial.forwarded_pps)
    except PlanecastError as error:
        look.marks.append(f"no counters: {error}")
        return
    names = {
        "cycles_per_packet": "cycles",
        "instructions_per_packet": "instructions",
        "ipc": "instructions_per_cycle",
    }
    totals = {key: found.metric(metric) for key, metric in names.items()}
    look.keys |= {key: value for key, value in totals.items() if value is not None}
    if totals["cycles_per_packet"] is not None:
        look.keys["cycles_of"] = CORE
    # What was said of figures that are perf's now no longer holds.
    look.marks = [mark for mark in look.marks if not mark.startswith(("cycles are", "IPC is"))]
    look.keys["events"] = found.events
    look.keys["limits"] = found.explanation.limits
    least = min((event.running for event in found.events.values()), default=1.0)
    if least < 1:
        look.marks.append(
            f"perf's events took turns: the least was counted {100 * least:.0f} % of the time"
        )


def _ports(look: _Look) -> None:
    """What the DPDK ports counted over one trial: read before and after, not during it."""
    try:
        before = look.tester.counters()
        look.trials.append(look.tester.trial(look.pps, _LOOK_S, 0))
        after = look.tester.counters()
    except PlanecastError as error:
        look.marks.append(f"no port counters: {error}")
        return
    if not after:
        look.marks.append("no port counters: it has no DPDK telemetry of ours")
        return
    look.keys["ports"] = {name: value - before.get(name, 0) for name, value in after.items()}


def _single(value: float, unit: str) -> Estimate:
    return Estimate(value=value, samples=1, unit=unit, kind="measured")
