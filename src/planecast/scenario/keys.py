"""Dotted keys of a noun, what each allows in words, and the key a mistyped one may have meant."""

from __future__ import annotations

import difflib
from collections.abc import Iterable, Iterator, Sequence
from types import NoneType, UnionType
from typing import Annotated, Any, Literal, Union, get_args, get_origin

from annotated_types import Ge, Gt, Le
from pydantic import BaseModel, Tag
from pydantic.fields import FieldInfo

Location = tuple[str | int, ...]
"""Keys and list positions from the top of a document to a value in it."""

RENAMED = {
    "interference.neighbour_lines_per_s": "neighbour.rate, with neighbour.stream or neighbour.walk",
    "interference.neighbour_bytes": "neighbour.stream or neighbour.walk",
    "interference.neighbour_ways": "neighbour.ways",
    "dataplane.ovs.mode": "dataplane.guest_mode",
}
"""Keys that a scenario had, with the kind where a kind had them, and what says the same today."""


def kinds_in(annotation: Any) -> dict[str, type[BaseModel]]:
    """The nouns of a union of tagged ones, by tag; empty for any other annotation."""
    found = {}
    for one in get_args(annotation) if get_origin(annotation) in (Union, UnionType) else ():
        noun, *about = get_args(one) if get_origin(one) is Annotated else (one,)
        tag = next((known.tag for known in about if isinstance(known, Tag)), None)
        if tag is not None:
            found[tag] = noun
    return found


def dotted_keys(noun: type[BaseModel], prefix: str = "") -> Iterator[str]:
    """Every key of `noun` that holds a value, such as ``traffic.flows``, in order; of a union those
    of all of its kinds."""
    for name, field in noun.model_fields.items():
        inner = field.annotation
        kinds = kinds_in(inner)
        if kinds:
            keys = (key for kind in kinds.values() for key in dotted_keys(kind, f"{prefix}{name}."))
            yield from dict.fromkeys(keys)
        elif isinstance(inner, type) and issubclass(inner, BaseModel):
            yield from dotted_keys(inner, f"{prefix}{name}.")
        else:
            yield f"{prefix}{name}"
            if (section := section_in(inner)) is not None:
                yield from dotted_keys(section, f"{prefix}{name}.")


def section_in(annotation: Any) -> type[BaseModel] | None:
    """The noun of a union of one noun with other things, such as None or a list."""
    nouns = [one for one in _members(annotation) if _is_noun(one)]
    return nouns[0] if len(nouns) == 1 else None


def _members(annotation: Any) -> list[Any]:
    """What a union is of, without None: where that is one thing, pydantic's places don't name
    it."""
    known = get_args(annotation) if get_origin(annotation) in (Union, UnionType) else ()
    return [one for one in known if one is not NoneType]


def kinds_with(noun: type[BaseModel], location: Location) -> list[str]:
    """The kinds that have the key which a place in a union names, with its tag; none for a place in
    no union."""
    if len(location) < 2:
        return []
    *outer, _, key = location
    field = field_at(noun, outer)
    kinds = {} if field is None else kinds_in(field.annotation)
    return [tag for tag, one in kinds.items() if str(key) in one.model_fields]


def without_tags(noun: type[BaseModel], location: Location) -> Location:
    """A place as pydantic has it, without the tags of unions and the members of one of values: as a
    person writes it."""
    found: list[str | int] = []
    kinds: dict[str, type[BaseModel]] = {}
    current: Any = noun
    for part in location:
        if kinds:
            current, kinds = kinds.get(str(part)), {}
            continue
        if isinstance(part, str) and (members := _members(current)):
            section = section_in(current)
            if len(members) > 1:  # the part is the name of one of them
                current = section if section is not None and part == section.__name__ else current
                continue
            current = section
        found.append(part)
        field = current.model_fields.get(str(part)) if _is_noun(current) else None
        current = None if field is None else field.annotation
        kinds = kinds_in(current)
    return tuple(found)


def _is_noun(kind: Any) -> bool:
    return isinstance(kind, type) and issubclass(kind, BaseModel)


def field_at(noun: type[BaseModel], location: Iterable[str | int]) -> FieldInfo | None:
    """The field of `noun` at this place; the list itself for a place inside a list. Of a union,
    that of the kind whose tag the place has, else of the first kind that has it."""
    found: FieldInfo | None = None
    current: Any = noun
    places = list(location)
    for number, part in enumerate(places, 1):
        kinds = kinds_in(current)
        if part in kinds and number < len(places):  # a tag; a key may be called the same
            current = kinds[str(part)]
            continue
        if kinds:
            having = (one for one in kinds.values() if str(part) in one.model_fields)
            current = next(having, next(iter(kinds.values())))
        if (section := section_in(current)) is not None:
            current = section
            if part == section.__name__ and part not in section.model_fields:
                continue
        if not _is_noun(current) or (section is not None and part not in section.model_fields):
            return found
        found = current.model_fields.get(str(part))
        if found is None:
            return None
        current = found.annotation
    return found


def allowed(field: FieldInfo) -> str:
    """What the field takes, in words: ``a whole number from 1 to 256``."""
    return _allowed(field.annotation, field.metadata)


def _allowed(kind: Any, metadata: Iterable[Any]) -> str:
    while get_origin(kind) is Annotated:
        kind, *about = get_args(kind)
        metadata = [*about, *metadata]
    origin = get_origin(kind)
    if origin is Literal:
        choices = [str(choice) for choice in get_args(kind)]
        return choices[0] if len(choices) == 1 else "one of " + ", ".join(choices)
    if origin is tuple:
        inner = get_args(kind)[0]
        while get_origin(inner) is Annotated:
            inner = get_args(inner)[0]
        choices = [str(c) for c in get_args(inner)] if get_origin(inner) is Literal else []
        members = {int: "whole numbers", float: "numbers"}.get(inner, "texts")
        return "a list of " + (", ".join(choices) if choices else members)
    if kinds_in(kind):
        return "a section with a kind: " + ", ".join(kinds_in(kind))
    if origin in (Union, UnionType):
        every = [_allowed(one, ()) for one in get_args(kind) if one is not NoneType]
        return " or ".join(dict.fromkeys(every)) + _bounds(metadata)
    if _is_noun(kind):
        return "a section with the keys " + ", ".join(kind.model_fields)
    words = {
        int: "a whole number", float: "a number", bool: "true or false", str: "text", list: "a list"
    }  # fmt: skip
    return words.get(origin or kind, "a value") + _bounds(metadata)


def _bounds(metadata: Iterable[Any]) -> str:
    every = [
        part for one in metadata for part in (one.metadata if isinstance(one, FieldInfo) else [one])
    ]
    low = next((_plain(m.ge) for m in every if isinstance(m, Ge)), None)
    above = next((_plain(m.gt) for m in every if isinstance(m, Gt)), None)
    high = next((_plain(m.le) for m in every if isinstance(m, Le)), None)
    if low is not None and high is not None:
        return f" from {low} to {high}"
    parts = (
        f" of at least {low}" if low is not None else "",
        f" above {above}" if above is not None else "",
        f" up to {high}" if high is not None else "",
    )
    return "".join(parts)


def _plain(bound: Any) -> str:
    return f"{bound:g}" if isinstance(bound, float) else str(bound)


def choices(values: Sequence[Any]) -> str:
    """Values one of which is to be taken: ``ip4 or ip6``, ``1, 2 or 3``."""
    *first, last = map(str, values)
    return f"{', '.join(first)} or {last}" if first else last


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
