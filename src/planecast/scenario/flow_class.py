"""Flow classes: kinds of packets in one scenario, each with its own sizes, flows, share and mark.

A person writes a list of mappings in YAML, or one line of text: classes with semicolons between, of
each the name and then its keys:

    voice share=20% frame_bytes=128 flows=1024 dscp=46; bulk share=80% frame_mix=imix

The text is what a scenario holds, so that scenarios compare and print like any other value.
"""

from __future__ import annotations

import functools
from collections.abc import Mapping
from typing import Annotated, Any, NamedTuple, Self

from pydantic import BeforeValidator, Field, ValidationError, model_validator

from planecast.scenario.frames import FrameMix, mix_frames
from planecast.scenario.keys import allowed, field_at
from planecast.scenario.model import Bytes, Count, Noun, OfferedRate
from planecast.scenario.units import parse_share
from planecast.scenario.workload import MAX_FLOWS

MOST_CLASSES = 16

_NAME = r"[A-Za-z][A-Za-z0-9_-]{0,31}"
_RED = (14, 22, 30, 38)


def _share(value: Any) -> Any:
    if not isinstance(value, str):
        return value
    try:
        return parse_share(value)
    except ValueError:
        return value


class FlowClass(Noun):
    """Packets of one kind."""

    name: Annotated[str, Field(pattern=f"^{_NAME}$")]
    """What results call it."""
    share: Annotated[
        float | None,
        Field(gt=0, le=1e9),
        BeforeValidator(_share, json_schema_input_type=float | str | None),
    ] = None
    """Part of the packets, in proportion to the other classes' (20% and 80%, or 1 and 4); null: 1.
    Packets of classes with shares come in random order."""
    offered_pps: OfferedRate = None
    """Packets a second instead of a share, for every class or none: each class then has arrivals
    of its own, and ``traffic.offered_pps`` is their sum."""
    frame_bytes: Annotated[Bytes | None, Field(ge=64, le=9000)] = None
    """Length of a frame in bytes, with FCS; null: ``traffic.frame_bytes``."""
    frame_mix: FrameMix = "none"
    """Sizes and weights instead of one length."""
    flows: Annotated[Count | None, Field(ge=1, le=MAX_FLOWS)] = None
    """Flows that are active in it; null: its share of ``traffic.flows``."""
    dscp: Annotated[Count | None, Field(ge=0, le=63)] = None
    """Code point of its packets; null: those of the data plane, none of which comes red. Assured
    forwarding of the highest drop precedence (14, 22, 30, 38) does, and the stage actions drops
    it."""

    @model_validator(mode="after")
    def _one_of_each(self) -> Self:
        if self.share is not None and self.offered_pps is not None:
            raise ValueError("a share and a rate are given; leave one of them out")
        if self.frame_bytes is not None and self.frame_mix != "none":
            raise ValueError("frame_bytes and frame_mix are given; leave one of them out")
        return self

    @property
    def weight(self) -> float:
        """What it is shared out by."""
        own = self.offered_pps if self.share is None else self.share
        return 1.0 if own is None else own

    @property
    def red(self) -> bool:
        """Whether its packets come red to a colour-aware meter (RFC 2597, RFC 2698)."""
        return self.dscp in _RED

    @property
    def text(self) -> str:
        """One spelling for each class."""
        keys = [
            f"{key}={value:.14g}" if isinstance(value, float) else f"{key}={value}"
            for key, value in self.model_dump(exclude_defaults=True, exclude={"name"}).items()
        ]
        return " ".join([self.name, *keys])


class ClassTraffic(NamedTuple):
    """A class with all that the rest of the traffic says filled in."""

    name: str
    share: float
    """Of all packets: those of all classes add up to 1."""
    frames: tuple[tuple[int, float], ...]
    """Sizes in bytes with weights."""
    flows: int
    red: bool


@functools.lru_cache(maxsize=256)
def flow_classes(text: str) -> tuple[FlowClass, ...]:
    """The classes of a text; none for ``none``. Raises ValueError, saying what is wrong."""
    if text == "none":
        return ()
    return _checked([_of_words(part.split()) for part in text.split(";") if part.strip()])


def _of_words(words: list[str]) -> dict[str, Any]:
    found: dict[str, Any] = {"name": words[0]}
    for word in words[1:]:
        key, equals, value = word.partition("=")
        if not equals or key in found:
            raise ValueError(
                f"class {words[0]}: got '{word}', where KEY=VALUE is wanted, each key once"
            )
        found[key] = value
    return found


def _checked(entries: list[Any]) -> tuple[FlowClass, ...]:
    classes = tuple(_validated(entry, number) for number, entry in enumerate(entries, 1))
    names = [one.name for one in classes]
    twice = next((name for name in names if names.count(name) > 1), None)
    if twice is not None:
        raise ValueError(f"class {twice} appears twice")
    if not 1 <= len(classes) <= MOST_CLASSES:
        raise ValueError(f"got {len(classes)} classes, allowed are 1 to {MOST_CLASSES}")
    rated = [one for one in classes if one.offered_pps is not None]
    if rated and len(rated) < len(classes):
        bare = next(one.name for one in classes if one.offered_pps is None)
        raise ValueError(f"class {bare} has no offered_pps, but others do; give all of them one")
    return classes


def _validated(entry: Any, number: int) -> FlowClass:
    if not isinstance(entry, Mapping):
        raise ValueError(f"class {number} is not a mapping such as {{name: voice, share: 20%}}")
    try:
        return FlowClass.model_validate(dict(entry))
    except ValidationError as error:
        problem = error.errors(include_url=False)[0]
    who = f"class {entry.get('name', number)}"
    key = ".".join(str(part) for part in problem["loc"])
    if problem["type"] == "value_error":
        raise ValueError(f"{who}: {key}: {problem['ctx']['error']}".replace(": :", ":"))
    if problem["type"] == "extra_forbidden":
        raise ValueError(f"{who}: no key {key}; there are " + ", ".join(FlowClass.model_fields))
    if problem["type"] == "missing":
        raise ValueError(f"{who}: the key {key} is missing")
    field = field_at(FlowClass, problem["loc"])
    what = "a name of letters, digits, _ and -" if key == "name" or not field else allowed(field)
    raise ValueError(f"{who}: {key}: got '{problem['input']}', allowed is {what}")


def classes_text(value: Any) -> str:
    """The one spelling of classes that a person wrote, in YAML or as text. Raises ValueError."""
    if value is None:
        return "none"
    if isinstance(value, str):
        classes = flow_classes(value.strip())
    elif isinstance(value, list | tuple):
        classes = _checked(list(value)) if value else ()
    else:
        raise ValueError("got no list of classes such as [{name: voice, share: 20%}]")
    return "; ".join(one.text for one in classes) or "none"


FlowClasses = Annotated[
    str, BeforeValidator(classes_text, json_schema_input_type=list[FlowClass] | str | None)
]
"""Flow classes as text, or ``none``."""


def filled(
    classes: tuple[FlowClass, ...], frames: tuple[tuple[int, float], ...], flows: int
) -> tuple[ClassTraffic, ...]:
    """The classes with shares of 1, sizes and flows; `frames` and `flows` are the traffic's."""
    whole = sum(one.weight for one in classes)
    return tuple(
        ClassTraffic(
            name=one.name,
            share=one.weight / whole,
            frames=mix_frames(one.frame_mix)
            or (frames if one.frame_bytes is None else ((one.frame_bytes, 1.0),)),
            flows=one.flows or max(1, int(flows * one.weight / whole)),
            red=one.red,
        )
        for one in classes
    )
