"""From pydantic's findings to one sentence that a user can act on."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, TypeVar

from pydantic import BaseModel, ValidationError

from planecast.errors import InputError
from planecast.scenario.keys import (
    RENAMED,
    Location,
    allowed,
    choices,
    field_at,
    kinds_in,
    kinds_with,
    nearest,
    section_in,
    without_tags,
)
from planecast.scenario.refusal import REFUSED

N = TypeVar("N", bound=BaseModel)

_KINDS = {"workload": "a scenario", "hold_out": "a study", "tenants": "a plan of tenants"}
"""What a file is, by a key that others have not."""

Where = Callable[[Location], str]
"""Says where in what the person wrote a value stands: ``file:line`` or ``--set key=value``."""


def validated(noun: type[N], data: Mapping[str, Any], where: Where) -> N:
    """`data` as a `noun`.

    Raises InputError for the first thing that is wrong. Unknown keys come first, for a mistyped
    key is the likely cause of whatever else is wrong.
    """
    try:
        return noun.model_validate(dict(data))
    except ValidationError as error:
        every = error.errors(include_url=False)
    except UnicodeEncodeError:  # a word of the command line
        raise InputError("a value has bytes that are not UTF-8", where(())) from None
    # A default that follows from a key that is wrong itself is no finding of its own.
    found = [problem for problem in every if problem["type"] != "default_factory_not_called"]
    other = [kind for key, kind in _KINDS.items() if key in data and key not in noun.model_fields]
    if other:
        own = next((kind for key, kind in _KINDS.items() if key in noun.model_fields), "")
        wanted = f"name {own}" if own else f"its keys are {', '.join(noun.model_fields)}"
        raise InputError(f"this is {other[0]}", where(()), f"here {wanted}")
    found = _of_the_likeliest(noun, found)
    found.sort(key=lambda problem: problem["type"] != "extra_forbidden")
    problem = found[0]
    location = without_tags(noun, tuple(problem["loc"]))
    if problem["type"] == "union_tag_invalid":
        location = (*location, "kind")
    key = ".".join(str(part) for part in location if isinstance(part, str))
    what, what_to_do = _sentence(noun, problem, key)
    place = where(location)
    if place.startswith((f"--set {key}=", f"--vary {key}=")):
        what = what.removeprefix(f"{key}: ")
    wrong = {without_tags(noun, tuple(problem["loc"])) for problem in found}
    more = f" (and {len(wrong) - 1} more)" if len(wrong) > 1 else ""
    raise InputError(what, place, what_to_do + more)


def _of_the_likeliest(noun: type[BaseModel], found: Sequence[Any]) -> list[Any]:
    """Without what the other members of a union say of a section, where one of them is a section:
    that a list is wanted is no news to who has written one with a wrong key."""
    inside = {tuple(problem["loc"][:-2]) for problem in found if len(problem["loc"]) > 2}

    def is_other(place: Location, kind: str) -> bool:
        field = field_at(noun, place)
        union = field is not None and section_in(field.annotation) is not None
        return union and place in inside and kind.endswith("_type")

    return [one for one in found if not is_other(tuple(one["loc"][:-1]), one["type"])]


def _sentence(noun: type[BaseModel], problem: Any, key: str) -> tuple[str, str]:
    """What is wrong, and what to do about it."""
    location: Location = tuple(problem["loc"])
    if problem["type"] == "extra_forbidden":
        return _unknown(noun, location, key)
    if problem["type"] == REFUSED:
        return f"{key} {problem['ctx']['what']}", str(problem["ctx"]["what_to_do"])
    if problem["type"] == "union_tag_invalid":
        kinds = ", ".join(kinds_in(noun.model_fields[str(location[-1])].annotation))
        return f"{key}: got {shown(problem['ctx']['tag'])}", f"allowed is one of {kinds}"
    field = field_at(noun, location)
    right = f"allowed is {allowed(field)}" if field else "see `planecast schema`"
    if problem["type"] == "missing":
        return f"the key {key} is missing", right.replace("allowed is", "add it:")
    if problem["type"] == "value_error":
        # Raised by one of our own validators: its text says what it got.
        text = str(problem["ctx"]["error"])
        bounded = field is not None and field.annotation in (int, float)
        return f"{key}: {text}" if key else text, right if bounded else ""
    return f"{key}: got {shown(problem['input'])}", right


def _unknown(noun: type[BaseModel], location: Location, key: str) -> tuple[str, str]:
    """A key that is not there, or not in a noun of this kind."""
    section, _, last = key.rpartition(".")
    tagged = ".".join(map(str, location))
    others = kinds_with(noun, location)
    if others and tagged in RENAMED:
        return f"{key} does not apply to {location[-2]}", f"say {RENAMED[tagged]}"
    if others:
        also = f", or set {section}.kind to {choices(others)}"
        return f"{key} does not apply to {location[-2]}", f"leave it out{also}"
    return f"unknown key {key}", nearest(last, noun, section)


def shown(value: Any) -> str:
    """A value as an error shows it: short, and with its type where that is the surprise."""
    if value is None:
        return "nothing"
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, Mapping):
        return "a section"
    if isinstance(value, list | tuple):
        return "an empty list" if not value else f"the list {', '.join(map(str, value))}"[:80]
    text = str(value)
    text = text if len(text) <= 60 else text[:57] + "..."
    return f"'{text}'" if isinstance(value, str) else text
