"""Expression: a formula over event names, read by a small grammar of its own and never executed.

::

    choice   = sum [compare sum] ["if" choice "else" choice]
    sum      = product {("+" | "-") product}
    product  = factor {("*" | "/") factor}
    factor   = number | name | "-" factor | "(" choice ")"
             | ("min" | "max") "(" choice "," choice {"," choice} ")"

A name is an event as vendors write it, its modifiers behind colons (``L1D_PEND_MISS.FB_FULL:c1``),
or a constant, a term, a node of the definition. Values are arrays with an element an event vector;
what is divided by nothing is not a number, and whoever reads the answer says so.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from planecast.topdown.dimension import PLAIN, Dimension

Values = NDArray[np.float64]

_MAX_CHARACTERS = 2_000
_MAX_DEPTH = 50
_TOKEN = re.compile(
    r"\s*(?:(?P<number>\d+\.?\d*(?:[eE][+-]?\d+)?)"
    r"|(?P<name>[A-Za-z_][A-Za-z0-9_.]*(?::[A-Za-z0-9_=]+)*)"
    r"|(?P<mark><=|>=|[-+*/()<>,]))"
)
_COMPARE: dict[str, Callable[[Any, Any], Any]] = {
    "<": np.less,
    ">": np.greater,
    "<=": np.less_equal,
    ">=": np.greater_equal,
}
_ARITHMETIC: dict[str, Callable[[Any, Any], Any]] = {
    "+": np.add,
    "-": np.subtract,
    "*": np.multiply,
    "/": np.divide,
    "min": np.minimum,
    "max": np.maximum,
}
_SAME_UNIT = frozenset({"+", "-", "min", "max", *_COMPARE})


@dataclass(frozen=True)
class Number:
    """A number as it stands in the formula."""

    value: float


@dataclass(frozen=True)
class Name:
    """An event, a constant, a term or a node."""

    name: str


@dataclass(frozen=True)
class Operation:
    """Two operands: arithmetic, ``min``, ``max`` or a comparison."""

    operator: str
    left: Expression
    right: Expression


@dataclass(frozen=True)
class Choice:
    """One of two, as a condition has it."""

    condition: Expression
    then: Expression
    otherwise: Expression


Expression = Number | Name | Operation | Choice


def parse_expression(text: str) -> Expression:
    """The formula in `text`. Raises ValueError with a sentence that says where it is wrong."""
    if len(text) > _MAX_CHARACTERS:
        raise ValueError(f"a formula of {len(text)} characters; allowed are {_MAX_CHARACTERS}")
    return _Reader(text).whole()


def names(expression: Expression) -> Iterator[str]:
    """Every name in the formula, as often as it stands there."""
    match expression:
        case Name(name):
            yield name
        case Operation(_, left, right):
            yield from names(left)
            yield from names(right)
        case Choice(condition, then, otherwise):
            for part in (condition, then, otherwise):
                yield from names(part)


def evaluate(expression: Expression, values: Mapping[str, Values]) -> Values:
    """The formula over arrays. Raises KeyError for a name that `values` lacks."""
    match expression:
        case Number(value):
            return np.asarray(value, dtype=np.float64)
        case Name(name):
            return values[name]
        case Choice(condition, then, otherwise):
            chosen = evaluate(condition, values)
            return np.where(chosen > 0, evaluate(then, values), evaluate(otherwise, values))
        case Operation(operator, left, right):
            function = _ARITHMETIC.get(operator) or _COMPARE[operator]
            with np.errstate(divide="ignore", invalid="ignore", over="ignore"):
                answer = function(evaluate(left, values), evaluate(right, values))
            return np.asarray(answer, dtype=np.float64)


def dimension(expression: Expression, units: Mapping[str, Dimension]) -> Dimension:
    """What the formula counts.

    Raises ValueError where different things are added or compared, KeyError for an unknown name.
    """
    match expression:
        case Number():
            return PLAIN
        case Name(name):
            return units[name]
        case Choice(condition, then, otherwise):
            dimension(condition, units)
            return _same("if/else", then, otherwise, units)
        case Operation(operator, left, right) if operator in _SAME_UNIT:
            found = _same(operator, left, right, units)
            return PLAIN if operator in _COMPARE else found
        case Operation(operator, left, right):
            above, below = dimension(left, units), dimension(right, units)
            return above * below if operator == "*" else above / below


def _same(
    operator: str, left: Expression, right: Expression, units: Mapping[str, Dimension]
) -> Dimension:
    first, second = dimension(left, units), dimension(right, units)
    if left == Number(0.0):  # nothing has every unit
        return second
    if right != Number(0.0) and first != second:
        raise ValueError(f"'{operator}' joins {first} and {second}")
    return first


class _Reader:
    """Reads a formula from left to right, one token ahead."""

    def __init__(self, text: str) -> None:
        self._tokens = list(_tokens(text))
        self._at = 0
        self._depth = 0

    def whole(self) -> Expression:
        found = self._choice()
        if self._kind:
            raise ValueError(f"'{self._text}' is more than the formula needs")
        return found

    @property
    def _kind(self) -> str:
        return self._tokens[self._at][0] if self._at < len(self._tokens) else ""

    @property
    def _text(self) -> str:
        return self._tokens[self._at][1] if self._at < len(self._tokens) else ""

    def _take(self) -> str:
        if not self._kind:
            raise ValueError("the formula ends too early")
        text = self._text
        self._at += 1
        return text

    def _expect(self, text: str) -> None:
        if self._text != text:
            raise ValueError(f"'{self._text or 'the end'}' stands where '{text}' is needed")
        self._at += 1

    def _choice(self) -> Expression:
        self._depth += 1
        if self._depth > _MAX_DEPTH:
            raise ValueError("the formula is nested too deeply")
        found = self._compared()
        if self._text == "if":
            self._at += 1
            condition = self._compared()
            self._expect("else")
            found = Choice(condition, found, self._choice())
        self._depth -= 1
        return found

    def _compared(self) -> Expression:
        found = self._chain(("+", "-"), lambda: self._chain(("*", "/"), self._factor))
        if self._text in _COMPARE:
            operator = self._take()
            right = self._chain(("+", "-"), lambda: self._chain(("*", "/"), self._factor))
            return Operation(operator, found, right)
        return found

    def _chain(self, operators: tuple[str, ...], part: Callable[[], Expression]) -> Expression:
        found = part()
        while self._text in operators:
            operator = self._take()
            found = Operation(operator, found, part())
        return found

    def _factor(self) -> Expression:
        kind, text = self._kind, self._take()
        if kind == "number":
            return Number(float(text))
        if text in ("min", "max"):
            return self._call(text)
        if text == "(":
            found = self._choice()
            self._expect(")")
            return found
        if text == "-":
            return Operation("-", Number(0.0), self._factor())
        if kind == "name" and text not in ("if", "else"):
            return Name(text)
        raise ValueError(f"'{text}' stands where a number or a name is needed")

    def _call(self, function: str) -> Expression:
        self._expect("(")
        found = self._choice()
        self._expect(",")
        found = Operation(function, found, self._choice())
        while self._text == ",":
            self._at += 1
            found = Operation(function, found, self._choice())
        self._expect(")")
        return found


def _tokens(text: str) -> Iterator[tuple[str, str]]:
    at, end = 0, len(text.rstrip())
    while at < end:
        match = _TOKEN.match(text, at)
        if match is None:
            raise ValueError(f"'{text[at:].strip()[:12]}' is no part of a formula")
        kind = str(match.lastgroup)
        yield kind, match[kind]
        at = match.end()
