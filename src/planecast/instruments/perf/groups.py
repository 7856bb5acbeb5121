"""Groups: which events are counted together, so that each ratio is one of the same moments.

A group is counted whole or not at all. What fits the general counters is one group and is never
multiplexed; else nodes are packed first-fit, lower levels first, the largest of a level first, and
a node is torn only if it needs more counters than there are. Events with a counter of their own
stand in every group, for they cost nothing.
"""

from __future__ import annotations

from planecast.topdown import Definition
from planecast.topdown.event_names import perf_event


def event_groups(
    definition: Definition, level: int, smt: bool, counters: int
) -> tuple[tuple[str, ...], ...]:
    """Groups of events for all nodes down to `level`, each with at most `counters` general ones.

    Nodes whose events ``perf`` can't be asked for are left out. Raises ValueError without counters.
    """
    if counters < 1:
        raise ValueError("no general counter is free")
    groups: list[set[str]] = []
    for needed in _needs(definition, level, smt):
        if any(_general(definition, needed) <= group for group in groups):
            continue
        _place(_general(definition, needed), groups, counters)
    return _with_fixed(definition, groups, level, smt)


def _needs(definition: Definition, level: int, smt: bool) -> list[frozenset[str]]:
    """Events of every node down to `level` that can be asked for, in the order of packing."""
    nodes = [node for node in definition.nodes.values() if node.level <= level]
    wanted = [(node.level, definition.events_of(node.name, smt)) for node in nodes]
    wanted = [
        (of, events)
        for of, events in wanted
        if all(_askable(definition, event) for event in events)
    ]
    wanted.sort(key=lambda pair: (pair[0], -len(pair[1]), sorted(pair[1])))
    return [events for _, events in wanted]


def _askable(definition: Definition, event: str) -> bool:
    return perf_event(definition, event) is not None


def _general(definition: Definition, events: frozenset[str]) -> set[str]:
    return set(events) - set(definition.file.fixed) - set(definition.file.together)


def _place(needed: set[str], groups: list[set[str]], counters: int) -> None:
    """Puts events into the first group with room for all, or a new one, or several."""
    if not needed:
        return
    for group in groups:
        if len(group | needed) <= counters:
            group.update(needed)
            return
    if len(needed) <= counters:
        groups.append(set(needed))
        return
    rest = sorted(event for event in needed if not any(event in group for group in groups))
    for start in range(0, len(rest), counters):
        groups.append(set(rest[start : start + counters]))


def _with_fixed(
    definition: Definition, groups: list[set[str]], level: int, smt: bool
) -> tuple[tuple[str, ...], ...]:
    """The groups in a stable order, with what has counters of its own."""
    used = {event for events in _needs(definition, level, smt) for event in events}
    fixed = tuple(event for event in definition.file.fixed if event in definition.events)
    together = tuple(event for event in definition.file.together if event in used)
    found = [(*fixed, *sorted(group)) for group in groups] or [fixed]
    return ((*together, *fixed), *found) if together else tuple(found)
