"""CounterExplanation: what counters say about where the slots of a core go."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

from pydantic import BeforeValidator, ValidationError

from planecast.errors import InputError, first_refusal
from planecast.explain.explanation import Advice
from planecast.explain.node import ExplainedNode
from planecast.results.estimate import Estimate
from planecast.results.manifest import Manifest
from planecast.results.result import Texts
from planecast.scenario.model import Noun, listed

_LOOKED_AT = 4096
_OWN = ('"label"', '"architecture"', '"smt"', '"limits"')


class ExplainedMetric(Noun):
    """A figure outside the tree."""

    metric: str
    title: str
    group: str
    """core, memory, snoops, sockets, tlb, execution; or the tool that read it."""
    value: Estimate | None
    over: bool = False
    """Whether it is beyond what the documents find well."""
    marks: Texts = ()
    means: str = ""
    place: str = ""
    """Socket or system that a tool read it of; empty for all together."""


class CounterExplanation(Noun):
    """What a recording says, in the order of the questions."""

    label: str
    """Which file, or which published row."""
    tool: str
    architecture: str
    """Title of the definition that was used."""
    smt: bool
    """Whether two threads shared the core."""
    limits: Texts
    """What limits this data plane, as sentences."""
    certainty: Texts
    """How sure that is."""
    advice: Annotated[tuple[Advice, ...], BeforeValidator(listed)] = ()
    """What to try next."""
    nodes: Annotated[tuple[ExplainedNode, ...], BeforeValidator(listed)] = ()
    metrics: Annotated[tuple[ExplainedMetric, ...], BeforeValidator(listed)] = ()
    unknown: Texts = ()
    """What can't be known from this input, and why."""
    notes: Texts = ()
    """What a reader should know about the numbers."""
    manifest: Manifest
    """What made the explanation."""


__all__ = ["CounterExplanation", "ExplainedMetric", "ExplainedNode"]


def read_saved(path: Path) -> CounterExplanation | None:
    """What ``explain --from``, ``--count`` or ``--published`` wrote with ``-o FILE.json``.

    None for any other file, a missing one too. Raises InputError for one that was changed since.
    """
    if not path.is_file():
        return None  # what a pipe says can be read once
    try:
        with path.open(encoding="utf-8") as file:
            begin = file.read(_LOOKED_AT)
            if not begin.lstrip().startswith("{") or not all(key in begin for key in _OWN):
                return None
            text = begin + file.read()
    except (OSError, UnicodeDecodeError):
        return None  # whoever reads it as a recording says why
    try:
        return CounterExplanation.model_validate_json(text)
    except ValidationError as error:
        raise InputError(
            f"it is not an explanation of this version: {first_refusal(error)}",
            str(path),
            "write it again: planecast explain … -o FILE.json",
        ) from None
