"""Tree: a definition over event vectors, many at once."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from planecast.topdown.definition import Definition, Node
from planecast.topdown.expression import Values, evaluate


@dataclass(frozen=True)
class Evaluation:
    """Nodes, metrics and terms of a definition, an element an event vector."""

    values: dict[str, Values]
    """What could be computed, by name. A share is of 1; nothing is clipped."""
    missing: dict[str, tuple[str, ...]]
    """The events that were not counted, by what needs them."""


def evaluate_tree(
    definition: Definition, events: Mapping[str, Values], smt: bool = False
) -> Evaluation:
    """Everything that follows from `events`: arrays of one length, by the definition's names."""
    vectors = next(iter(events.values())).shape if events else (0,)
    known: dict[str, Values] = {
        **{name: np.asarray(value) for name, value in definition.constants.items()},
        **events,
    }
    missing: dict[str, tuple[str, ...]] = {}
    found: dict[str, Values] = {}
    for name, formula in definition.formulas.items():
        lacking = definition.events_of(name, smt) - events.keys()
        if lacking:
            missing[name] = tuple(sorted(lacking))
            continue
        known[name] = np.broadcast_to(evaluate(formula.form(smt), known), vectors)
        found[name] = known[name]
    return Evaluation(found, missing)


def over_threshold(definition: Definition, shares: Mapping[str, float]) -> dict[str, bool]:
    """Which nodes matter: over their threshold, and below a parent that is, where that is asked.

    A node whose share isn't known, or is not a number, is not over. A node whose parent isn't known
    is judged by itself.
    """
    over: dict[str, bool] = {}
    for node in definition.nodes.values():
        over[node.name] = _alone(node, shares) and _gate(node, shares, over)
    for node in definition.nodes.values():
        also = node.entry.also_when
        if also is not None and over.get(also):
            over[node.name] = True
    return over


def _alone(node: Node, shares: Mapping[str, float]) -> bool:
    return shares.get(node.name, 0.0) > node.entry.over


def _gate(node: Node, shares: Mapping[str, float], over: Mapping[str, bool]) -> bool:
    parent = node.entry.parent
    return not node.entry.gated or parent is None or parent not in shares or over[parent]
