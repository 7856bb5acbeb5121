"""Modelled cycles: the calibrated model's cost of one scenario, taken apart by stage and cause.

The model is a sum of parameters times features (`planecast.engines.solve.features`), so each
cause is a part of that sum: a vector over the parameters. Its interval is made as the engine makes
that of the whole: from the parameters' covariance, from the other sizes of the last cache level
that fit nearly as well, and from the model's own error, which counts in proportion.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from planecast.engines.solve import Calibration, predicted_cycles
from planecast.engines.solve.carry import carried
from planecast.engines.solve.delays import Delays
from planecast.engines.solve.engine import EXTRAPOLATION, neighbours_of
from planecast.engines.solve.features import (
    ASKED_FOR_BY_KEY,
    STAGES,
    FeatureTable,
    feature_tables,
    stage_instructions,
)
from planecast.engines.solve.known import asked
from planecast.engines.solve.ranges import outside
from planecast.engines.solve.regions import facts_of
from planecast.engines.solve.site import Site, at_host
from planecast.errors import InputError
from planecast.results.estimate import Estimate
from planecast.results.student import t_quantile
from planecast.scenario.scenario import Scenario

Floats = NDArray[np.float64]
Place = tuple[str, str]
"""Stage and cause."""

_KINDS = {
    "cpi": "core",
    "narrow": "core",
    "burst": "burst",
    "clock": "burst",
    "round": "rounds",
    "path": "rounds",
    "spared": "core",
    "drain": "stores",
    "hidden": "stores",
}
_WAIT = "bf"
"""Parameter that a stage's waiting for lines is multiplied by."""


@dataclass(frozen=True)
class Modelled:
    """What the model says of one scenario, in TSC cycles a packet."""

    parts: Mapping[Place, Estimate]
    """By stage and cause."""
    stages: Mapping[str, Estimate]
    causes: Mapping[str, Estimate]
    whole: Estimate


def modelled(scenario: Scenario, calibration: Calibration, slots: float | None) -> Modelled:
    """Takes one scenario's cost apart; `slots` a cycle tell the issue width from the rest.

    Raises InputError for what the model doesn't know, as the engine does.
    """
    calibration = carried(calibration, Site.of(scenario)).calibration
    scenario = at_host(scenario)
    predicted_cycles([scenario], calibration)  # refuses what has no parameter here
    sums, *others = _sums(scenario, calibration)
    apart = _Apart(scenario, calibration, others)
    parts = {place: apart.estimate([place], row) for place, row in sums.rows.items()}
    for stage in dict.fromkeys(stage for stage, _ in sums.rows):
        _split_issue(parts, stage, scenario, calibration, slots)
    parts = {place: found for place, found in parts.items() if found.value != 0}

    def together(chosen: Sequence[Place]) -> Estimate:
        return apart.estimate(chosen, sum((sums.rows[p] for p in chosen), apart.zero))

    by_stage = {
        stage: together([p for p in sums.rows if p[0] == stage])
        for stage in dict.fromkeys(stage for stage, _ in sums.rows)
    }
    by_cause = {}
    for cause in {cause for _, cause in parts} - {"issue"}:
        by_cause[cause] = together([p for p in sums.rows if p[1] == cause])
    issue = sum(found.value for (_, cause), found in parts.items() if cause == "issue")
    if issue:
        by_cause["issue"] = _exact(issue)
        by_cause["core"] = _less(by_cause["core"], issue)
    whole = together(list(sums.rows))
    bound = sums.memory_lines * calibration.hierarchy.memory_line_cycles - whole.value
    if bound > 0:
        parts["", "bandwidth"] = by_cause["bandwidth"] = _exact(bound)
        whole = _less(whole, -bound)
    return Modelled(parts, by_stage, by_cause, whole)


def modelled_change(a: Scenario, b: Scenario, calibration: Calibration) -> dict[Place, Estimate]:
    """By stage and cause, what the model says that B takes more than A; ``("all", cause)`` over all
    stages, ``("all", "")`` in all; the issue width within `core`.

    The difference is made before the interval is: what both share, right or wrong, is not in it.
    Raises InputError for what the model doesn't know.
    """
    if Site.of(a) != Site.of(b):
        raise InputError(
            "A and B run on other machines or clocks, which changes all causes at once",
            "explain",
            "compare their predictions instead: planecast predict, planecast compare",
        )
    calibration = carried(calibration, Site.of(a)).calibration
    a, b = at_host(a), at_host(b)
    predicted_cycles([a, b], calibration)
    left, *others_left = _sums(a, calibration)
    right, *others_right = _sums(b, calibration)
    others = [_less_sums(x, y) for x, y in zip(others_right, others_left, strict=True)]
    rows = _less_sums(right, left).rows
    outer = a if outside(a, calibration.ranges) else b
    apart = _Apart(outer, calibration, others, signed=True)
    found = {place: apart.estimate([place], row) for place, row in rows.items()}
    for cause in {cause for _, cause in rows}:
        places = [place for place in rows if place[1] == cause]
        found["all", cause] = apart.estimate(places, sum((rows[p] for p in places), apart.zero))
    found["all", ""] = apart.estimate(list(rows), sum(rows.values(), apart.zero))
    return found


def _less_sums(right: _Sums, left: _Sums) -> _Sums:
    places = dict.fromkeys((*right.rows, *left.rows))
    rows = {p: right.rows.get(p, np.float64(0)) - left.rows.get(p, np.float64(0)) for p in places}
    return _Sums(
        {place: np.asarray(row) for place, row in rows.items()},
        right.memory_lines - left.memory_lines,
    )


@dataclass(frozen=True)
class _Sums:
    """What the model adds up: by stage and cause, features as a vector over the parameters."""

    rows: dict[Place, Floats]
    memory_lines: float


def _sums(scenario: Scenario, calibration: Calibration) -> list[_Sums]:
    """With the last cache level that fitted best, then with the alternatives in their order."""
    factors = [calibration.last_level_factor]
    factors += [other.last_level_factor for other in calibration.alternatives]
    hierarchies = [calibration.hierarchy.with_last_level(factor) for factor in factors]
    questions = asked([scenario])
    beside, _ = neighbours_of(questions, calibration)
    tables = feature_tables(questions, hierarchies, calibration.instructions, beside)
    delays = Delays(facts_of(questions), beside)
    own = {"source", *scenario.workload.stages, "tx"}
    return [
        _summed(table, delays.parts(hierarchy), own, calibration.names)
        for table, hierarchy in zip(tables, hierarchies, strict=True)
    ]


def _summed(
    table: FeatureTable,
    delays: Mapping[str, Mapping[str, Floats]],
    own: AbstractSet[str],
    names: Sequence[str],
) -> _Sums:
    number = {name: i for i, name in enumerate(names)}
    rows: dict[Place, Floats] = {}
    for stage in (stage for stage in STAGES if stage in own):
        for name, column in table.stages[stage].items():
            if name not in number:
                continue  # a parameter that no scenario here needs
            for cause, value in _split(stage, name, float(column[0]), delays).items():
                row = rows.setdefault((stage, cause), np.zeros(len(number)))
                row[number[name]] += value
    return _Sums(rows, float(table.memory_lines[0]))


def _split(
    stage: str, name: str, feature: float, delays: Mapping[str, Mapping[str, Floats]]
) -> dict[str, float]:
    """One feature of a stage, by cause."""
    whose, _, kind = name.partition(".")
    if whose != stage:  # what a later stage does while stores drain
        return {_KINDS["drain"]: feature}
    if kind != _WAIT:
        return {_KINDS[kind]: feature}
    waited_for = ASKED_FOR_BY_KEY if stage == "key" else (stage,)
    found: dict[str, float] = {}
    for other in waited_for:
        for what, cycles in delays[other].items():
            found[what] = found.get(what, 0.0) + float(cycles[0])
    total = sum(found.values())
    return {what: feature * cycles / total for what, cycles in found.items()} if total else {}


class _Apart:
    """Intervals of parts of one scenario's cost."""

    def __init__(
        self,
        scenario: Scenario,
        calibration: Calibration,
        others: Sequence[_Sums],
        *,
        signed: bool = False,
    ) -> None:
        self._signed = signed
        self.zero = np.zeros(len(calibration.names))
        self._vector, self._matrix = calibration.vector, calibration.matrix
        own = calibration.discrepancy
        self._own = own * (EXTRAPOLATION if outside(scenario, calibration.ranges) else 1.0)
        self._quantile = t_quantile(calibration.freedom)
        self._others = [
            (sums, np.array(alternative.values))
            for sums, alternative in zip(others, calibration.alternatives, strict=True)
        ]

    def estimate(self, places: Sequence[Place], row: Floats) -> Estimate:
        """The places together; `row` is the sum of theirs."""
        value = float(row @ self._vector)
        variance = max(float(row @ self._matrix @ row), 0.0) + (self._own * value) ** 2
        if self._others:
            squares = [
                (float(sum((s.rows.get(p, self.zero) for p in places), self.zero) @ values) - value)
                ** 2
                for s, values in self._others
            ]
            variance += sum(squares) / len(squares)
        half = self._quantile * variance**0.5
        return _estimate(value, value - half, value + half, signed=self._signed)


def _split_issue(
    parts: dict[Place, Estimate],
    stage: str,
    scenario: Scenario,
    calibration: Calibration,
    slots: float | None,
) -> None:
    """Takes the issue width out of a stage's core cycles, where the core is known."""
    core = parts.get((stage, "core"))
    if slots is None or core is None:
        return
    count = stage_instructions(scenario, stage, calibration.instructions)
    hierarchy = calibration.hierarchy
    cycles = min(count / slots * hierarchy.tsc_hz / hierarchy.core_hz, core.value)
    parts[stage, "issue"] = _exact(cycles)
    parts[stage, "core"] = _less(core, cycles)


def _less(estimate: Estimate, cycles: float) -> Estimate:
    """The estimate with so many cycles, exactly known, taken off."""
    low, high = estimate.interval or (estimate.value, estimate.value)
    return _estimate(estimate.value - cycles, low - cycles, high - cycles)


def _exact(cycles: float) -> Estimate:
    return _estimate(cycles, cycles, cycles)


def _estimate(value: float, low: float, high: float, *, signed: bool = False) -> Estimate:
    if not signed:
        low = max(low, min(value, 0.0))  # nothing costs less than nothing
    return Estimate(value=value, low=low, high=high, unit="cycles/packet", kind="computed")
