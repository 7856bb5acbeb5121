"""ExplainedNode: a node of the top-down tree, counted, published or computed."""

from __future__ import annotations

from typing import Literal, Self

from planecast.results.estimate import Estimate
from planecast.results.result import Texts
from planecast.scenario.model import Noun
from planecast.topdown import Node


class ExplainedNode(Noun):
    """A node of the tree."""

    node: str
    """Its name in the catalogue."""
    title: str
    level: int
    parent: str | None
    share: Estimate | None
    """Share of 1; None where it isn't known or can't be."""
    of: Literal["slots", "clocks", "core_clocks", "uops"]
    """What it is a share of."""
    domain: Literal["thread", "core"]
    threshold: float
    """Share above which it matters."""
    over: bool
    """Whether it matters: above its threshold, and its parent too where that is asked."""
    bound: bool = False
    """Whether its interval is all that is known, and its value the centre of what is possible."""
    marks: Texts = ()
    """What is wrong with it: impossible, not counted, counted at different times."""
    means: str
    sample: str | None = None
    """The event to sample for the place in the code."""

    @classmethod
    def from_node(
        cls,
        node: Node,
        share: Estimate | None,
        *,
        over: bool,
        marks: Texts = (),
        bound: bool = False,
        sample: str | None = None,
    ) -> Self:
        """A node of a definition with what is known of it."""
        return cls(
            node=node.name,
            title=node.meaning.title,
            level=node.level,
            parent=node.entry.parent,
            share=share,
            of=node.entry.of,
            domain=node.domain,
            threshold=node.entry.over,
            over=over,
            bound=bound,
            marks=marks,
            means=node.meaning.means,
            sample=sample,
        )
