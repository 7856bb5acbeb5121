"""The file that callgrind writes: exclusive costs by function, inclusive costs by call.

The format is documented in valgrind's manual, "Callgrind Format Specification". Of it this reads
what costs belong to: names (compressed as ``(id) name``, then ``(id)``), calls and cost lines;
source lines are passed over.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable
from dataclasses import dataclass, field

from planecast.errors import RunError
from planecast.workload.counts import stage_of

Function = tuple[str, str]
"""Name and object, the object without its folder."""

_NAME = re.compile(r"\((\d+)\)(?: (.*))?$")
_COST = re.compile(r"[+\-*]?\d*(?: |$)")


@dataclass
class CallgrindProfile:
    """Costs of one thread or more; a cost is a number for each event."""

    events: tuple[str, ...] = ()
    """What was counted: ``Ir``, and with the cache simulation ``Dr Dw D1mr …``."""
    exclusive: dict[Function, list[int]] = field(default_factory=dict)
    """Cost by function, what it called not included."""
    inclusive: dict[tuple[Function, Function], list[int]] = field(default_factory=dict)
    """Cost by (caller, callee), what the callee called included."""
    calls: dict[tuple[Function, Function], int] = field(default_factory=dict)
    """Number of calls by (caller, callee)."""

    @property
    def totals(self) -> list[int]:
        """Cost in all."""
        return [sum(column) for column in zip(*self.exclusive.values(), strict=True)]


class _Names:
    """Names of one kind, by the number that stands for them after the first time."""

    def __init__(self) -> None:
        self._known: dict[str, str] = {}

    def read(self, text: str) -> str:
        match = _NAME.match(text)
        if match is None:
            return text
        number, name = match.groups()
        if name is not None:
            self._known[number] = name
        return self._known.get(number, "?")


class _Parser:
    def __init__(self) -> None:
        self.profile = CallgrindProfile()
        self._functions, self._objects = _Names(), _Names()
        self._object = self._callee_object = "?"
        self._function: Function = ("?", "?")
        self._callee: Function = ("?", "?")
        self._calls: int | None = None
        self._exclusive: dict[Function, list[int]] = defaultdict(self._zero)
        self._inclusive: dict[tuple[Function, Function], list[int]] = defaultdict(self._zero)
        self._positions = 1
        self._stated: list[int] | None = None

    def _zero(self) -> list[int]:
        return [0] * len(self.profile.events)

    def line(self, text: str) -> None:
        key, found, value = text.partition("=")
        if found and key.isalpha():
            self._assign(key, value)
        elif _COST.match(text) and text[0] in "+-*0123456789":
            self._cost(text)
        else:
            self._header(text)

    def _assign(self, key: str, value: str) -> None:
        if key == "ob":
            self._object = _base(self._objects.read(value))
        elif key == "cob":
            self._callee_object = _base(self._objects.read(value))
        elif key == "fn":
            self._function = (self._functions.read(value), self._object)
            self._callee_object = self._object
        elif key == "cfn":
            self._callee = (self._functions.read(value), self._callee_object)
            self._callee_object = self._object  # a cob holds for one call
        elif key == "calls":
            self._calls = int(value.split(maxsplit=1)[0])

    def _cost(self, text: str) -> None:
        numbers = [int(part) for part in text.split()[self._positions :]]
        if self._calls is None:
            into = self._exclusive[self._function]
        else:
            pair = (self._function, self._callee)
            self.profile.calls[pair] = self.profile.calls.get(pair, 0) + self._calls
            into = self._inclusive[pair]
            self._calls = None
        for i, number in enumerate(numbers):  # zeros at the end are left out
            into[i] += number

    def _header(self, text: str) -> None:
        key, _, value = text.partition(":")
        if key == "events":
            self.profile.events = tuple(value.split())
        elif key == "positions":
            self._positions = len(value.split())
        elif key == "totals":
            self._stated = [int(part) for part in value.split()]

    def done(self) -> CallgrindProfile:
        profile = self.profile
        profile.exclusive = dict(self._exclusive)
        profile.inclusive = dict(self._inclusive)
        stated = self._stated or []
        if any(a != b for a, b in zip(stated, profile.totals, strict=False)):
            raise RunError(
                f"callgrind's file says {stated[0]} instructions and holds {profile.totals[0]}",
                what_to_do="report this with the file: the parser misread it",
            )
        return profile


def parse_callgrind(lines: Iterable[str]) -> CallgrindProfile:
    """Reads a callgrind output file. Raises RunError when it holds no costs or contradicts
    itself."""
    parser = _Parser()
    for line in lines:
        text = line.strip()
        if text and not text.startswith("#"):
            try:
                parser.line(text)
            except (ValueError, IndexError) as error:
                raise RunError(f"callgrind's file has a line that can't be read: {text}") from error
    return parser.done()


def join_threads(threads: Iterable[CallgrindProfile]) -> CallgrindProfile:
    """The costs of the threads that ran a stage, or of all when none did.

    A data plane's other threads poll while its forwarding thread runs, as often as the scheduler
    lets them: their instructions are chance. Raises RunError when nothing was counted.
    """
    counted = [thread for thread in threads if thread.exclusive]
    if not counted:
        raise RunError(
            "callgrind counted nothing",
            what_to_do="start the program so that it switches instrumentation on",
        )
    forwarding = [t for t in counted if any(stage_of(name) for name, _ in t.exclusive)]
    whole = CallgrindProfile(events=counted[0].events)
    for thread in forwarding or counted:
        for function, cost in thread.exclusive.items():
            whole.exclusive[function] = _sum(whole.exclusive.get(function), cost)
        for pair, cost in thread.inclusive.items():
            whole.inclusive[pair] = _sum(whole.inclusive.get(pair), cost)
        for pair, number in thread.calls.items():
            whole.calls[pair] = whole.calls.get(pair, 0) + number
    return whole


def _sum(before: list[int] | None, cost: list[int]) -> list[int]:
    return list(cost) if before is None else [a + b for a, b in zip(before, cost, strict=True)]


def _base(path: str) -> str:
    return path.rpartition("/")[2] or path
