"""Dotted keys of a noun, what each allows in words, and the key a mistyped one may have meant."""

from __future__ import annotations

import difflib
from collections.abc import Iterable, Iterator
from types import NoneType
from typing import Any, Literal, get_args, get_origin

from annotated_types import Ge, Gt, Le
from pydantic import BaseModel
from pydantic.fields import FieldInfo

Location = tuple[str | int, ...]
"""Keys and list positions from the top of a document to a value in it."""

RENAMED = {
    "interference.neighbour_lines_per_s": "neighbour.rate, with neighbour.stream or neighbour.walk",
    "interference.neighbour_bytes": "neighbour.stream or neighbour.walk",
    "interference.neighbour_ways": "neighbour.ways",
}
"""Keys that a scenario had, and what says the same today."""


def dotted_keys(noun: type[BaseModel], prefix: str = "") -> Iterator[str]:
    """Every key of `noun` that holds a value, such as ``traffic.flows``, in order."""
    for name, field in noun.model_fields.items():
        inner = field.annotation
        if isinstance(inner, type) and issubclass(inner, BaseModel):
            yield from dotted_keys(inner, f"{prefix}{name}.")
        else:
            yield f"{prefix}{name}"


def field_at(noun: type[BaseModel], location: Iterable[str | int]) -> FieldInfo | None:
    """The field of `noun` at this place; the list itself for a place inside a list."""
    found: FieldInfo | None = None
    current: Any = noun
    for part in location:
        if not (isinstance(current, type) and issubclass(current, BaseModel)):
            return found
        found = current.model_fields.get(str(part))
        if found is None:
            return None
        current = found.annotation
    return found


def allowed(field: FieldInfo) -> str:
    """What the field takes, in words: ``a whole number from 1 to 256``."""
    return _allowed(field.annotation, field.metadata)


def _allowed(kind: Any, metadata: list[Any]) -> str:
    if get_origin(kind) is Literal:
        choices = [str(choice) for choice in get_args(kind)]
        return choices[0] if len(choices) == 1 else "one of " + ", ".join(choices)
    if get_origin(kind) is tuple:
        inner = get_args(kind)[0]
        choices = [str(c) for c in get_args(inner)] if get_origin(inner) is Literal else []
        return "a list of " + (", ".join(choices) if choices else "values")
    if isinstance(kind, type) and issubclass(kind, BaseModel):
        return "a section with the keys " + ", ".join(kind.model_fields)
    words = {int: "a whole number", float: "a number", bool: "true or false", str: "text"}
    choices = [words.get(k, "a value") for k in get_args(kind) or (kind,) if k is not NoneType]
    return " or ".join(dict.fromkeys(choices)) + _bounds(metadata)


def _bounds(metadata: list[Any]) -> str:
    low = next((m.ge for m in metadata if isinstance(m, Ge)), None)
    above = next((m.gt for m in metadata if isinstance(m, Gt)), None)
    high = next((m.le for m in metadata if isinstance(m, Le)), None)
    if low is not None and high is not None:
        return f" from {low} to {high}"
    parts = (
        f" of at least {low}" if low is not None else "",
        f" above {above}" if above is not None else "",
        f" up to {high}" if high is not None else "",
    )
    return "".join(parts)


def nearest(key: str, noun: type[BaseModel], section: str = "") -> str:
    """What to do about an unknown `key` in `section`: the nearest valid keys, else all there are.

    A key that exists in another section (``flows`` at the top) is found by its last part too.
    """
    full = f"{section}.{key}" if section else key
    today = next((new for old, new in RENAMED.items() if f".{full}".endswith(f".{old}")), None)
    if today is not None:
        return f"say {today}"
    names = list(dotted_keys(noun))
    sections = [] if section else [name for name in noun.model_fields if name not in names]
    last = full.rsplit(".", 1)[-1]
    meant = [name for name in names if name.rsplit(".", 1)[-1] == last]
    if section and meant:
        meant = difflib.get_close_matches(full, meant, n=1, cutoff=0.0)
    if not meant:
        here = [n for n in names if n.startswith(f"{section}.")] or names
        meant = difflib.get_close_matches(full, [*sections, *here], n=1, cutoff=0.6)
    if not meant:
        by_last = {name.rsplit(".", 1)[-1]: name for name in reversed(names)}
        close = difflib.get_close_matches(last, list(by_last), n=1, cutoff=0.6)
        meant = [by_last[name] for name in close]
    if meant:
        return f"did you mean {' or '.join(meant)}?"
    siblings = [n for n in names if section and n.startswith(f"{section}.")]
    return "the keys are " + ", ".join(siblings or noun.model_fields)
