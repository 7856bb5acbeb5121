"""The model at the burst that a search's polls found, which is no whole number.

What a burst takes is shared by its packets, so costs are linear in 1/burst between two bursts; and
in a mean of packets over polls that found some, it is that mean that divides it.
"""

from __future__ import annotations

import math
from collections.abc import Hashable, Mapping
from typing import TypeVar

from planecast.explain.model_breakdown import ModelBreakdown, model_breakdown
from planecast.model.calibration import Calibration
from planecast.results.estimate import Estimate
from planecast.scenario import with_overrides
from planecast.scenario.scenario import Scenario

Key = TypeVar("Key", bound=Hashable)


def model_at_burst(
    scenario: Scenario, calibration: Calibration, slots: float | None, burst: float
) -> ModelBreakdown:
    """A scenario's cost in bursts of this mean size, 1 or more.

    Raises InputError for what the model doesn't know, as `model_breakdown` does.
    """
    fewer, more = math.floor(burst), math.ceil(burst)
    low, high = (
        model_breakdown(with_overrides(scenario, {"placement.burst": n}), calibration, slots)
        for n in (fewer, more)
    )
    share = 0.0 if fewer == more else (1 / burst - 1 / more) / (1 / fewer - 1 / more)
    return ModelBreakdown(
        parts=_between(low.parts, high.parts, share),
        stages=_between(low.stages, high.stages, share),
        causes=_between(low.causes, high.causes, share),
        whole=_mean(low.whole, high.whole, share),
    )


def _between(
    low: Mapping[Key, Estimate], high: Mapping[Key, Estimate], share: float
) -> dict[Key, Estimate]:
    return {key: _mean(low.get(key), high.get(key), share) for key in dict.fromkeys((*low, *high))}


def _mean(low: Estimate | None, high: Estimate | None, share: float) -> Estimate:
    """`share` of the one and the remainder of the other, which err alike; a part that one of them
    lacks is nothing there."""
    known = high or low
    assert known is not None
    rows = [
        (0.0, 0.0, 0.0) if one is None else (one.value, *(one.interval or (one.value, one.value)))
        for one in (low, high)
    ]
    value, least, most = (share * a + (1 - share) * b for a, b in zip(*rows, strict=True))
    return known.model_copy(update={"value": value, "low": least, "high": most})
