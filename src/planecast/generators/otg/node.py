"""Reading the model: an object that knows its path, and what nobody has asked for.

What is wrong is collected, so that one answer names all of it. What a mapping does not take from an
object is unsupported, and `finish` names it: a key that we never heard of can't be overlooked.
"""

from __future__ import annotations

import json
import math
from typing import Any

AT_REST = frozenset(
    (
        *("captures", "devices", "egress_only_tracking", "events", "lags", "lldp", "options"),
        *("stateful_flows", "egress_packet", "payload", "rx_tx_ratio", "timestamps"),
        *("predefined_metric_tags", "metric_tags", "tagged_metrics", "auto_negotiate"),
        *("auto_negotiation", "flow_control", "ieee_media_defaults", "media", "pfc_queue"),
        *("enable", "port_options", "protocol_options", "location_preemption", "data_integrity"),
    )
)
"""Members of the model that nothing here supports, and that clients send although they are off."""


def _is_nothing(value: Any) -> bool:
    """Says no more than the model's absence would, by members of the model alone."""
    if isinstance(value, dict):
        return all(key in AT_REST and _is_nothing(item) for key, item in value.items())
    return value is None or value is False or value == []


class Node:
    """One object of the model, such as ``flows[0].packet[1]``."""

    def __init__(self, value: Any, path: str, problems: list[str]) -> None:
        self.path = path
        self.problems = problems
        self._value: dict[str, Any] = {}
        self._nulls: set[str] = set()
        if isinstance(value, dict):
            self._value = {key: item for key, item in value.items() if item is not None}
            self._nulls = value.keys() - self._value.keys()
        elif value is not None:
            problems.append(f"{path or 'the request'}: got {_show(value)}, which is not an object")
        self._taken: set[str] = set()
        self._may_rest = set(AT_REST)

    def at(self, key: str) -> str:
        """The path of a member."""
        return f"{self.path}.{key}" if self.path else key

    def refuse(self, key: str, why: str) -> None:
        """A problem with a member, or with this object when `key` is empty."""
        self.problems.append(f"{self.at(key) if key else self.path}: {why}")

    def has(self, key: str) -> bool:
        """Whether the member is there and says something."""
        return key in self._value

    def take(self, key: str) -> Any:
        """The member as it is; None when it is absent."""
        self._taken.add(key)
        return self._value.get(key)

    def child(self, key: str) -> Node:
        """A member that is an object; an empty one when it is absent."""
        return Node(self.take(key), self.at(key), self.problems)

    def children(self, key: str) -> list[Node]:
        """A member that is a list of objects."""
        return [
            Node(item, f"{self.at(key)}[{number}]", self.problems)
            for number, item in enumerate(self.items(key))
        ]

    def items(self, key: str) -> list[Any]:
        """A member that is a list."""
        value = self.take(key)
        if value is None:
            return []
        if not isinstance(value, list):
            self.refuse(key, f"got {_show(value)}, which is not a list")
            return []
        return value

    def texts(self, key: str) -> list[str]:
        """A member that is a list of strings."""
        found = self.items(key)
        for item in found:
            if not isinstance(item, str):
                self.refuse(key, f"got {_show(item)}, which is not a string")
        return [item for item in found if isinstance(item, str)]

    def text(self, key: str, default: str = "") -> str:
        """A member that is a string."""
        value = self.take(key)
        if value is None:
            return default
        if not isinstance(value, str):
            self.refuse(key, f"got {_show(value)}, which is not a string")
            return default
        return value

    def flag(self, key: str) -> bool:
        """A member that is true or false; false when it is absent."""
        value = self.take(key)
        if value is not None and not isinstance(value, bool):
            self.refuse(key, f"got {_show(value)}, which is neither true nor false")
        return value is True

    def integer(self, key: str, default: int, low: int, high: int) -> int:
        """A whole number; 64-bit ones come as strings."""
        value = self.take(key)
        if value is None:
            return default
        found = as_integer(value)
        if found is None or not low <= found <= high:
            self.refuse(
                key, f"got {_show(value)}, which is not a whole number from {low} to {high}"
            )
            return default
        return found

    def number(self, key: str, default: float, low: float, high: float) -> float:
        """A number."""
        value = self.take(key)
        if value is None:
            return default
        fine = isinstance(value, int | float) and not isinstance(value, bool)
        if not fine or not math.isfinite(value) or not low <= value <= high:
            self.refuse(key, f"got {_show(value)}, which is not a number from {low:g} to {high:g}")
            return default
        return float(value)

    def choice(self, default: str, supported: tuple[str, ...]) -> str:
        """Which of its alternatives this object has.

        Without ``choice`` it is the only member that is there, as in OTG's own clients. One that
        is not supported is a problem that names it; then the answer is empty.
        """
        self._may_rest.update(supported)
        members = [key for key in self._value if key not in ("choice", "metric_tags")]
        found = self.text("choice", members[0] if len(members) == 1 else default)
        if found in supported:
            return found
        self._taken.add(found)
        self.refuse(found, f"is not supported; supported here: {', '.join(supported)}")
        return ""

    def finish(self) -> None:
        """Names every member that nobody took."""
        for key, value in self._value.items():
            if key not in self._taken and not (key in self._may_rest and _is_nothing(value)):
                self.refuse(key, "is not supported")
        # Null says as much as absence, but only of a member that the model has.
        for key in sorted(self._nulls - self._taken - self._may_rest):
            self.refuse(key, "is not supported")


def as_integer(value: Any) -> int | None:
    """A whole number, or one in a string, as 64-bit numbers stand in JSON."""
    if isinstance(value, str) and value.isascii() and value.isdigit():
        return int(value) if len(value) <= 20 else None
    return value if isinstance(value, int) and not isinstance(value, bool) else None


def _show(value: Any) -> str:
    text = json.dumps(value)
    return text if len(text) <= 40 else text[:37] + "…"
