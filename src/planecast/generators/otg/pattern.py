"""Patterns of the model: one value, some values, values that go up or down.

The generator has flows, numbered packet by packet, and a field is base + number times step in the
field's width. That is every pattern whose values are evenly spaced.
"""

from __future__ import annotations

import ipaddress
import itertools
import re
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from planecast.generators.otg.node import Node, as_integer

COUNT_MAX = 1 << 24
"""Flows of a stream, at most."""

_MAC = re.compile(r"[0-9a-fA-F]{2}(:[0-9a-fA-F]{2}){5}")


@dataclass(frozen=True)
class Field:
    """How a field's values are written, and how wide it is."""

    bits: int
    what: str
    read: Callable[[Any], int | None]
    write: Callable[[int], str] = str


@dataclass(frozen=True)
class Steps:
    """Values ``first + k * step`` modulo the field's width, for k below `count`, and again."""

    first: int
    step: int = 0
    count: int = 1


def _read_mac(value: Any) -> int | None:
    if not isinstance(value, str) or not _MAC.fullmatch(value):
        return None
    return int(value.replace(":", ""), 16)


def _write_mac(value: int) -> str:
    return ":".join(f"{value:012x}"[i : i + 2] for i in range(0, 12, 2))


def _read_ipv4(value: Any) -> int | None:
    try:
        return int(ipaddress.IPv4Address(value)) if isinstance(value, str) else None
    except ValueError:
        return None


def _whole(bits: int) -> Field:
    return Field(bits, f"a whole number below {1 << bits}", as_integer)


MAC = Field(48, "a MAC address such as 02:00:00:00:00:01", _read_mac, _write_mac)
IPV4 = Field(
    32, "an address such as 10.0.0.1", _read_ipv4, lambda value: str(ipaddress.IPv4Address(value))
)
VLAN_ID = _whole(12)
PORT = _whole(16)
DSCP = _whole(6)
BYTE = _whole(8)
WORD = _whole(16)


_SUPPORTED = ("value", "values", "increment", "decrement")


def values_of(
    parent: Node, key: str, field: Field, default: int, *, auto: bool = False
) -> list[int] | Steps:
    """The pattern in member `key` of `parent`: a list of values, or steps.

    `auto`: the model may leave the value to us.
    """
    node = parent.child(key)
    choice = node.choice("value", (*_SUPPORTED, "auto") if auto else _SUPPORTED)
    found: list[int] | Steps = [default]
    if choice == "value":
        found = [_value(node, "value", field, default)]
    elif choice == "values":
        found = [_read(node, "values", field, item, default) for item in node.items("values")]
        found = found or [default]
    elif choice in ("increment", "decrement"):
        counter = node.child(choice)
        step = _value(counter, "step", field, 1)
        found = Steps(
            _value(counter, "start", field, default),
            (step if choice == "increment" else -step) % (1 << field.bits),
            counter.integer("count", 1, 1, COUNT_MAX),
        )
        counter.finish()
    elif choice == "auto":
        node.take("auto")
    node.finish()
    return found


def steps_of(
    parent: Node, key: str, field: Field, default: int = 0, *, auto: bool = False
) -> Steps:
    """The pattern as steps; one whose values are not evenly spaced is a problem."""
    found = values_of(parent, key, field, default, auto=auto)
    if isinstance(found, Steps):
        return found if found.step and found.count > 1 else Steps(found.first)
    if len(set(found)) == 1:
        return Steps(found[0])
    differences = {
        (after - before) % (1 << field.bits) for before, after in itertools.pairwise(found)
    }
    if len(differences) > 1:
        parent.refuse(f"{key}.values", "is supported only for values that are evenly spaced")
        return Steps(found[0])
    return Steps(found[0], differences.pop(), len(found))


def only(parent: Node, key: str, field: Field, sent: int) -> None:
    """A field that the generator sets itself: the model may say the same, or nothing."""
    if parent.has(key) and steps_of(parent, key, field, sent, auto=True) != Steps(sent):
        parent.refuse(key, f"is always sent as {field.write(sent)}")


def _value(node: Node, key: str, field: Field, default: int) -> int:
    value = node.take(key)
    return default if value is None else _read(node, key, field, value, default)


def _read(node: Node, key: str, field: Field, value: Any, default: int) -> int:
    found = field.read(value)
    if found is None or not 0 <= found < 1 << field.bits:
        node.refuse(key, f"got {value!r}, which is not {field.what}")
        return default
    return found
