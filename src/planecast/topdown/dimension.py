"""Dimension: what a number counts, so that a formula which adds cycles to slots is refused.

A dimension is a product of base units with whole exponents: ``slots/cycle`` is slots by one, cycles
by minus one. Singular and plural are the same unit, and the empty product is a plain number.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

BASE_UNITS = frozenset({"cycle", "slot", "instruction", "event", "tsc", "second", "ns", "byte"})
"""What can be counted. A micro-operation is a slot: it takes one. ``tsc``: reference cycles."""

_PART = re.compile(r"[a-z]+")


@dataclass(frozen=True)
class Dimension:
    """A product of base units."""

    exponents: tuple[tuple[str, int], ...] = ()
    """Base units by name, in order, each with its exponent, which is never 0."""

    def __mul__(self, other: Dimension) -> Dimension:
        return _product(self, other, 1)

    def __truediv__(self, other: Dimension) -> Dimension:
        return _product(self, other, -1)

    def __str__(self) -> str:
        if not self.exponents:
            return "a plain number"
        above = [f"{unit}s" for unit, power in self.exponents for _ in range(max(power, 0))]
        below = [unit for unit, power in self.exponents for _ in range(max(-power, 0))]
        return "/".join([" ".join(above) or "1", *below])


PLAIN = Dimension()
"""The dimension of a share, and of a number without unit."""


def parse_dimension(text: str) -> Dimension:
    """``slots/cycle``, ``events``, ``1`` as a dimension. Raises ValueError for an unknown unit."""
    found = PLAIN
    for position, part in enumerate(text.split("/")):
        if part.strip() == "1":
            continue
        unit = part.strip()
        unit = unit if unit in BASE_UNITS else unit.removesuffix("s")
        if not _PART.fullmatch(unit) or unit not in BASE_UNITS:
            raise ValueError(f"got the unit '{part}'; allowed are {', '.join(sorted(BASE_UNITS))}")
        base = Dimension(((unit, 1),))
        found = found / base if position else found * base
    return found


def _product(left: Dimension, right: Dimension, sign: int) -> Dimension:
    powers = dict(left.exponents)
    for unit, power in right.exponents:
        powers[unit] = powers.get(unit, 0) + sign * power
    return Dimension(tuple(sorted((unit, power) for unit, power in powers.items() if power)))
