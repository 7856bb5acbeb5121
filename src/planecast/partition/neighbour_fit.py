"""What a few neighbours show about all others: how much cache is shared, how much of it shows.

A data plane alone says little about the last level beyond what it uses: calibrations with a fourth
of it and with eight times as much fit nearly as well. What a neighbour costs depends on just that.
So some neighbours of a study are measured first, and two numbers are fitted to what they cost: the
size of the shared cache, and how much of what the model adds shows. Both are held near 1 by how
well they are known beforehand, so few or noisy points move them little.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

from planecast.generators.neighbour import Work
from planecast.model.calibration import Calibration
from planecast.model.prediction import predict
from planecast.partition.neighbour_prediction import Asked
from planecast.results.estimate import Estimate
from planecast.scenario.model import Noun
from planecast.scenario.scenario import Scenario

CACHE_FACTORS = (0.35, 0.5, 0.7, 1.0, 1.4, 2.0, 2.8)
_CACHE_KNOWN, _SHOWN_KNOWN = math.log(2.0), 0.5
"""Standard deviations of what is known before: the cache within a factor of two, half of what
shows."""
_LEAST_NOISE = 0.02
"""Of a measured slowdown: two visits of one point differ by at least so much."""


class NeighbourFit(Noun):
    """What was learnt from the neighbours that were measured first."""

    cache_factor: float = 1.0
    """Size of the shared cache over the calibrated one."""
    shown: float = 1.0
    """How much of what the model adds for a neighbour shows."""
    points: int = 0
    """Neighbours that it rests on."""

    def machine(self, calibration: Calibration) -> Calibration:
        """The calibration with the cache as it was found."""
        if self.cache_factor == 1.0:
            return calibration
        hierarchy = calibration.hierarchy.with_last_level(self.cache_factor)
        return calibration.model_copy(update={"hierarchy": hierarchy})

    def slowdown(self, predicted: float) -> float:
        """What shows of a predicted slowdown; at least a hundredth of the speed stays."""
        return max(0.01, 1 + self.shown * (predicted - 1))


@dataclass(frozen=True)
class MeasuredNeighbour:
    """A neighbour that was measured first."""

    work: Work
    slowdown: Estimate
    """Measured cycles a packet over those next to an idle one."""


def fit_neighbours(
    calibration: Calibration,
    scenario: Scenario,
    known: Sequence[MeasuredNeighbour],
    memory_gbs: float | None,
) -> NeighbourFit:
    """The cache and the share that fit best; both 1 where nothing was measured."""
    if not known:
        return NeighbourFit()
    noise = [_noise(one.slowdown) for one in known]
    measured = [one.slowdown.value - 1 for one in known]
    best, least = NeighbourFit(), math.inf
    for factor in CACHE_FACTORS:
        machine = NeighbourFit(cache_factor=factor).machine(calibration)
        added = [_added(machine, scenario, one.work, memory_gbs) for one in known]
        shown = _shown(added, measured, noise)
        misfit = sum(
            ((m - shown * a) / n) ** 2 for m, a, n in zip(measured, added, noise, strict=True)
        )
        misfit += ((shown - 1) / _SHOWN_KNOWN) ** 2 + (math.log(factor) / _CACHE_KNOWN) ** 2
        if misfit < least:
            least = misfit
            best = NeighbourFit(cache_factor=factor, shown=shown, points=len(known))
    return best


def _added(machine: Calibration, scenario: Scenario, work: Work, memory_gbs: float | None) -> float:
    asked = Asked(scenario, machine, memory_gbs)
    pair = predict([asked.with_neighbour(work), scenario], asked.machine, by_stage=False)
    with_it, without = pair.value
    return float(with_it / without - 1)


def _shown(added: Sequence[float], measured: Sequence[float], noise: Sequence[float]) -> float:
    """Least squares with what is known before; nothing shows less than not at all."""
    top = 1 / _SHOWN_KNOWN**2 + sum(
        a * m / n**2 for a, m, n in zip(added, measured, noise, strict=True)
    )
    bottom = 1 / _SHOWN_KNOWN**2 + sum(a * a / n**2 for a, n in zip(added, noise, strict=True))
    return max(0.0, top / bottom)


def _noise(slowdown: Estimate) -> float:
    """A standard deviation from the 95 % interval."""
    if slowdown.low is None or slowdown.high is None:
        return 0.1
    return max(_LEAST_NOISE, (slowdown.high - slowdown.low) / (2 * 1.96))
