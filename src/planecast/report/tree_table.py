"""The table of the top-down tree: what is known of each node, and what it means."""

from __future__ import annotations

from collections.abc import Sequence

from planecast.explain.node import ExplainedNode
from planecast.report.table import Cell, Heading, Table, estimate_cell

_INDENT = "\u2003"


def tree_table(nodes: Sequence[ExplainedNode]) -> Table:
    """A row a node, with the reason of one that isn't known."""
    rows = []
    for node in nodes:
        share = estimate_cell(node.share.scaled(100, "%") if node.share else None, kind=True)
        rows.append(
            [
                Cell(_INDENT * (node.level - 1) + node.title),
                share,
                Cell(node.of.replace("_", " ")),
                Cell(f"{100 * node.threshold:.4g} %", "over" if node.over else ""),
                Cell("; ".join(node.marks)),
                Cell(node.means),
            ]
        )
    return Table(
        "nodes",
        "Nodes",
        "A node without a value says why in its remark.",
        [
            Heading("node"),
            Heading("share", "percent", number=True),
            Heading("of"),
            Heading("threshold"),
            Heading("remark"),
            Heading("what it means for a packet processor"),
        ],
        rows,
    )
