"""The simulation of measured loads, in as many short trials, estimated by the same rule.

A measured load is a low quantile over trials, and trials differ: in how fast the machine was, and
in when it was preempted. So a simulated trial has both from measurements that are independent of
the curve: the capacity of one trial at overload, and a stretch of a recording of what took both
CPUs away, at a random offset. What is lost and how long it takes then follows.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from planecast.engines.measure.load_estimate import (
    Floats,
    LoadEstimator,
    of_moved_rounds,
    whole_trials,
)
from planecast.engines.measure.load_pauses import BothPauses
from planecast.engines.measure.load_sweep import (
    MeasuredLoad,
    MeasuredLoads,
    forwarded_pps,
)
from planecast.engines.measure.load_trials import OVERLOAD, RX_RING, Columns
from planecast.engines.measure.tx_pacing import WARM_UP_S, catch_up_us
from planecast.engines.simulate.generator_latency import GeneratorLatency
from planecast.engines.simulate.port import Port
from planecast.engines.simulate.trials import DRAIN_S, Away, Trial, TrialAnswer, simulate_trials
from planecast.engines.simulate.tx_schedule import TxSchedule
from planecast.model.calibration import Calibration
from planecast.results.estimate import Estimate
from planecast.results.manifest import Manifest
from planecast.results.result import Result

FEWEST, MOST = 100, 1000
"""Simulated trials of a load; between them, as many as were measured."""
_SLOWEST = 0.5
"""A busy sibling hyper-thread costs less than half (planecast.instruments.canary has the same
bound)."""
_OTHER = "other"
"""Cause of what is lost elsewhere."""
_CANARIES = tuple(f"canary_compute_{end}" for end in ("before", "after"))


@dataclass(frozen=True)
class ReplayedLoads:
    """What the simulation says of all loads."""

    results: list[Result]
    losses: list[Estimate]
    knee: Estimate | None
    disturbed_share: float
    """Share of the simulated trials that the measurement's rule calls disturbed."""


@dataclass(frozen=True)
class States:
    """States of the machine, a row each: those of the trials at overload."""

    speeds: Floats
    """Of the lcore, as a share of what the estimated capacity needs; its pauses don't count."""
    canaries: Floats
    """Before and after, a row a state."""

    @classmethod
    def of(cls, measured: MeasuredLoads, away: float) -> States:
        """Of the whole trials at overload; `away` is the share of time that pauses took. What is
        slower than a busy hyper-thread makes it was stopped: that is a pause, and in them."""
        columns = measured.estimator.columns
        rows = (columns["point"] == OVERLOAD) & whole_trials(columns)
        capacities = columns["forwarded"][rows] / columns["seconds"][rows] / (1 - away)
        speeds = capacities / measured.capacity_pps.value
        canaries = np.stack([columns[name][rows] for name in _CANARIES], axis=1)
        ran = speeds >= _SLOWEST
        return cls(speeds[ran], canaries[ran])


def replayed_loads(
    measured: MeasuredLoads,
    pauses: BothPauses,
    port: Port,
    calibration: Calibration,
    manifest: Manifest,
) -> ReplayedLoads:
    """Simulates each measured load. Raises as simulate_trials does."""
    # In a trial that counts as a state there is no longer stop.
    away = pauses.lcore_share((1 - _SLOWEST) * measured.trial_seconds)
    states = States.of(measured, away)
    columns = measured.estimator.columns
    trials = int(np.clip(len(np.unique(columns["round"])), FEWEST, MOST))
    overload = (columns["point"] == OVERLOAD) & ~of_moved_rounds(columns)
    pace = np.median((columns["offered"] / columns["seconds"])[overload])
    tables, results = [_calibrating(columns)], []
    for load in measured.loads:
        random = np.random.default_rng((manifest.seed, load.point))
        sending = _sending(load, measured.trial_seconds, float(pace))
        drawn = [_trial(sending, states, pauses, number, random) for number in range(trials)]
        result, answers = simulate_trials(
            load.result.scenario,
            [trial for trial, _ in drawn],
            calibration,
            manifest,
            seconds=measured.trial_seconds,
            warm_up_s=WARM_UP_S,
            port=port,
            tester=_tester(load),
        )
        results.append(result)
        unsent = [count for _, count in drawn]
        tables.append(_rows(load.point, measured.trial_seconds, states, answers, unsent))
    names = tables[-1].keys()
    joined = {name: np.concatenate([table[name] for table in tables]) for name in names}
    return _estimated(measured, LoadEstimator.of(joined, "simulated"), results)


def _sending(load: MeasuredLoad, seconds: float, pace_pps: float) -> TxSchedule:
    scenario = load.result.scenario
    rate = _offered_pps(load)
    catch_up_s = catch_up_us(scenario, rate) * 1e-6
    return TxSchedule(rate, seconds, load.usual_burst, catch_up_s, pace_pps, WARM_UP_S)


def _tester(load: MeasuredLoad) -> GeneratorLatency | None:
    if load.receive_call_ns <= 0:
        return None
    return GeneratorLatency(load.send_call_ns, load.receive_wait_ns, load.receive_call_ns)


def _trial(
    sending: TxSchedule,
    states: States,
    pauses: BothPauses,
    number: int,
    random: np.random.Generator,
) -> tuple[Trial, int]:
    """A trial, and how many packets its generator gives up."""
    # Both CPUs at the same instant: what takes away one may take away the other.
    whole = sending.warm_up_s + sending.seconds + DRAIN_S
    lcore, generator = pauses.within(number, float(random.random()), whole)
    sent, unsent = sending.instants(*generator, random)
    speed = float(states.speeds[number % len(states.speeds)])
    return Trial(sent, Away(*lcore), Away(*generator), speed), unsent


def _rows(
    point: int,
    seconds: float,
    states: States,
    answers: Sequence[TrialAnswer],
    unsent: Sequence[int],
) -> Columns:
    """Simulated trials as the table of measured ones has them."""
    count = len(answers)
    canaries = states.canaries[np.arange(count) % len(states.canaries)]
    columns = {
        "point": [point] * count,
        "round": range(count),
        "whole": [1] * count,
        "seconds": [seconds] * count,
        "offered": [one.offered for one in answers],
        "forwarded": [one.offered - one.lost for one in answers],
        "unsent": unsent,
        f"lost_{RX_RING}": [one.drops.get(RX_RING, 0) for one in answers],
        f"lost_{_OTHER}": [sum(one.drops.values()) - one.drops.get(RX_RING, 0) for one in answers],
        "mean_ns": [one.mean_ns for one in answers],
        "p50_ns": [one.p50_ns for one in answers],
        "p99_ns": [one.p99_ns for one in answers],
    }
    found = {name: np.asarray(column, dtype=np.float64) for name, column in columns.items()}
    return found | {name: canaries[:, number] for number, name in enumerate(_CANARIES)}


def _calibrating(columns: Columns) -> Columns:
    """The measured trials without loads: canaries are judged next to theirs, here as there. Rounds
    in which a hypervisor moved the CPUs count for nothing there."""
    rows = (columns["point"] < 0) & ~of_moved_rounds(columns)
    nothing = np.full(int(rows.sum()), np.nan)
    names = ("point", "round", "whole", "seconds", "offered", "forwarded", "unsent", *_CANARIES)
    found = {name: columns[name][rows] for name in names}
    others = (f"lost_{RX_RING}", f"lost_{_OTHER}", "mean_ns", "p50_ns", "p99_ns")
    return found | dict.fromkeys(others, nothing)


def _estimated(
    measured: MeasuredLoads, estimator: LoadEstimator, results: Sequence[Result]
) -> ReplayedLoads:
    loads = measured.loads
    points = [load.point for load in loads]
    return ReplayedLoads(
        [_result(estimator, load, result) for load, result in zip(loads, results, strict=True)],
        [estimator.loss(point) for point in points],
        estimator.knee(points, [_offered_pps(load) for load in loads]),
        float(1 - estimator.good[estimator.columns["point"] >= 0].mean()),
    )


def _offered_pps(load: MeasuredLoad) -> float:
    return load.result.scenario.traffic.offered_pps or 0.0


def _result(estimator: LoadEstimator, load: MeasuredLoad, one: Result) -> Result:
    """The Result of all trials of a load, from one of theirs."""
    columns, rows = estimator.columns, estimator.of_point(load.point)
    good = estimator.good[columns["point"] == load.point]
    drops = {cause: int(columns[f"lost_{cause}"][rows].sum()) for cause in (RX_RING, _OTHER)}
    changes = {
        "throughput_pps": forwarded_pps(_offered_pps(load), estimator.loss(load.point)),
        "packets_in": int(columns["offered"][rows].sum()),
        "packets_out": int(columns["forwarded"][rows].sum()),
        "drops": {cause: count for cause, count in drops.items() if count},
        "latency_ns": {
            name: estimator.low(load.point, columns[f"{name}_ns"], "ns")
            for name in ("mean", "p50", "p99")
        },
        "latency_histogram": None,
        "disturbed_share": float(1 - good.mean()),
    }
    return one.model_copy(update=changes)
