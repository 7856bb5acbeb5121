"""Stacked bars by stage: the traces that several figures are made of."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Literal

from planecast.report.colours import stage_colour
from planecast.report.figures.style import Figure
from planecast.report.labels import plain
from planecast.report.numbers import estimate_text
from planecast.results import Estimate, Result

StageMetric = Literal["cycles_per_packet", "instructions_per_packet"]
CYCLES: StageMetric = "cycles_per_packet"
INSTRUCTIONS: StageMetric = "instructions_per_packet"

_HATCHES = ("", "/", "x")
"""The first group of bars is plain, the next ones are hatched: no colour is needed to see which."""


def stage_estimates(result: Result, metric: StageMetric) -> dict[str, Estimate]:
    """The stages of a result that have this metric, in pipeline order."""
    found = {name: getattr(stage, metric) for name, stage in result.stages.items()}
    return {name: estimate for name, estimate in found.items() if estimate is not None}


def stage_names(results: Sequence[Result], metric: StageMetric) -> list[str]:
    """Every stage that some result has, in pipeline order."""
    # The longest pipeline gives the order; others leave stages out of it.
    longest_first = sorted(results, key=lambda result: -len(result.stages))
    return list(dict.fromkeys(n for r in longest_first for n in stage_estimates(r, metric)))


def add_stage_bars(
    figure: Figure,
    labels: Sequence[str],
    groups: Mapping[str, Sequence[Result]],
    metric: StageMetric,
    *,
    horizontal: bool = False,
) -> None:
    """Add a stack a label and group; the stages of a stack lie in pipeline order.

    `groups` names each group of bars (measured, predicted) and gives its results, one a label.
    """
    everyone = [result for results in groups.values() for result in results]
    for stage in stage_names(everyone, metric):
        for number, (group, results) in enumerate(groups.items()):
            found = [stage_estimates(result, metric).get(stage) for result in results]
            along = {"y": labels, "orientation": "h"} if horizontal else {"x": labels}
            values = [estimate.value if estimate else None for estimate in found]
            figure.add_bar(
                **along,
                **({"x": values} if horizontal else {"y": values}),
                offsetgroup=group,
                legendgroup=stage,
                name=plain(stage),
                showlegend=number == 0,
                marker={
                    "color": stage_colour(stage),
                    "pattern": {
                        "shape": _HATCHES[number % len(_HATCHES)],
                        "size": 6,
                        "solidity": 0.25,
                        "fillmode": "overlay",
                    },
                    "line": {"width": 0},
                },
                hovertext=[
                    f"{label}<br>{plain(stage)}, {group}: {plain(estimate_text(estimate))}"
                    if estimate
                    else ""
                    for label, estimate in zip(labels, found, strict=True)
                ],
                hoverinfo="text",
            )
