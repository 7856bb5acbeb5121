"""A flame graph: the widest frames take most, callers stand above what they call."""

from __future__ import annotations

from collections.abc import Sequence

from planecast.explain.flame import Frame
from planecast.report.colours import OTHER_COLOUR, stage_colour
from planecast.report.figures.style import Figure, new_figure
from planecast.report.labels import plain
from planecast.report.numbers import digits
from planecast.workload.counts import STAGE_PREFIX

_ROW_PX = 26
_LOWEST_PX = 250


def flame_graph(frames: Sequence[Frame], per: float = 1.0, unit: str = "instructions") -> Figure:
    """The figure of these frames; costs are divided by `per` (packets) and given in `unit`."""
    names = ["\n".join(frame.stack) for frame in frames]
    figure = new_figure(
        max(_LOWEST_PX, _ROW_PX * (max(len(frame.stack) for frame in frames) + 2)),
        margin={"l": 8, "r": 8, "t": 28, "b": 8},
    )
    figure.add_icicle(
        ids=names,
        labels=[plain(frame.name) for frame in frames],
        parents=["\n".join(frame.stack[:-1]) for frame in frames],
        values=[frame.cost / per for frame in frames],
        branchvalues="total",
        tiling={"orientation": "v"},
        marker={"colors": [_colour(frame) for frame in frames], "line": {"width": 1}},
        hovertext=[
            f"{plain(frame.name)}<br>{digits(frame.cost / per)} {unit}, "
            f"{digits(frame.own / per)} of them its own"
            for frame in frames
        ],
        hoverinfo="text",
        pathbar={"visible": True, "thickness": 20},
    )
    return figure


def _colour(frame: Frame) -> str:
    """The colour of the stage that a frame stands in; grey outside every stage."""
    stages = [name.removeprefix(STAGE_PREFIX) for name in frame.stack if _is_stage(name)]
    if not stages:
        return OTHER_COLOUR
    stage = stages[-1].partition("'")[0]
    return stage_colour(stage)


def _is_stage(name: str) -> bool:
    return name.startswith(STAGE_PREFIX)
