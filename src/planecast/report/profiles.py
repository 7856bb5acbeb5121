"""Profiles: results whose stages cost the same are one bar of a figure, not many."""

from __future__ import annotations

from collections.abc import Sequence

from planecast.report.figures.stage_bars import StageMetric, stage_estimates
from planecast.report.numbers import digits
from planecast.results import Result

_Shown = tuple[tuple[str, str], ...]


def profiles(
    labels: Sequence[str], results: Sequence[Result], metric: StageMetric
) -> tuple[list[str], list[Result]]:
    """One label and result for all that look alike; results without the metric are left out."""
    groups: dict[_Shown, list[int]] = {}
    for position, result in enumerate(results):
        shown = _shown(result, metric)
        if shown:
            groups.setdefault(shown, []).append(position)
    names = []
    for members in groups.values():
        more = f" and {len(members) - 1} more" if len(members) > 1 else ""
        names.append(f"{labels[members[0]]}{more}")
    return names, [results[members[0]] for members in groups.values()]


def shared(names: Sequence[str], results: Sequence[Result]) -> str:
    """A sentence for the caption where results share a bar; else nothing."""
    if len(names) == len(results):
        return ""
    return " Those with the same counts share one bar, named after the first."


def alike(a: Sequence[Result], b: Sequence[Result], metric: StageMetric) -> bool:
    """Whether a reader would see the same numbers in both."""
    return [_shown(result, metric) for result in a] == [_shown(result, metric) for result in b]


def _shown(result: Result, metric: StageMetric) -> _Shown:
    return tuple(
        (name, digits(estimate.value)) for name, estimate in stage_estimates(result, metric).items()
    )
