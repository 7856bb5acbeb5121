"""StageCost: what a workload's stages cost on a machine, by cause.

It is what solve sums, the simulator plays and explain shows. Costs are TSC cycles a packet of one
lcore that always has packets.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from planecast.machine.caches import Others, Served, serve
from planecast.machine.hierarchy import Hierarchy
from planecast.machine.mechanism import Term, Values
from planecast.machine.registry import CONFLICTS, MECHANISMS
from planecast.workload.profile import WorkloadProfile

Floats = NDArray[np.float64]

STEP = 0.05
"""Of a parameter's logarithm, for slopes that no term has."""


@dataclass(frozen=True)
class StageCost:
    """Costs of many scenarios: arrays of shape (scenarios,)."""

    stages: tuple[str, ...]
    terms: tuple[Term, ...]
    """Their sum is the cost."""
    served: Served
    curved: tuple[str, ...]
    """Parameters that no term names: `Served.variants` has what a step of each changes."""
    near: tuple[Term, ...]
    """Those of the terms that no curved parameter changes: the first ones."""
    base: Floats
    """Their sum."""

    @cached_property
    def total(self) -> Floats:
        """TSC cycles a packet."""
        return self.base + _sum(self.terms[len(self.near) :], self._size)

    def by_stage(self) -> dict[str, Floats]:
        """TSC cycles a packet of each stage."""
        return {
            stage: _sum([term for term in self.terms if term.stage == stage], self._size)
            for stage in self.stages
        }

    def by_cause(self, stage: str | None = None) -> dict[str, Floats]:
        """TSC cycles a packet of each cause, of one stage or of all."""
        found: dict[str, list[Term]] = {}
        for term in self.terms:
            if stage in (None, term.stage):
                found.setdefault(term.cause, []).append(term)
        return {cause: _sum(terms, self._size) for cause, terms in found.items()}

    def slopes(self, names: Sequence[str], stage: str | None = None) -> Floats:
        """Derivatives by the logarithms of parameters, of shape (parameters, scenarios)."""
        found = np.zeros((len(names), self.total.size))
        place = {name: i for i, name in enumerate(names)}
        for term in self.terms:
            if stage in (None, term.stage):
                for name in term.parameters:
                    if name in place:
                        found[place[name]] += term.cycles
        if stage is None:
            for variant, name in enumerate(self.curved, 1):
                if name in place:
                    change = self.served.variants[variant] - self.served.variants[0]
                    found[place[name]] += change / STEP
        return found

    @property
    def _size(self) -> int:
        return self.served.memory_lines.size


def _sum(terms: Sequence[Term], size: int) -> Floats:
    found = np.zeros(size)
    for term in terms:
        found += term.cycles
    return found


def stage_cost(
    profile: WorkloadProfile,
    hierarchy: Hierarchy,
    values: Values,
    others: Others | None = None,
    *,
    curved: Sequence[str] = (),
    near: Sequence[Term] | None = None,
) -> StageCost:
    """The costs with these parameters; `curved` are those whose slopes will be asked for that no
    term has (`StageCost.slopes`). `near` are the terms of the same costs with another value of a
    curved parameter."""
    size = profile.sizes.columns.size
    near = near_terms(profile, hierarchy, values) if near is None else near
    base = _sum(near, size)
    variants = [{**values, name: values[name] * float(np.exp(STEP))} for name in curved]
    others = others or Others.none(size)
    served = serve(profile, hierarchy, values, base, others, near=near, variants=variants)
    terms = [*near, *served.terms]
    return StageCost(
        profile.stages,
        (*terms, *_overlapped(profile, hierarchy, values, terms)),
        served,
        tuple(curved),
        tuple(near),
        base,
    )


def near_terms(profile: WorkloadProfile, hierarchy: Hierarchy, values: Values) -> list[Term]:
    """What every mechanism costs with all accesses near."""
    return [
        term
        for mechanism in MECHANISMS
        if mechanism.applies(profile)
        for term in mechanism.terms(profile, hierarchy, values)
    ]


def _overlapped(
    profile: WorkloadProfile,
    hierarchy: Hierarchy,
    values: Values,
    terms: Sequence[Term],
) -> list[Term]:
    """What of the stages behind the reader of headers passes while it waits for them."""
    if profile.header_reader is None or not CONFLICTS.applies(profile):
        return []
    behind = profile.stages[profile.stages.index(profile.header_reader) + 1 : -1]
    later = [term for term in terms if term.stage in behind]
    return CONFLICTS.overlapped(profile, hierarchy, values, later)


def values_of(names: Sequence[str], logarithms: Floats) -> Mapping[str, float]:
    """Parameters' values from their logarithms."""
    return dict(zip(names, np.exp(logarithms).tolist(), strict=True))
