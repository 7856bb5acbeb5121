"""Frame sizes of a flow, with FCS: one, a few in turn, or a mixture by weights."""

from __future__ import annotations

import math
from dataclasses import dataclass

from planecast.generators.otg.node import Node

BYTES_MIN, BYTES_MAX = 64, 9000
_SIZES_MAX = 16
_WEIGHTS_MAX = 4096
"""Packets after which the generator's pattern of sizes repeats, at most."""

_PREDEFINED = {
    "imix": ((64, 7.0), (570, 4.0), (1518, 1.0)),
    "ipsec_imix": ((90, 58.67), (92, 2.0), (594, 23.66), (1418, 15.67)),
    "tcp_imix": ((90, 58.67), (92, 2.0), (594, 23.66), (1518, 15.67)),
}
"""The model's own, but for those with sizes below 64 bytes, which Ethernet does not have."""


@dataclass(frozen=True)
class Sizes:
    """Sizes in bytes with weights; packets come as evenly mixed as these allow."""

    weights: tuple[tuple[int, int], ...]

    @property
    def mean_bytes(self) -> float:
        """Mean frame size."""
        total = sum(weight for _, weight in self.weights)
        return sum(size * weight for size, weight in self.weights) / total

    @property
    def text(self) -> str:
        """The generator's key ``sizes``."""
        return ",".join(f"{size}:{weight}" for size, weight in self.weights)


def sizes_of(flow: Node) -> Sizes:
    """``size`` of a flow."""
    node = flow.child("size")
    choice = node.choice("fixed", ("fixed", "increment", "weight_pairs"))
    sizes = Sizes(((64, 1),))
    if choice == "fixed":
        sizes = Sizes(((node.integer("fixed", 64, BYTES_MIN, BYTES_MAX), 1),))
    elif choice == "increment":
        sizes = _increment(node)
    elif choice == "weight_pairs":
        sizes = _weight_pairs(node.child("weight_pairs"))
    node.finish()
    return sizes


def _increment(node: Node) -> Sizes:
    counter = node.child("increment")
    start = counter.integer("start", 64, BYTES_MIN, BYTES_MAX)
    end = counter.integer("end", 1518, BYTES_MIN, BYTES_MAX)
    step = counter.integer("step", 1, 1, BYTES_MAX)
    counter.finish()
    found = range(start, end + 1, step)
    if not 1 <= len(found) <= _SIZES_MAX:
        node.refuse("increment", f"makes {len(found)} sizes; supported are 1 to {_SIZES_MAX}")
        return Sizes(((64, 1),))
    return Sizes(tuple((size, 1) for size in found))


def _weight_pairs(node: Node) -> Sizes:
    pairs: tuple[tuple[int, float], ...] = ()
    choice = node.choice("predefined", ("predefined", "custom"))
    if choice == "predefined":
        name = node.text("predefined", "imix")
        pairs = _PREDEFINED.get(name, ())
        if not pairs:
            node.refuse("predefined", f"{name} is not supported: {', '.join(_PREDEFINED)} are")
    elif choice == "custom":
        pairs = tuple(
            (
                pair.integer("size", 64, BYTES_MIN, BYTES_MAX),
                pair.number("weight", 1.0, 1e-6, 1e6),
            )
            for pair in node.children("custom")
        )
        if not 1 <= len(pairs) <= _SIZES_MAX:
            node.refuse("custom", f"has {len(pairs)} sizes; supported are 1 to {_SIZES_MAX}")
            pairs = ()
    node.finish()
    return Sizes(_whole(pairs)) if pairs else Sizes(((64, 1),))


def _whole(pairs: tuple[tuple[int, float], ...]) -> tuple[tuple[int, int], ...]:
    """The weights as whole numbers: the same shares, or the nearest in 1/4000."""
    scaled = [round(weight * 1000) for _, weight in pairs]
    divisor = math.gcd(*scaled) or 1
    if min(scaled) == 0 or sum(scaled) // divisor > _WEIGHTS_MAX:
        total = sum(weight for _, weight in pairs)
        scaled, divisor = [max(1, round(weight / total * 4000)) for _, weight in pairs], 1
    return tuple((size, weight // divisor) for (size, _), weight in zip(pairs, scaled, strict=True))
