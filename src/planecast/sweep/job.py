"""A sweep as it is stored and sent to workers: any point of it follows from this alone.

So nothing but two numbers travels for a batch, a stopped sweep resumes where it was, and a worker
that dies loses nothing: its batch is drawn again, the same.
"""

from __future__ import annotations

import functools
import math
from typing import Annotated, Any, Literal

import numpy as np
from pydantic import BeforeValidator, Field

from planecast.errors import InputError
from planecast.model.calibration import Calibration
from planecast.results.manifest import Manifest
from planecast.scenario.earlier_versions import Recorded
from planecast.scenario.model import Noun, listed
from planecast.scenario.scenario import Scenario
from planecast.sweep.axes import Axis, Column, Floats, value_of

Engine = Literal["solve", "simulate"]
Sample = Literal["grid", "lhs"]

MOST_DRAWN = 20_000_000
"""Numbers of a Latin hypercube: every process holds all of them, 160 MB."""


class Plan(Noun):
    """Which points a sweep has."""

    base: Recorded
    """What every point changes."""
    axes: Annotated[tuple[Axis, ...], BeforeValidator(listed)]
    sample: Sample
    """grid: every combination, the last axis fastest; lhs: a Latin hypercube."""
    points: Annotated[int, Field(ge=1)]
    seed: Annotated[int, Field(ge=0)]
    """Of the Latin hypercube."""

    @classmethod
    def of(
        cls, base: Scenario, axes: list[Axis], sample: Sample, points: int | None, seed: int
    ) -> Plan:
        """Raises InputError for an axis that stands twice and for more than can be drawn."""
        keys = [axis.key for axis in axes]
        twice = next((key for key in keys if keys.count(key) > 1), None)
        if twice:
            raise InputError(f"{twice} varies twice", f"--vary {twice}", "keep one of the two")
        if not axes:
            raise InputError("nothing varies", "--vary", "add one, such as traffic.flows=256,4096")
        if sample == "grid":
            if points is not None:
                raise InputError(
                    "a grid has as many points as its axes make", "-n", "add --sample lhs"
                )
            axes = [axis.spread() for axis in axes]
            points = math.prod(len(axis.values) for axis in axes)
        count = 1000 if points is None else points
        if sample == "lhs" and count * len(axes) > MOST_DRAWN:
            most = MOST_DRAWN // len(axes)
            raise InputError(f"{count} points are too many to draw", "-n", f"{most} are the most")
        return cls(base=base, axes=tuple(axes), sample=sample, points=count, seed=seed)

    def columns(self, first: int, last: int) -> dict[str, Column]:
        """The values of points from `first` to before `last`, by key."""
        if self.sample == "lhs":
            drawn = _hypercube(self.points, len(self.axes), self.seed)[first:last]
            return {a.key: a.drawn(drawn[:, i]) for i, a in enumerate(self.axes)}
        left = np.arange(first, min(last, self.points), dtype=np.intp)
        found: dict[str, Column] = {}
        for axis in reversed(self.axes):
            left, places = np.divmod(left, len(axis.values))
            found[axis.key] = axis.listed_at(places)
        return {axis.key: found[axis.key] for axis in self.axes}

    def values(self, columns: dict[str, Column], row: int) -> dict[str, Any]:
        """A point as dotted keys and values."""
        return {axis.key: value_of(axis, columns[axis.key], row) for axis in self.axes}

    def point(self, number: int) -> dict[str, Any]:
        """The values of one point."""
        return self.values(self.columns(number, number + 1), 0)


class Job(Noun):
    """A plan and what answers it."""

    plan: Plan
    calibration: Calibration
    engine: Engine
    precision: Annotated[float, Field(gt=0, lt=1)]
    """simulate: half-width of the interval as a share of the value, where a point ends."""
    batch: Annotated[int, Field(ge=1)]
    """Points that a worker answers at a time."""
    manifest: Manifest

    @property
    def batches(self) -> range:
        """First point of every batch."""
        return range(0, self.plan.points, self.batch)


@functools.lru_cache(maxsize=2)
def _hypercube(points: int, axes: int, seed: int) -> Floats:
    from scipy.stats import qmc  # takes half a second to load; a grid does without

    return np.asarray(qmc.LatinHypercube(d=axes, rng=np.random.default_rng(seed)).random(points))
