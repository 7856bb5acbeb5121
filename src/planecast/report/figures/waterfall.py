"""From A to B: a step for each cause or stage that changed."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from planecast.explain.against import ALL, Change, Difference
from planecast.report.colours import BETTER, OTHER_COLOUR, WORSE
from planecast.report.figures.causes import cause_title
from planecast.report.figures.style import Figure, new_figure
from planecast.report.labels import folded, plain
from planecast.report.numbers import digits, estimate_text
from planecast.results import Estimate

_HEIGHT_PX = 420
_DOUBT = ": within the intervals"
_SHOWN = 0.001
"""Share of A below which a step would not be seen."""


@dataclass(frozen=True)
class Step:
    """One change on the way from A to B."""

    name: str
    """As Plotly shows it."""
    change: float
    """B less A."""
    text: str
    """The same with its interval, for the hover."""
    sure: bool
    """Whether the interval excludes zero."""


def waterfall(found: Difference, *, by_cause: bool) -> Figure | None:
    """The figure of two runs; None when there are no steps. Steps within their intervals say so."""
    whole = found.of(ALL, causes=False)[0]
    return steps_figure(whole.a, whole.b, _steps(found, by_cause), "TSC cycles/packet")


def steps_figure(a: Estimate, b: Estimate, steps: Sequence[Step], unit: str) -> Figure | None:
    """The figure from `a` over the steps to `b`; None when no step is large enough to be seen."""
    seen = [step for step in steps if abs(step.change) > _SHOWN * a.value]
    if not seen:
        return None
    left = b.value - a.value - sum(step.change for step in seen)
    figure = new_figure(_HEIGHT_PX, yaxis_title_text=unit, showlegend=False)
    figure.add_waterfall(
        x=["A", *(s.name if s.sure else f"{s.name} (?)" for s in seen), "others", "B"],
        y=[a.value, *(step.change for step in seen), left, b.value],
        measure=["absolute", *("relative" for _ in seen), "relative", "total"],
        increasing={"marker": {"color": WORSE}},
        decreasing={"marker": {"color": BETTER}},
        totals={"marker": {"color": OTHER_COLOUR}},
        connector={"line": {"width": 1, "color": OTHER_COLOUR}},
        hovertext=[
            plain(f"A {estimate_text(a)}"),
            *(plain(f"{s.name}: {s.text}{'' if s.sure else _DOUBT}") for s in seen),
            f"steps too small to draw: {left:+z.2f}",
            plain(f"B {estimate_text(b)}"),
        ],
        hoverinfo="text",
        text=[
            digits(a.value),
            *(f"{step.change:+z.1f}" for step in seen),
            f"{left:+z.1f}",
            digits(b.value),
        ],
        textposition="outside",
    )
    figure.update_yaxes(range=_range(a.value, b.value, seen))
    return figure


def _steps(found: Difference, by_cause: bool) -> list[Step]:
    if by_cause:
        return [_step(cause_title(c.cause), c) for c in found.of(ALL, causes=True)]
    return [_step(folded(stage), found.of(stage, causes=False)[0]) for stage in found.stages]


def _step(name: str, change: Change) -> Step:
    text = f"{change.change.value:+z.2f}, {estimate_text(change.change)}"
    return Step(name, change.change.value, text, change.moved)


def _range(a: float, b: float, steps: Sequence[Step]) -> list[float]:
    """From below the lowest step, so that steps are seen next to large ends; with room for text."""
    level, levels = a, [a, b]
    for step in steps:
        level += step.change
        levels.append(level)
    spread = max(max(levels) - min(levels), 0.05 * max(levels))
    return [max(0.0, min(levels) - spread), max(levels) + 0.25 * spread]
