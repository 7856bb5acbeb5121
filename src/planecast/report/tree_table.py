"""The table of the top-down tree: what is known of each node, and what it means."""

from __future__ import annotations

from collections.abc import Sequence

from planecast.explain.node import ExplainedNode
from planecast.report.table import Cell, Heading, Table, estimate_cell

_INDENT = "\u2003"


def tree_table(nodes: Sequence[ExplainedNode]) -> Table:
    """A row a node, with the reason of one that isn't known."""
    return Table.of(
        "nodes",
        "Nodes",
        "A node without a value says why in its remark.",
        [
            Heading("node", of=lambda node: _INDENT * (node.level - 1) + node.title),
            Heading("share", "percent", number=True, of=_share),
            Heading("of", of=lambda node: node.of.replace("_", " ")),
            Heading("threshold", of=_threshold),
            Heading("remark", of=lambda node: "; ".join(node.marks)),
            Heading("what it means for a packet processor", of=lambda node: node.means),
        ],
        nodes,
    )


def _share(node: ExplainedNode) -> Cell:
    return estimate_cell(node.share.scaled(100, "%") if node.share else None, kind=True)


def _threshold(node: ExplainedNode) -> Cell:
    return Cell(f"{100 * node.threshold:.4g} %", "over" if node.over else "")
