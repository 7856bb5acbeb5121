"""What a scenario keeps of another one when the kind of its data plane changes.

A key that the new kind has not is forgotten while it has its default. One that somebody set stays,
so that it is refused: nothing that was asked for vanishes in silence.
"""

from __future__ import annotations

from collections.abc import Collection
from typing import Any

from pydantic import BaseModel

from planecast.scenario.dataplane import KINDS, kind_of
from planecast.scenario.dataplanes.hosted import Kind
from planecast.scenario.scenario import Scenario


def forget_defaults(data: dict[str, Any], before: Kind, typed: Collection[str]) -> None:
    """Takes out of a scenario's data what does not apply to its data plane any more, but for
    `typed` (dotted keys) and for what is not the default."""
    section = data.get("dataplane", {})
    kind = KINDS.get(str(kind_of(section)))
    if kind is None or not isinstance(section, dict):
        return  # refused by whoever reads it
    old = type(before).model_fields
    gone = [name for name in section if name not in kind.model_fields and name in old]
    gone += [name for name, _ in kind.inapplicable(section)]
    for name in gone:
        if name not in section or _named(f"dataplane.{name}", typed):
            continue
        if name not in old or section[name] == _plain(old[name].get_default()):
            del section[name]
    for key in kind.lacks:
        _forget(data, key, typed)


def _forget(data: dict[str, Any], key: str, typed: Collection[str]) -> None:
    section, _, inner = key.partition(".")
    if section not in data or _named(key, typed):
        return
    usual = _plain(Scenario.model_fields[section].get_default())
    if not inner:
        if data[section] == usual:
            del data[section]
    elif inner in data[section] and data[section][inner] == usual[inner]:
        del data[section][inner]


def _named(key: str, typed: Collection[str]) -> bool:
    return any(name == key or name.startswith(f"{key}.") for name in typed)


def _plain(default: Any) -> Any:
    """A default as a dump of a scenario has it."""
    return default.model_dump() if isinstance(default, BaseModel) else default
