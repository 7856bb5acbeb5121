"""Many short trials of one load, each from empty rings on, with pauses that were recorded.

What a measured trial meets is drawn beforehand, trial by trial: when the generator could send, when
lcore and generator were preempted, and how fast the lcore ran. The simulator gets those alone.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from planecast.engines.simulate import _simulator as sim
from planecast.engines.simulate.drops import lost_by_cause
from planecast.engines.simulate.engine import over_port, played, prepare
from planecast.engines.simulate.generator_latency import (
    TESTER,
    GeneratorLatency,
    with_generator_latency,
)
from planecast.engines.simulate.model import Recording, model_of
from planecast.engines.simulate.port import Port
from planecast.engines.simulate.to_result import to_result
from planecast.errors import InputError
from planecast.model.calibration import Calibration
from planecast.results.manifest import Manifest
from planecast.results.result import Result
from planecast.scenario.scenario import Scenario

Floats = NDArray[np.float64]

DRAIN_S = 0.001
"""After the last packet is due: a ring of 1,024 is empty in a quarter of it."""


@dataclass(frozen=True)
class Away:
    """When a CPU is preempted: seconds from the warm-up's beginning, ascending; how long."""

    starts_s: Floats
    lengths_s: Floats

    def disturbances(self) -> list[sim.Disturbance]:
        """The same for the core."""
        if not len(self.starts_s):
            return []
        return [
            sim.Disturbance(
                name="recorded",
                starts_ns=(self.starts_s * 1e9).tolist(),
                lengths_ns=(self.lengths_s * 1e9).tolist(),
            )
        ]


@dataclass(frozen=True)
class Trial:
    """What one trial meets."""

    sent_s: Floats
    """When each packet leaves the generator, seconds from the warm-up's beginning; none where it
    was away for all of the trial."""
    lcore: Away
    tester: Away
    speed: float
    """Of the lcore: 1 where bursts cost what the port says, less where they cost more."""


@dataclass(frozen=True)
class TrialAnswer:
    """What became of its packets, without the warm-up's."""

    offered: int
    lost: float
    """Packets, those that were dropped in the trial's time."""
    drops: dict[str, int]
    """By cause, the warm-up's included."""
    mean_ns: float
    p50_ns: float
    p99_ns: float


NOTHING_SENT = TrialAnswer(0, 0.0, {}, math.nan, math.nan, math.nan)


def simulate_trials(
    scenario: Scenario,
    trials: Sequence[Trial],
    calibration: Calibration,
    manifest: Manifest,
    *,
    seconds: float,
    warm_up_s: float,
    port: Port,
    tester: GeneratorLatency | None,
) -> tuple[Result, list[TrialAnswer]]:
    """Each trial's answer, and the Result of the one that forwards the most.

    Trials send for `seconds`, after a warm-up that isn't counted. The scenario has one lcore, no
    card and an offered load. Raises as simulate does, and InputError when no trial sends.
    """
    sending = [trial for trial in trials if trial.sent_s.size]
    if not sending:
        raise InputError("there is no trial to simulate in which a packet is sent")
    duration = Recording(duration_ns=(warm_up_s + seconds + DRAIN_S) * 1e9)
    (plain,) = prepare([scenario], calibration, manifest, duration, 0.01)
    asked = over_port(plain, port)

    def model(trial: Trial) -> sim.Model:
        found = model_of(asked, precision=0.01, seed=scenario.traffic.seed, recording=duration)
        if tester is not None:
            found = with_generator_latency(found, tester, scenario.placement.tx_ring)
        run = found.run
        run.warmup_ns = warm_up_s * 1e9
        found.run = run
        return _with_states(found, trial)

    answers = played([model(trial) for trial in sending])
    made_by = manifest.model_copy(update={"engine": "simulate"})
    found = iter(answers)
    fullest = max(answers, key=lambda one: one.forwarded)
    return to_result(asked, fullest, made_by), [
        _answer(next(found), int(np.sum(trial.sent_s >= warm_up_s)))
        if trial.sent_s.size
        else NOTHING_SENT
        for trial in trials
    ]


def _with_states(model: sim.Model, trial: Trial) -> sim.Model:
    (source,) = model.sources
    source.arrivals = sim.Arrivals(
        kind=sim.ArrivalKind.timestamps, times_ns=(trial.sent_s * 1e9).tolist()
    )
    model.sources = [source]
    cores = list(model.cores)
    for core in cores:
        if core.name == TESTER:
            core.disturbances = trial.tester.disturbances()
        else:
            core.clock_hz *= trial.speed
            core.disturbances = [*core.disturbances, *trial.lcore.disturbances()]
    model.cores = cores
    return model


def _answer(found: sim.Results, offered: int) -> TrialAnswer:
    drops = lost_by_cause(found)
    if found.latency.total == 0:
        return TrialAnswer(offered, offered, drops, math.nan, math.nan, math.nan)
    return TrialAnswer(
        offered=offered,
        lost=found.loss_ratio.value * offered,
        drops=drops,
        mean_ns=found.latency.mean,
        p50_ns=float(found.latency.percentile(50)),
        p99_ns=float(found.latency.percentile(99)),
    )
