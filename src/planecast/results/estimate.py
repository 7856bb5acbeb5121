"""Estimate: a number with its uncertainty, its sample count, its unit and its kind."""

from __future__ import annotations

import math
from typing import Annotated, Literal, Self

from pydantic import Field, model_validator

from planecast.scenario.model import Noun

Kind = Literal["measured", "simulated", "computed", "published"]


class Estimate(Noun):
    """A value and its 95 % interval. ``low`` and ``high`` are absent when no interval is known."""

    value: float
    """Best estimate, in `unit`."""
    low: float | None = None
    """Lower end of the 95 % interval, in `unit`."""
    high: float | None = None
    """Upper end of the 95 % interval, in `unit`."""
    samples: Annotated[int, Field(ge=0)] = 0
    """Observations that it rests on; 0 for what was computed."""
    unit: str
    """Unit of the value: ``pps``, ``cycles/packet``, ``ns``."""
    kind: Kind
    """Where it comes from."""

    @model_validator(mode="after")
    def _ordered(self) -> Self:
        if (self.low is None) != (self.high is None):
            raise ValueError("an interval has both ends or none")
        if self.low is not None and self.high is not None and self.low > self.high:
            raise ValueError(f"the interval runs backwards: {self.low} to {self.high}")
        return self

    @property
    def interval(self) -> tuple[float, float] | None:
        """Both ends of the 95 % interval, or None when it isn't known."""
        return None if self.low is None or self.high is None else (self.low, self.high)

    @property
    def half_width_percent(self) -> float | None:
        """Half the interval's width as a percentage of the value; None without one."""
        if self.interval is None or self.value == 0:
            return None
        return 100 * (self.interval[1] - self.interval[0]) / 2 / abs(self.value)

    def covers(self, value: float) -> bool:
        """Whether `value` lies in the interval; never when there is none."""
        return self.interval is not None and self.interval[0] <= value <= self.interval[1]

    def scaled(self, factor: float, unit: str) -> Estimate:
        """The same knowledge in another unit: value and interval times a positive `factor`."""
        if not (math.isfinite(factor) and factor > 0):
            raise ValueError(f"the factor {factor} is not a positive number")
        return self.model_copy(
            update={
                "value": self.value * factor,
                "low": None if self.low is None else self.low * factor,
                "high": None if self.high is None else self.high * factor,
                "unit": unit,
            }
        )


def ratio(top: Estimate, bottom: Estimate) -> Estimate | None:
    """``top / bottom`` of two positive, independent estimates; None when one isn't positive.

    The ends of the interval are those of the difference of logarithms, each side taken on its own
    because intervals of quantiles are lopsided. Without both intervals the ratio has none. Its
    kind is computed.
    """
    if top.value <= 0 or bottom.value <= 0:
        return None
    value = top.value / bottom.value
    ends = (top.low, top.high, bottom.low, bottom.high)
    low = high = None
    if all(end is not None and end > 0 for end in ends):
        down = math.hypot(_spread(top.value, top.low), _spread(bottom.high, bottom.value))
        up = math.hypot(_spread(top.high, top.value), _spread(bottom.value, bottom.low))
        low, high = value * math.exp(-down), value * math.exp(up)
    samples = min(top.samples, bottom.samples)
    return Estimate(value=value, low=low, high=high, samples=samples, unit="ratio", kind="computed")


def _spread(upper: float | None, lower: float | None) -> float:
    """Distance of two positive numbers on the logarithmic scale; 0 if they are out of order."""
    if upper is None or lower is None or upper <= lower:
        return 0.0
    return math.log(upper / lower)
