"""The top-down tree without counters: as much of it as instructions, cycles and the model show.

Retiring is the cycles that the instructions take at the issue width: it counts instructions where
counters count operations, so a counter shows a little more. Memory bound is what the model says of
lines beyond L1 and of stores. Frontend, bad speculation and core bound share what is left over:
where the code was counted within its bounds (`core_bounds`), else each from nothing to all of it;
of a traced program bad speculation is the model's mispredicted branches.
Their values are the centre of what is possible. L1's latency, which counters count as memory bound,
is in core bound.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence

from planecast.explain.explanation import CauseCycles
from planecast.explain.node import ExplainedNode
from planecast.explain.stall_causes import (
    CONFLICTS,
    CORE_REST,
    CORES_OWN,
    FETCH,
    ISSUE,
    MISPREDICTED,
    SPECULATION,
    cause_of,
)
from planecast.machine.caches import MEMORY
from planecast.results.arithmetic import together, total
from planecast.results.estimate import Estimate
from planecast.topdown import Node, load_definition

_TREE = "skylake"
"""The tree whose nodes, thresholds and words are taken: those of level 1 and 2 are everywhere."""
_LEVEL_3 = {"L2": "l2_bound", "LLC": "l3_bound", MEMORY: "dram_bound", CONFLICTS: "store_bound"}
_LEAST = 1e-4
_BOUNDS = ("frontend_bound", "bad_speculation", "backend_bound", "core_bound")
"""Nodes that are over their thresholds only with their whole intervals."""
_BOUNDED = "a bound; the value is its midpoint"
_NARROWED = "; planecast profile SCENARIO --instrument singlestep narrows it"
_MARKS = {
    "frontend_bound": "",
    "bad_speculation": "; machine clears are not in it",
    "core_bound": "; with L1's latency, which counters count as memory bound",
    "backend_bound": "; memory and core bound",
}


def computed_tree(
    causes: Sequence[CauseCycles], whole: Estimate, *, alike: bool = False
) -> tuple[ExplainedNode, ...]:
    """Nodes of levels 1 to 3 with what is known of `causes`; none when no cause shows any.

    `alike`: waits are bounded, not calibrated, so they err together.
    """
    own = {part.cause: part.cycles for part in causes}
    waits = [c for name, c in own.items() if cause_of(name).group in ("memory", "stores")]
    memory = together(waits) if alike else total(waits)
    known: dict[str, Estimate | None] = {
        "retiring": own.get(ISSUE),
        "memory_bound": memory,
        **{node: own.get(cause) for cause, node in _LEVEL_3.items()},
    }
    known = {
        name: cycles
        for name, cycles in known.items()
        if cycles is not None and cycles.value > _LEAST * whole.value
    }
    if not known or whole.value <= 0:
        return ()
    known |= _core_nodes(own, memory)
    upper = ("frontend_bound", "bad_speculation", "backend_bound", "memory_bound")
    nodes = load_definition(_TREE).nodes
    found: dict[str, ExplainedNode] = {}
    for name in (*upper, *_LEVEL_3.values(), "core_bound", "retiring"):
        cycles, parent = known.get(name), found.get(nodes[name].entry.parent or "")
        if cycles is None and nodes[name].level == 3:
            continue
        open_gate = parent is None or parent.share is None or parent.over
        bound = name in _BOUNDS and (name, MISPREDICTED in own) != ("bad_speculation", True)
        mark = ""
        if bound or cycles is None:
            mark = _mark(name, cycles is not None, bool(waits), FETCH in own)
        share = _share(cycles, whole) if cycles is not None else None
        if share is not None and share.value > 1:
            share, mark = None, f"the model exceeds what was {whole.kind}"
        found[name] = _node(nodes[name], share, mark, open_gate, bound=bound)
    return tuple(found.values())


def _core_nodes(own: Mapping[str, Estimate], memory: Estimate | None) -> dict[str, Estimate | None]:
    """What the core's own cycles are divided among; nothing where no cause shows them."""
    rest = total(own[cause] for cause in CORES_OWN if cause in own)
    if CORE_REST not in own or rest is None:
        return {}
    if FETCH in own:
        parts = (own[FETCH], own[SPECULATION], rest)
    else:
        among = 3 if MISPREDICTED not in own else 2
        part = rest.model_copy(update={"value": rest.value / among, "low": 0.0, "kind": "computed"})
        parts = (part, own.get(MISPREDICTED, part), part)
    return {
        "frontend_bound": parts[0],
        "bad_speculation": parts[1],
        "core_bound": parts[2],
        "backend_bound": together([parts[2], *([memory] if memory is not None else [])]),
    }


def _mark(name: str, known: bool, modelled: bool, counted: bool) -> str:
    """What a reader should know of a node: that it is a bound, or why it has no value."""
    if known:
        if name not in _MARKS:
            return ""
        return _BOUNDED + _MARKS[name] + ("" if counted else _NARROWED)
    if name == "memory_bound":
        return "negligible" if modelled else "not modelled"
    if name == "retiring":
        return "instructions or issue width are not known"
    return "frontend, speculation, core and L1: no model bounds them"


def _node(
    node: Node, share: Estimate | None, mark: str, open_gate: bool, *, bound: bool
) -> ExplainedNode:
    return ExplainedNode.from_node(
        node,
        share,
        over=share is not None and _sure(share, bound) > node.entry.over and open_gate,
        bound=share is not None and bound,
        marks=(mark,) if mark else (),
    )


def _sure(share: Estimate, bound: bool) -> float:
    return share.low or 0.0 if bound else share.value


def _share(part: Estimate, whole: Estimate) -> Estimate:
    """A part of the whole as a share of 1, the two taken as independent, within 0 and 1."""
    value = part.value / whole.value
    low, high = part.interval or (part.value, part.value)
    least, most = whole.interval or (whole.value, whole.value)
    down = math.hypot((part.value - low) / whole.value, value * (1 - whole.value / most))
    larger = whole.value / least - 1 if least > 0 else math.inf  # the whole may be nothing
    up = math.hypot((high - part.value) / whole.value, value * larger if value else 0.0)
    return Estimate(
        value=value,
        low=max(value - down, min(value, 0.0)),
        high=min(value + up, max(value, 1.0)),
        unit="share",
        kind="computed",
    )
