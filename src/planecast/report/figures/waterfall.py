"""From A to B: a step for each cause or stage that changed."""

from __future__ import annotations

from planecast.explain.against import ALL, Change, Difference
from planecast.report.figures.causes import cause_title
from planecast.report.figures.style import Figure, new_figure
from planecast.report.labels import folded, plain
from planecast.report.numbers import digits, estimate_text

_DEARER, _CHEAPER, _WHOLE = "#d55e00", "#0072b2", "#8a8f98"
_HEIGHT_PX = 420
_SHOWN = 0.001
"""Share of A below which a step would not be seen."""


def waterfall(found: Difference, *, by_cause: bool) -> Figure | None:
    """The figure; None when there are no steps. Steps within their intervals say so on hover."""
    whole = found.of(ALL, causes=False)[0]
    steps = [
        step
        for step in _steps(found, by_cause)
        if abs(step[1].change.value) > _SHOWN * whole.a.value
    ]
    if not steps:
        return None
    left = whole.change.value - sum(change.change.value for _, change in steps)
    figure = new_figure(_HEIGHT_PX, yaxis_title_text="TSC cycles/packet", showlegend=False)
    figure.add_waterfall(
        x=["A", *(name if c.moved else f"{name} (?)" for name, c in steps), "others", "B"],
        y=[whole.a.value, *(c.change.value for _, c in steps), left, whole.b.value],
        measure=["absolute", *("relative" for _ in steps), "relative", "total"],
        increasing={"marker": {"color": _DEARER}},
        decreasing={"marker": {"color": _CHEAPER}},
        totals={"marker": {"color": _WHOLE}},
        connector={"line": {"width": 1, "color": _WHOLE}},
        hovertext=[
            plain(f"A {estimate_text(whole.a)}"),
            *(plain(f"{name}: {_signed(c)}") for name, c in steps),
            f"steps too small to draw: {left:+.2f}",
            plain(f"B {estimate_text(whole.b)}"),
        ],
        hoverinfo="text",
        text=[
            digits(whole.a.value),
            *(f"{c.change.value:+.1f}" for _, c in steps),
            f"{left:+.1f}",
            digits(whole.b.value),
        ],
        textposition="outside",
    )
    figure.update_yaxes(range=_range(whole, steps))
    figure.update_xaxes(tickangle=0 if len(steps) < 6 else -40)
    return figure


def _steps(found: Difference, by_cause: bool) -> list[tuple[str, Change]]:
    if by_cause:
        return [(cause_title(c.cause), c) for c in found.of(ALL, causes=True)]
    return [(folded(stage), found.of(stage, causes=False)[0]) for stage in found.stages]


def _signed(change: Change) -> str:
    doubt = "" if change.moved else ": within the intervals"
    return f"{change.change.value:+.2f}, {estimate_text(change.change)}{doubt}"


def _range(whole: Change, steps: list[tuple[str, Change]]) -> list[float]:
    """From below the lowest step, so that steps are seen beside large ends; with room for text."""
    level, levels = whole.a.value, [whole.a.value, whole.b.value]
    for _, change in steps:
        level += change.change.value
        levels.append(level)
    spread = max(max(levels) - min(levels), 0.05 * max(levels))
    return [max(0.0, min(levels) - spread), max(levels) + 0.25 * spread]
