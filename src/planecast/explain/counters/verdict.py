"""Verdict: what limits, how sure that is, what to try next, in sentences that the nodes carry."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from planecast.explain.counters.explanation import ExplainedMetric, ExplainedNode
from planecast.explain.explanation import Advice
from planecast.topdown.load import meaning_of

_HARDLY_TOUCHED = 200
"""Instructions a packet below which it is moved more than processed (BSDP: testpmd, l3fwd)."""
_WELL_FED = 0.30
"""A frontend share below this is usual for well-made data planes (BSDP 6.4)."""
_BRANCHY = 0.05
"""A share of mispredicted branches above which a profile pays (BSDP 6.3.1)."""
_SUM_SLACK = 0.02
_TRIES = 3


class Tree:
    """Nodes by name, with their parts."""

    def __init__(self, nodes: Sequence[ExplainedNode]) -> None:
        self.nodes = {node.node: node for node in nodes}

    def parts(self, name: str | None) -> list[ExplainedNode]:
        """The parts of a node whose share is known; of None, level 1."""
        return [n for n in self.nodes.values() if n.parent == name and n.share is not None]

    def limiting(self) -> list[list[ExplainedNode]]:
        """From level 1 down to what matters most, for each of level 1 that is over; largest first.

        Of a node's parts that are over, the largest is followed.
        """
        top = [n for n in self.parts(None) if n.over and n.node != "retiring"]
        return [self._down(node) for node in sorted(top, key=_size, reverse=True)]

    def _down(self, node: ExplainedNode) -> list[ExplainedNode]:
        over = [part for part in self.parts(node.node) if part.over]
        return [node, *(self._down(max(over, key=_size)) if over else [])]


def limits(tree: Tree, metrics: Sequence[ExplainedMetric], smt: bool) -> Iterator[str]:
    """What limits it: each path of the tree that matters, the largest first."""
    paths = tree.limiting()
    for path in paths:
        deepest = path[-1]
        way = " → ".join(f"{node.title} {_percent(node)}" for node in path)
        yield f"{way} (over {100 * path[0].threshold:.0f} % of the slots): {deepest.means}"
        if deepest.node == "backend_bound":
            yield _which_side(metrics, smt)
        if path[0].node == "frontend_bound" and _size(path[0]) < _WELL_FED and smt:
            yield (
                f"a frontend share below {100 * _WELL_FED:.0f} % is usual with both threads of a "
                "core busy, and little is gained by lowering it"
            )
    if paths:
        return
    retiring = tree.nodes.get("retiring")
    if retiring is None or retiring.share is None:
        yield "what limits it is unknown: level 1 is not in the file"
        return
    yield (
        "nothing is over its threshold: the core is kept busy with useful work (retiring "
        f"{_percent(retiring)}), and fewer instructions a packet are the way to more packets"
    )


def _which_side(metrics: Sequence[ExplainedMetric], smt: bool) -> str:
    """Memory or core, a guess from level 1."""
    path_length = next((m.value for m in metrics if m.metric == "instructions"), None)
    if path_length is None:
        return "level 1 alone does not distinguish memory from core: measure level 2"
    count = f"{path_length.value:.0f} instructions a packet"
    if path_length.value < _HARDLY_TOUCHED:
        return (
            f"with {count} a packet is moved more than processed: the memory and store side is the "
            "likelier (descriptors and headers that the NIC has just written, a full store buffer)"
        )
    idle = "" if smt else ", which the sibling thread could use"
    return (
        f"with {count} dependent instructions and ports are as likely as memory{idle}: measure "
        "level 2 to distinguish them"
    )


def certainty(
    tree: Tree, rounds: int, running: float, rejected: Mapping[str, str], cautions: Sequence[str]
) -> Iterator[str]:
    """How sure that is: repetitions, distance from the threshold, multiplexing, sums."""
    yield _repeated(tree, rounds)
    if running < 1:
        yield (
            f"some events were counted only {100 * running:.0f} % of the time, and scaled up: "
            "count fewer at once, or longer"
            if running < 0.99
            else "every event was counted nearly all of the time"
        )
    top = [node for node in tree.nodes.values() if node.level == 1]
    if top and all(node.share is not None for node in top):
        total = sum(_size(node) for node in top)
        if abs(total - 1) > _SUM_SLACK:
            yield (
                f"level 1 adds up to {100 * total:.1f} % and not to 100 %: its events were counted "
                "at different times, or for one thread where the core was meant (--smt)"
            )
    impossible = [n for n in tree.nodes.values() if any("impossible" in m for m in n.marks)]
    if impossible:
        named = ", ".join(node.title for node in impossible[:3])
        yield (
            f"{len(impossible)} of the values are impossible ({named}): they are left out; record "
            "again, with fewer events at once"
        )
    if rejected:
        event, why = next(iter(rejected.items()))
        more = f", and {len(rejected) - 1} more" if len(rejected) > 1 else ""
        yield f"{event} {why}{more}: what rests on it is left out"
    yield from cautions


def _repeated(tree: Tree, rounds: int) -> str:
    if any(node.share and node.share.kind == "published" for node in tree.nodes.values()):
        return "published without intervals or repetitions: as certain as the document is"
    paths = tree.limiting()
    if rounds < 3:
        return (
            "counted once: how much it varies is not known; repeat with perf stat -I 1000"
            if rounds <= 1
            else "counted twice: three rounds or more would give intervals (perf stat -I 1000)"
        )
    if not paths:
        return f"counted in {rounds} rounds"
    node = paths[0][0]
    assert node.share is not None
    low = node.share.low
    clear = low is not None and low > node.threshold
    return f"counted in {rounds} rounds: {node.title} is " + (
        f"above {100 * node.threshold:.0f} % with its whole 95 % interval"
        if clear
        else f"not clearly above {100 * node.threshold:.0f} %: its 95 % interval reaches below"
    )


def advice(
    tree: Tree, metrics: Sequence[ExplainedMetric], lacking: Mapping[str, Sequence[str]]
) -> Iterator[Advice]:
    """What to try: for what matters most first, and what to count to know more.

    `lacking` has the events that a part which isn't known needs, by its parent's name.
    """
    if not tree.parts(None):
        yield Advice(
            try_this="planecast explain --events ARCH lists what to count",
            why="without level 1 of the tree the limit is unknown",
        )
    tried: set[str] = set()
    for path in tree.limiting():
        deepest = path[-1]
        events = lacking.get(deepest.node)
        if events:
            yield Advice(
                try_this=f"count {', '.join(events)} too (perf stat -e …)",
                why=f"they distinguish the parts of {deepest.title}",
            )
        if deepest.sample:
            yield Advice(
                try_this=f"perf record -e {deepest.sample.lower()} -C CPUS",
                why=f"shows the place in the code for {deepest.title}",
            )
        for try_this in meaning_of(deepest.node).tries[:_TRIES]:
            if try_this not in tried:
                tried.add(try_this)
                yield Advice(try_this=try_this, why=f"{deepest.title} {_percent(deepest)}")
    yield from _further(tree, metrics)
    if not tree.limiting():
        yield from _less_work(tree)


def _further(tree: Tree, metrics: Sequence[ExplainedMetric]) -> Iterator[Advice]:
    """What doesn't limit and is worth a look all the same."""
    known = [tree.nodes.get("branch_mispredicts"), tree.nodes.get("bad_speculation")]
    branches = next((node for node in known if node is not None and node.share), None)
    if branches is not None and _size(branches) > _BRANCHY and not branches.over:
        yield Advice(
            try_this="profile branch mispredictions",
            why=f"{branches.title} {_percent(branches)}: a profile is worthwhile above "
            f"{100 * _BRANCHY:.0f} %",
        )
    for metric in metrics:
        if metric.over and metric.metric != "instructions_per_cycle":
            for try_this in meaning_of(metric.metric).tries[:1]:
                yield Advice(try_this=try_this, why=f"{metric.title}: {metric.means}")


def _less_work(tree: Tree) -> Iterator[Advice]:
    retiring = tree.nodes.get("retiring")
    if retiring is not None and retiring.share is not None:
        for try_this in meaning_of("retiring").tries:
            yield Advice(try_this=try_this, why=f"Retiring {_percent(retiring)}")


def _size(node: ExplainedNode) -> float:
    return node.share.value if node.share is not None else 0.0


def _percent(node: ExplainedNode) -> str:
    return f"{100 * _size(node):.1f} %"
