"""Expression: a formula over event names, read with Python's grammar and never executed.

Numbers, names, ``+ - * /``, one comparison, ``X if CONDITION else Y``, ``min`` and ``max``;
anything else is refused. A name is an event as vendors write it, its modifiers behind colons
(``L1D_PEND_MISS.FB_FULL:c1``), or a constant, a term, a node of the definition. Values are arrays
with an element an event vector; what is divided by nothing is not a number, and whoever reads the
answer says so.
"""

from __future__ import annotations

import ast
import functools
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from planecast.topdown.dimension import PLAIN, Dimension

Values = NDArray[np.float64]

_MAX_CHARACTERS = 2_000
_SHOWN = 60
_WORD = re.compile(
    r"(?P<number>\d+\.?\d*(?:[eE][+-]?\d+)?)"
    r"|(?P<name>[A-Za-z_][A-Za-z0-9_.]*(?::[A-Za-z0-9_=]+)*)"
)
_KEYWORDS = ("if", "else", "min", "max")
_ALLOWED = "numbers, names, + - * /, one comparison, if and else, min and max of two or more"
_FOREIGN = re.compile(r"[^\w\s.:=+\-*/()<>,]")
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
_SIGNS: dict[type[ast.AST], str] = {
    ast.Add: "+",
    ast.Sub: "-",
    ast.Mult: "*",
    ast.Div: "/",
    ast.Lt: "<",
    ast.Gt: ">",
    ast.LtE: "<=",
    ast.GtE: ">=",
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
    names: list[str] = []

    def placed(match: re.Match[str]) -> str:
        """Names of events are none of Python's, so their places stand for them."""
        if match["number"] or match["name"] in _KEYWORDS:
            return match[0]
        names.append(match["name"])
        return f" _{len(names) - 1} "

    foreign = _FOREIGN.search(text)
    if foreign is not None:
        raise ValueError(f"'{foreign[0]}' is not allowed in a formula")
    try:
        tree = ast.parse(" ".join(_WORD.sub(placed, text).split()), mode="eval")
        return _read(tree.body, names)
    except SyntaxError as error:
        raise ValueError(f"'{_shown(text)}' is not a valid formula: {error.msg}") from None
    except (RecursionError, MemoryError):
        raise ValueError("the formula is nested too deeply") from None


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


def _read(tree: ast.expr, names: Sequence[str]) -> Expression:
    match tree:
        case ast.Constant(value=int() | float() as value):
            return Number(float(value))
        case ast.Name(id=place) if place not in _KEYWORDS:
            return Name(names[int(place[1:])])
        case ast.UnaryOp(op=ast.USub(), operand=part):
            return Operation("-", Number(0.0), _read(part, names))
        case (
            ast.BinOp(left=left, op=operator, right=right)
            | ast.Compare(left=left, ops=[operator], comparators=[right])
        ) if type(operator) in _SIGNS:
            return Operation(_SIGNS[type(operator)], _read(left, names), _read(right, names))
        case ast.IfExp(test=condition, body=then, orelse=otherwise):
            return Choice(_read(condition, names), _read(then, names), _read(otherwise, names))
        case ast.Call(func=ast.Name(id="min" | "max" as called), args=[_, _, *_], keywords=[]):
            parts = [_read(part, names) for part in tree.args]
            return functools.reduce(functools.partial(Operation, called), parts)
    raise ValueError(f"a formula has {_ALLOWED}")


def _shown(text: str) -> str:
    return text if len(text) <= _SHOWN else f"{text[:_SHOWN]}…"
