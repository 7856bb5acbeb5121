"""Measuring at offered loads: rounds over a ladder of loads, between a generator and a data plane.

First a look at the capacity, which the ladder is a share of; then rounds. Each has every load once
in random order, and among them overload, no load, packets one by one, and a look at what takes the
CPUs away: the simulation's inputs are measured in the same states of the machine as the curve.
"""

from __future__ import annotations

import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from planecast.dataplanes import TrialAnswer
from planecast.engines.measure.load_estimate import QUANTILE, Floats, LoadEstimator
from planecast.engines.measure.load_pauses import RECORDING_S, PauseTable
from planecast.engines.measure.load_trials import (
    IDLE,
    OVERLOAD,
    PAUSES,
    RX_RING,
    SINGLE,
    UNACCOUNTED,
    LoadTable,
)
from planecast.engines.measure.testbed import LoadTrial, Testbed, dut_of
from planecast.engines.measure.tx_pacing import WARM_UP_S
from planecast.engines.measure.unmoved_cpus import UnmovedCpus
from planecast.engines.measure.unsupported import (
    refuse_long_frames,
    refuse_neighbour,
    refuse_unmeasured,
    refuse_without_effect,
)
from planecast.errors import InputError, RunError
from planecast.instruments.pauses import Pauses, watch_pauses
from planecast.progress import Progress
from planecast.results.estimate import Estimate
from planecast.results.manifest import Manifest
from planecast.results.result import Result, StageResult
from planecast.scenario.dataplane import OWN
from planecast.scenario.host_cpus import cpus_here
from planecast.scenario.scenario import Scenario

DEFAULT_LOADS = (
    *(0.05, 0.1, 0.25, 0.5, 0.58, 0.66, 0.7, 0.74, 0.78),
    *(0.82, 0.86, 0.9, 0.94, 0.97, 1.0, 1.03, 1.1, 1.2),
)
"""Shares of the capacity at a first look, which may be the best moment of a machine that moves: the
knee is where they are dense."""
IDLE_S = 0.002
SINGLE_LOAD = 1 / 32
"""Share of the capacity at which a packet has gone before the next one comes: one in the time that
a full burst takes."""
_LOOKS = 5
"""Least number of trials at overload that the ladder's capacity is taken from."""
_LOOKING = 0.1
"""Time for them, as a share of the budget's, on top of it."""
_REACHED = 0.98
"""A generator that offers less than this share of a load can't offer it."""


@dataclass(frozen=True)
class LoadBudget:
    """How a curve is measured."""

    loads: tuple[float, ...] = DEFAULT_LOADS
    """Offered loads as shares of the capacity, ascending."""
    seconds: float = 60.0
    """Time for all rounds."""
    trial_seconds: float = 0.003
    """How long a trial sends. Short ones are either clean or visibly not: every few milliseconds
    something takes a virtual CPU for longer than a ring of 128 can bridge."""
    restarts: int = 2
    """Times that both programs are started again."""

    def __post_init__(self) -> None:
        if len(self.loads) < 2 or any(not 0 < load <= 10 for load in self.loads):
            raise InputError("a curve needs two loads or more, each above 0 and up to 1000 %")
        if list(self.loads) != sorted(set(self.loads)):
            raise InputError("the loads are not in ascending order, each once")


@dataclass(frozen=True)
class MeasuredLoad:
    """One load of a curve."""

    point: int
    """Its number in the trials."""
    result: Result
    loss: Estimate
    unsent: int
    mean_burst: float
    usual_burst: float
    """The same as the low quantile over trials: what goes at once when nothing paused."""
    send_call_ns: float
    receive_call_ns: float
    receive_wait_ns: float
    trials: int


@dataclass(frozen=True)
class MeasuredLoads:
    """What measuring at loads gives."""

    loads: list[MeasuredLoad]
    """Those that the generator could offer, ascending."""
    capacity_pps: Estimate
    poll_cycles: Estimate
    single_cycles: Estimate
    knee: Estimate | None
    disturbed_share: float
    trial_seconds: float
    tsc_hz: float
    estimator: LoadEstimator
    """The trials, and which of them count."""
    notes: list[str]


def check_scenario(scenario: Scenario) -> None:
    """Raises InputError for what a ladder of loads over one port can't be made of."""
    if scenario.dataplane.kind != OWN:
        raise InputError(
            "a curve simulates what it measures, and the simulator plays planecast's own "
            f"pipelines, not {scenario.forwards}",
            "dataplane.kind",
            "search for its rates: planecast search",
        )
    if scenario.traffic.at_a_rate:
        raise InputError(
            "a rate or a capture is set, but a curve goes through loads of its own",
            f"{scenario.name}: traffic",
            "leave traffic.offered_pps, traffic.arrivals and traffic.pcap out",
        )
    refuse_unmeasured([scenario])
    refuse_long_frames(scenario)
    refuse_without_effect(scenario)
    refuse_neighbour(scenario)
    if scenario.placement.lcores != 1:
        raise InputError(
            f"{scenario.placement.lcores} lcores forward, but a memory interface feeds one",
            "placement.lcores",
            "name one CPU",
        )


def measure_loads(
    scenario: Scenario,
    cpu: int,
    budget: LoadBudget,
    manifest: Manifest,
    *,
    table: LoadTable,
    pauses: PauseTable,
    progress: Progress = lambda done, total, words: None,
) -> MeasuredLoads:
    """Measures loss and latency at each load, the generator on `cpu`, for ``budget.seconds``.

    `table` receives the raw trials as they come, `pauses` what took the CPUs away. Raises
    InputError for a scenario that can't be fed so, RunError and MissingError as the programs do,
    and when no trial counts.
    """
    check_scenario(scenario)
    random = np.random.default_rng(manifest.seed)
    unmoved = UnmovedCpus(cpu, cpus_here(scenario)[0])
    round_ = 0
    rates: list[float] = []
    capacity = 0.0
    for restart in range(budget.restarts):
        progress(budget.seconds * restart / budget.restarts, budget.seconds, "building the tables")
        unmoved.begin()
        with Testbed(scenario, dut_of(scenario, cpu), cpu) as testbed:
            until = time.monotonic() + budget.seconds / budget.restarts
            if not rates:
                capacity = _capacity_pps(testbed, budget.trial_seconds, _LOOKING * budget.seconds)
                rates = [load * capacity for load in budget.loads]
            while time.monotonic() < until:
                lost_s, began = unmoved.wait(), time.monotonic()
                for point, trial in _round(
                    testbed, rates, capacity * SINGLE_LOAD, budget.trial_seconds, random
                ):
                    if isinstance(trial, list):
                        pauses.append(round_, restart, trial)
                    else:
                        table.append(point, round_, restart, trial, handoff_ns=unmoved.ns)
                if unmoved.moved():
                    table.mark_moved(round_)
                    lost_s += time.monotonic() - began
                until += lost_s
                round_ += 1
                done = budget.seconds * (restart + 1) / budget.restarts - (until - time.monotonic())
                progress(min(done, budget.seconds), budget.seconds, f"round {round_}")
    made_by = manifest.model_copy(update={"engine": "measure"})
    return _measured(scenario, budget, rates, table, made_by, notes=_of_moves(unmoved))


def _of_moves(unmoved: UnmovedCpus) -> list[str]:
    """What a hypervisor did to the CPUs while it measured; nothing where it left them alone."""
    if unmoved.waited_s + unmoved.moves == 0:
        return []
    return [
        "the hypervisor moved the CPUs of generator and data plane: trials waited "
        f"{unmoved.waited_s:.1f} s for them, and rounds in which they were moved are left out: "
        f"{unmoved.moves}"
    ]


def _capacity_pps(testbed: Testbed, seconds: float, patience_s: float) -> float:
    """What is forwarded at overload, at a first look: the ladder's shares are of it.

    The most in any trial over `patience_s`: a busy machine is slow for seconds, and a ladder that
    ends below the knee is no good. Raises RunError when it is nothing.
    """
    until = time.monotonic() + patience_s
    rates: list[float] = []
    while len(rates) < _LOOKS or time.monotonic() < until:
        sent = testbed.trial(None, seconds, warm_up_s=WARM_UP_S).sent
        rates.append(sent["total"]["received"] / sent["seconds"])
    capacity = max(rates)
    if capacity <= 0:
        raise RunError("the data plane forwarded nothing at overload")
    return float(capacity)


def _round(
    testbed: Testbed,
    rates: Sequence[float],
    single: float,
    seconds: float,
    random: np.random.Generator,
) -> Iterator[tuple[int, LoadTrial | TrialAnswer | list[Pauses]]]:
    """A trial of each load and of what calibrates, in random order, with its point."""
    for number in random.permutation([IDLE, OVERLOAD, SINGLE, PAUSES, *range(len(rates))]):
        point = int(number)
        if point == PAUSES:
            yield point, watch_pauses(testbed.cpus, RECORDING_S)
        elif point == IDLE:
            yield point, testbed.idle(IDLE_S)
        elif point == OVERLOAD:
            yield point, testbed.trial(None, seconds, warm_up_s=WARM_UP_S)
        elif point == SINGLE:
            yield point, testbed.trial(single, seconds, every_burst=True, warm_up_s=WARM_UP_S)
        else:
            yield point, testbed.trial(rates[point], seconds, warm_up_s=WARM_UP_S)


def _measured(
    scenario: Scenario,
    budget: LoadBudget,
    rates: Sequence[float],
    table: LoadTable,
    manifest: Manifest,
    *,
    notes: Sequence[str],
) -> MeasuredLoads:
    columns = table.columns()
    estimator = LoadEstimator.of(columns)
    for point in (IDLE, OVERLOAD, SINGLE):
        if not estimator.of_point(point).any():
            raise RunError(
                "no trial was whole: both programs were kept from their CPUs all the time",
                what_to_do="measure for longer (--seconds), or while the machine is quieter",
            )
    single = estimator.busy(SINGLE)
    if single is None:
        raise RunError("no packet that came alone was timed", what_to_do="measure for longer")
    notes, loads, reached = [*notes], [], []
    for point, rate in enumerate(rates):
        offered = _offered_pps(estimator, point)
        if offered is None or offered < _REACHED * rate:
            what = "no whole trial" if offered is None else f"{offered / 1e6:.3g} Mpps at the most"
            notes.append(
                f"the load of {100 * budget.loads[point]:g} % ({rate / 1e6:.3g} Mpps) is left out: "
                f"the generator gave {what}"
            )
            continue
        at = scenario.traffic.model_copy(update={"offered_pps": offered})
        reached.append((point, offered))
        loads.append(_load(estimator, point, scenario.model_copy(update={"traffic": at}), manifest))
    if len(loads) < 2:
        raise RunError("the generator could offer fewer than two of the loads: " + "; ".join(notes))
    few = [f"{100 * budget.loads[point]:g} %" for point, _ in reached if estimator.late(point)]
    if few:
        notes.append(
            f"the generator was late in nearly all trials at {', '.join(few)}: all that are whole "
            "count there"
        )
    traffic = columns["point"] >= 0
    return MeasuredLoads(
        loads=loads,
        capacity_pps=estimator.capacity(),
        poll_cycles=estimator.poll_cycles(),
        single_cycles=single,
        knee=estimator.knee([point for point, _ in reached], [pps for _, pps in reached]),
        disturbed_share=float(1 - estimator.good[traffic].mean()),
        trial_seconds=budget.trial_seconds,
        tsc_hz=float(columns["tsc_hz"][0]),
        estimator=estimator,
        notes=notes,
    )


def _offered_pps(estimator: LoadEstimator, point: int) -> float | None:
    """What came to the ring, or found it full, in trials in which the generator was not paused: the
    90th percentile of those that count."""
    rows = estimator.of_point(point)
    if not rows.any():
        return None
    columns = estimator.columns
    return float(np.quantile(columns["offered"][rows] / columns["seconds"][rows], 0.9))


def _load(
    estimator: LoadEstimator, point: int, scenario: Scenario, manifest: Manifest
) -> MeasuredLoad:
    columns, rows = estimator.columns, estimator.of_point(point)
    good = estimator.good[columns["point"] == point]
    offered = scenario.traffic.offered_pps or 0.0
    loss = estimator.loss(point)
    drops = _lost(estimator, point)
    result = Result(
        scenario=scenario,
        throughput_pps=forwarded_pps(offered, loss),
        cycles_per_packet=_busy(estimator, point),
        stages=_stages(estimator, point),
        packets_in=int(columns["offered"][rows].sum()),
        packets_out=int(columns["forwarded"][rows].sum()),
        drops=drops,
        latency_ns={
            name: estimator.low(point, columns[f"{name}_ns"], "ns")
            for name in ("mean", "p50", "p99")
            if np.isfinite(columns[f"{name}_ns"][rows]).any()
        },
        capped_by="ring" if drops.get(RX_RING) and loss.value > 0 else "generator",
        disturbed_share=float(1 - good.mean()),
        notes=(f"unaccounted packets: {drops[UNACCOUNTED]}",) if UNACCOUNTED in drops else (),
        manifest=manifest,
    )
    return MeasuredLoad(
        point=point,
        result=result,
        loss=loss,
        unsent=int(columns["unsent"][rows].sum()),
        mean_burst=float(np.median(columns["mean_burst"][rows])),
        usual_burst=_usual(columns["mean_burst"][rows]),
        send_call_ns=_usual(columns["send_call_ns"][rows]),
        receive_call_ns=_usual(columns["receive_call_ns"][rows]),
        receive_wait_ns=_usual(columns["receive_wait_ns"][rows]),
        trials=len(good),
    )


def _usual(values: Floats) -> float:
    """What the tester itself takes: the low quantile over trials, as of latencies; 0 if unknown."""
    known = values[np.isfinite(values)]
    return float(np.quantile(known, QUANTILE)) if known.size else 0.0


def _lost(estimator: LoadEstimator, point: int) -> dict[str, int]:
    """Packets lost by cause, over all trials that count."""
    columns, rows = estimator.columns, estimator.of_point(point)
    sums = {
        name.removeprefix("lost_"): int(np.nansum(columns[name][rows]))
        for name in columns
        if name.startswith("lost_")
    }
    return {cause: count for cause, count in sums.items() if count}


def _stages(estimator: LoadEstimator, point: int) -> dict[str, StageResult]:
    found = {name: estimator.stage_cycles(point, (name,)) for name in estimator.stages}
    return {name: StageResult(cycles_per_packet=cost) for name, cost in found.items() if cost}


def forwarded_pps(offered: float, loss: Estimate) -> Estimate:
    """What is forwarded of so many packets a second with such a loss."""
    high = loss.value if loss.high is None else loss.high
    low = loss.value if loss.low is None else loss.low
    return Estimate(
        value=offered * (1 - loss.value),
        low=offered * (1 - high),
        high=offered * (1 - low),
        samples=loss.samples,
        unit="pps",
        kind=loss.kind,
    )


def _busy(estimator: LoadEstimator, point: int) -> Estimate:
    """TSC cycles that a packet kept the core busy, in bursts as they came at this load."""
    sampled = estimator.busy(point)
    if sampled is not None:
        return sampled
    # Without the stage clock nothing distinguishes busy polls from empty ones.
    columns = estimator.columns
    with np.errstate(divide="ignore", invalid="ignore"):
        return estimator.low(point, columns["cycles"] / columns["packets"], "cycles/packet")
