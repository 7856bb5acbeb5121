"""Flame graph: costs of a callgrind profile, or samples of perf's, as a tree of calls.

perf's samples are stacks and need adding up alone. callgrind keeps costs by caller and callee, not
by stack: a function that several call has its own callees' costs shared among its callers as its
cost is: exact where it does the same for each of them, else the best that the profile shows.
Recursion is cut where a function stands on its own stack.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass

from planecast.errors import InputError
from planecast.instruments.callgrind_output import CallgrindProfile, Function
from planecast.instruments.recorded.perf_script import SampledStacks

_SHOWN = 0.001
"""Frames below this share of the whole are part of their caller alone."""
_DEEPEST = 40


@dataclass(frozen=True)
class Frame:
    """One call on one stack."""

    stack: tuple[str, ...]
    """From the outermost function to this one."""
    cost: float
    """What it takes, what it calls included."""
    own: float
    """What it takes itself, frames too small to show included."""

    @property
    def name(self) -> str:
        """The function."""
        return self.stack[-1]


def flame(profile: CallgrindProfile, event: str = "Ir") -> list[Frame]:
    """The frames of a profile, each before those that it calls; costs are of `event`.

    Raises InputError for an event that wasn't counted, and for a profile of nothing.
    """
    if event not in profile.events:
        raise InputError(
            f"{event} was not counted", "callgrind", f"counted: {', '.join(profile.events) or '–'}"
        )
    tree = _Tree(profile, profile.events.index(event))
    if not tree.total > 0:
        raise InputError("the profile holds no cost", "callgrind", "see that it was switched on")
    return [frame for root in tree.roots() for frame in tree.frames(root, tree.cost[root], ())]


def sampled_flame(sampled: SampledStacks) -> list[Frame]:
    """The frames of samples, each before those that it calls, the most expensive first."""
    cost: dict[tuple[str, ...], float] = defaultdict(float)
    for stack, weight in sampled.stacks.items():
        for depth in range(1, min(len(stack), _DEEPEST) + 1):
            cost[stack[:depth]] += weight
    least = _SHOWN * sum(sampled.stacks.values())
    inner: dict[tuple[str, ...], list[tuple[str, ...]]] = defaultdict(list)
    for stack in sorted(cost, key=lambda stack: -cost[stack]):
        if cost[stack] >= least:
            inner[stack[:-1]].append(stack)

    def frames(stack: tuple[str, ...]) -> Iterator[Frame]:
        yield Frame(stack, cost[stack], cost[stack] - sum(cost[s] for s in inner[stack]))
        for deeper in inner[stack]:
            yield from frames(deeper)

    return [frame for root in inner[()] for frame in frames(root)]


class _Tree:
    def __init__(self, profile: CallgrindProfile, at: int) -> None:
        self.own: dict[Function, float] = {f: c[at] for f, c in profile.exclusive.items()}
        self.total = sum(self.own.values())
        self.callees: dict[Function, list[tuple[Function, float]]] = defaultdict(list)
        called: dict[Function, float] = defaultdict(float)
        for (caller, callee), cost in profile.inclusive.items():
            if caller != callee:
                self.callees[caller].append((callee, cost[at]))
                called[callee] += cost[at]
        functions = {*self.own, *self.callees, *called}
        # A function's cost with all that it calls: what its callers paid, else its own and theirs.
        self.cost = {
            f: max(called[f], self.own.get(f, 0.0) + sum(c for _, c in self.callees[f]))
            for f in functions
        }
        self._called = {f for f, cost in called.items() if cost > 0}

    def roots(self) -> list[Function]:
        """Functions that nobody calls, the most expensive first."""
        found = [f for f in self.cost if f not in self._called and self.cost[f] > 0]
        return sorted(found, key=lambda f: -self.cost[f])

    def frames(self, of: Function, cost: float, stack: tuple[Function, ...]) -> Iterator[Frame]:
        """The frame of a function that takes `cost` here, and those that it calls."""
        stack = (*stack, of)
        scale = cost / self.cost[of] if self.cost[of] else 0.0
        inner = [
            (callee, part * scale)
            for callee, part in sorted(self.callees[of], key=lambda pair: -pair[1])
            if part * scale >= _SHOWN * self.total and callee not in stack and len(stack) < _DEEPEST
        ]
        own = max(cost - sum(part for _, part in inner), 0.0)
        yield Frame(tuple(name for name, _ in stack), cost, own)
        for callee, part in inner:
            yield from self.frames(callee, part, stack)
