"""The top-down tree without counters: as much of it as instructions, cycles and the model tell.

Retiring is the cycles that the instructions take at the issue width: it counts instructions where
counters count operations, so a counter shows a little more. Memory bound is what the model says of
lines beyond L1 and of stores. Frontend, bad speculation, core bound and L1 are what is left over,
and stay one number.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

from planecast.explain.arithmetic import together, total
from planecast.explain.causes import cause_of
from planecast.explain.explanation import CauseCycles
from planecast.explain.node import ExplainedNode
from planecast.results.estimate import Estimate
from planecast.topdown import Node, load_definition

_TREE = "skylake"
"""The tree whose nodes, thresholds and words are taken: those of level 1 and 2 are everywhere."""
_LEVEL_3 = {"L2": "l2_bound", "LLC": "l3_bound", "memory": "dram_bound", "stores": "store_bound"}
_LEAST = 1e-4
CORES_OWN = ("core", "burst", "rounds")
"""Causes that are frontend, bad speculation, core bound and L1 together."""


def computed_tree(
    causes: Sequence[CauseCycles], whole: Estimate, *, alike: bool = False
) -> tuple[ExplainedNode, ...]:
    """Nodes of levels 1 to 3 with what is known of `causes`; none when no cause tells any.

    `alike`: waits are bounded, not calibrated, so they err together.
    """
    own = {part.cause: part.cycles for part in causes}
    waits = [c for name, c in own.items() if cause_of(name).group in ("memory", "stores")]
    known: dict[str, Estimate | None] = {
        "retiring": own.get("issue"),
        "memory_bound": together(waits) if alike else total(waits),
        **{node: own.get(cause) for cause, node in _LEVEL_3.items()},
    }
    shares = {
        name: _share(cycles, whole)
        for name, cycles in known.items()
        if cycles is not None and cycles.value > _LEAST * whole.value
    }
    if not shares or whole.value <= 0:
        return ()
    rest = total(own[cause] for cause in CORES_OWN if cause in own)
    upper = ("frontend_bound", "bad_speculation", "backend_bound", "memory_bound")
    nodes = load_definition(_TREE).nodes
    found: dict[str, ExplainedNode] = {}
    for name in (*upper, *_LEVEL_3.values(), "core_bound", "retiring"):
        share, parent = shares.get(name), found.get(nodes[name].entry.parent or "")
        if share is None and nodes[name].level == 3:
            continue
        open_gate = parent is None or parent.share is None or parent.over
        mark = "" if share is not None else _mark(name, bool(waits), rest, whole)
        found[name] = _node(nodes[name], share, mark, open_gate)
    return tuple(found.values())


def _mark(name: str, modelled: bool, rest: Estimate | None, whole: Estimate) -> str:
    """Why a node has no value, and what it is at the most with others."""
    if name == "memory_bound":
        return "next to nothing" if modelled else "no model tells it"
    if name == "retiring":
        return "instructions or issue width are not known"
    together = ""
    if rest is not None and modelled and rest.value > 0:
        together = f"; {100 * rest.value / whole.value:.1f} % together"
    if name == "backend_bound":
        return f"its memory part alone is computed{together}"
    return f"frontend, speculation, core and L1 are told apart by counters alone{together}"


def _node(node: Node, share: Estimate | None, mark: str, open_gate: bool) -> ExplainedNode:
    return ExplainedNode(
        node=node.name,
        title=node.meaning.title,
        level=node.level,
        parent=node.entry.parent,
        share=share,
        of=node.entry.of,
        domain=node.domain,
        threshold=node.entry.over,
        over=share is not None and share.value > node.entry.over and open_gate,
        marks=(mark,) if mark else (),
        means=node.meaning.means,
    )


def _share(part: Estimate, whole: Estimate) -> Estimate:
    """A part of the whole as a share of 1, the two taken as independent, within 0 and 1."""
    value = part.value / whole.value
    low, high = part.interval or (part.value, part.value)
    least, most = whole.interval or (whole.value, whole.value)
    down = math.hypot((part.value - low) / whole.value, value * (1 - whole.value / most))
    up = math.hypot((high - part.value) / whole.value, value * (whole.value / least - 1))
    return Estimate(
        value=value,
        low=max(value - down, min(value, 0.0)),
        high=min(value + up, max(value, 1.0)),
        unit="share",
        kind="computed",
    )
