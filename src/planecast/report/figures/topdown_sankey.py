"""Where the slots go: from the whole to level 1 to level 2, in percent or core cycles a packet.

Only shares of slots add up to their parent, so deeper levels, which are shares of clocks, are bars
in a figure of their own.
"""

from __future__ import annotations

from collections.abc import Sequence

from planecast.explain.counters import ExplainedNode
from planecast.report.colours import OTHER_COLOUR, faint
from planecast.report.figures.style import Figure, new_figure
from planecast.report.figures.topdown_colours import node_colour
from planecast.report.labels import plain
from planecast.report.numbers import digits

_DRAWN = 0.002
"""Share of the slots below which a band would be thinner than a line."""
_ROW_PX = 40
_LOWEST_PX = 320


def topdown_sankey(
    nodes: Sequence[ExplainedNode], cycles_per_packet: float | None = None
) -> Figure | None:
    """The figure; None when level 1 isn't known. With core cycles a packet bands are in these."""
    known = {node.node: node for node in nodes}
    drawn = [node for node in nodes if _drawn(node, known)]
    if not any(node.level == 1 for node in drawn):
        return None
    scale, unit = (100.0, "%") if cycles_per_packet is None else (cycles_per_packet, "cycles")
    whole = "slots" if cycles_per_packet is None else f"packet {digits(cycles_per_packet)}"
    number = {node.node: place for place, node in enumerate(drawn, 1)}
    values = [scale * node.share.value for node in drawn if node.share is not None]
    figure = new_figure(max(_LOWEST_PX, _ROW_PX * sum(node.level == 2 for node in drawn)))
    figure.add_sankey(
        arrangement="snap",
        domain={"x": [0.0, 1.0], "y": [0.03, 0.97]},
        node={
            "label": [
                whole,
                *(f"{plain(n.title)} {digits(v)}" for n, v in zip(drawn, values, strict=True)),
            ],
            # What a narrow screen has room for.
            "customdata": [
                whole.removeprefix("packet "),
                *(plain(n.title).removesuffix(" bound").removeprefix("Bad ") for n in drawn),
            ],
            "color": [OTHER_COLOUR, *(node_colour(node.node, known) for node in drawn)],
            "pad": 16,
            "thickness": 14,
            "line": {"width": 0},
            "hovertemplate": f"%{{label}} {unit}<extra></extra>",
        },
        link={
            "source": [number.get(node.parent or "", 0) for node in drawn],
            "target": [number[node.node] for node in drawn],
            "value": values,
            "color": [faint(node_colour(node.node, known)) for node in drawn],
            "hovertemplate": f"%{{target.label}} {unit}<extra></extra>",
        },
    )
    return figure


def _drawn(node: ExplainedNode, known: dict[str, ExplainedNode]) -> bool:
    """Whether it is a share of slots that stands on level 1, or on level 2 under one that does."""
    if node.share is None or node.of != "slots" or node.share.value <= _DRAWN or node.level > 2:
        return False
    return node.parent is None or _drawn(known[node.parent], known)
