"""Provenance: which published figures a value rests on, followed through every computation.

Every figure of a document, and every measured row, is read through `read`, which notes its id for
whoever computes at that time (`traced`), caches included (`remembered`). So a value's ancestors are
found, not declared. `altered` multiplies figures, so that a test can see whether an id that moves a
value is among its ancestors.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from functools import wraps
from typing import Generic, ParamSpec, TypeVar

P = ParamSpec("P")
R = TypeVar("R")

_readers: list[set[str]] = []
_factors: dict[str, float] = {}


def read(key: str, value: float) -> float:
    """A figure by its id, noted; times what it is altered by."""
    rests_on(key)
    return value * _factors.get(key, 1.0)


def rests_on(*keys: str) -> None:
    """Note ids: of figures, or of rules that a document computed figures by itself."""
    for reader in _readers:
        reader.update(keys)


@dataclass(frozen=True)
class Traced:
    """A value with the ids of all that it was computed from."""

    value: float
    ids: frozenset[str]

    @classmethod
    def of(cls, compute: Callable[P, float], *given: P.args, **named: P.kwargs) -> Traced:
        """The value of a computation, traced."""
        with _reading() as ids:
            value = compute(*given, **named)
        return cls(value, frozenset(ids))


@contextmanager
def _reading() -> Iterator[set[str]]:
    ids: set[str] = set()
    _readers.append(ids)
    try:
        yield ids
    finally:
        # By identity: equal sets of two readers are two.
        _readers[:] = [one for one in _readers if one is not ids]


@contextmanager
def altered(factors: Mapping[str, float]) -> Iterator[None]:
    """Figures times factors, for as long as it lasts."""
    before = dict(_factors)
    _factors.update(factors)
    try:
        yield
    finally:
        _factors.clear()
        _factors.update(before)


class _Remembered(Generic[R]):
    """Results by arguments and by what is altered, each with the ids that it read."""

    def __init__(self) -> None:
        self.found: dict[object, tuple[R, frozenset[str]]] = {}


def remembered(compute: Callable[P, R]) -> Callable[P, R]:
    """A cache that notes what the first computation read each time it answers."""
    memory: _Remembered[R] = _Remembered()

    @wraps(compute)
    def answer(*given: P.args, **named: P.kwargs) -> R:
        key = (given, tuple(sorted(named.items())), tuple(sorted(_factors.items())))
        if key not in memory.found:
            with _reading() as ids:
                value = compute(*given, **named)
            memory.found[key] = (value, frozenset(ids))
        value, known = memory.found[key]
        rests_on(*known)
        return value

    return answer
