"""Several runs, each against the first one, scenario by scenario."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from string import ascii_uppercase

from planecast.errors import InputError
from planecast.results.compare import MARGIN, Comparison, compare
from planecast.results.result import Result
from planecast.results.run_ref import Picked
from planecast.results.scenario_labels import label_of, varied_keys


@dataclass(frozen=True)
class SideBySide:
    """One scenario of one run against the first run's."""

    name: str
    """What the run is called here: B, C, …"""
    scenario: str
    """The scenario's label: the keys that vary, or its name."""
    a: Result
    b: Result
    comparison: Comparison


def side_by_side(runs: Sequence[Picked], margin: float = MARGIN) -> list[SideBySide]:
    """Every run after the first against it. Raises InputError when two have nothing in common."""
    first, found = runs[0], []
    for number, run in enumerate(runs[1:], start=1):
        name = ascii_uppercase[number]
        together = first.run.path.resolve() == run.run.path.resolve()
        for label, a, b in _pairs(first.results, run.results):
            comparison = compare(a, b, interleaved=together, margin=margin, name=name)
            found.append(SideBySide(name, label, a, b, comparison))
    return found


def _pairs(a: list[Result], b: list[Result]) -> Iterator[tuple[str, Result, Result]]:
    """Results to compare: the only ones of both runs, else those of equal scenarios."""
    if len(a) == len(b) == 1:
        yield a[0].scenario.name, a[0], b[0]
        return
    keys = varied_keys([result.scenario for result in (*a, *b)])
    none = True
    for left in a:
        right = next((r for r in b if r.scenario == left.scenario), None)
        if right is not None:
            none = False
            yield label_of(left.scenario, keys), left, right
    if none:
        raise InputError(
            "the two runs have no scenario in common",
            "compare",
            "pick one result of each, as in RUN#1",
        )
