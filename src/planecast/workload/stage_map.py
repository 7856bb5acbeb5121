"""Stage maps: from the functions and shared objects of a program to the stages of a packet.

A map is data: a file of the catalogue, or one of the user's own. A function belongs to the stage of
the first rule that names it. A function that no rule names belongs to whoever called it: memcpy is
part of the stage that copies. What is left belongs to ``other``, or to its object by name.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from fnmatch import translate
from functools import cache, cached_property
from pathlib import Path
from typing import Annotated, Literal, NamedTuple, Self

from pydantic import BeforeValidator, model_validator

from planecast.catalog import entry_path
from planecast.results.result import MEMORY_BANDWIDTH
from planecast.scenario.document import read_document
from planecast.scenario.model import Noun, listed
from planecast.scenario.problems import validated

Names = Annotated[tuple[str, ...], BeforeValidator(listed, json_schema_input_type=list[str])]


RESERVED = ("other", "total", "loop", "program", MEMORY_BANDWIDTH)
"""What tables call what no stage has, all of it, empty polls, what is between a program's ports,
and what a packet waits for memory's bandwidth."""


class Called(NamedTuple):
    """A function on the stack."""

    function: str
    """Symbol, or ``0x`` and its address in the object when the object has none for it."""
    object: str
    """File name of the program or shared library; empty when it is not known."""


class StageRule(Noun):
    """Which functions are a stage. Names are patterns (``*``, ``?``); clones (``f.cold``) are the
    function itself."""

    stage: str
    """The stage."""
    functions: Names = ("*",)
    """Functions by name."""
    objects: Names = ("*",)
    """Programs and shared libraries by file name."""
    within: Names = ()
    """Functions that have to be among the callers, however far up; such rules come before others.
    Empty: whoever calls."""

    @model_validator(mode="after")
    def _matches_something(self) -> Self:
        if not self.model_fields_set & {"functions", "objects", "within"}:
            raise ValueError(
                "a rule needs functions, objects or within, else it takes all there is"
            )
        return self


class Symbols(Noun):
    """Names for functions of a stripped program, found by reading its code: a guess, so they hold
    for the one build alone."""

    build_id: str
    """The build: its GNU build ID, as `file` prints it."""
    object: str
    """File name of the program."""
    names: dict[str, str]
    """Name by address, as in ``0x1a2b``."""


class StageMap(Noun):
    """The stages of a program."""

    name: str
    """What it is the map of."""
    source: str
    """Where it comes from: version and origin of the names."""
    stages: Names
    """In the order in which a packet meets them."""
    rules: Annotated[tuple[StageRule, ...], BeforeValidator(listed)]
    """The first one that fits holds."""
    fallback: Literal["other", "object"] = "other"
    """Where functions belong that neither a rule nor a caller has a stage for: ``other``, or a
    stage with the name of their program or library."""
    by_time: Names = ()
    """Stages, ``other`` among them, of work that comes by time and not by packets, which an
    instrument slows alone: it is left out."""
    symbols: Annotated[tuple[Symbols, ...], BeforeValidator(listed)] = ()
    """Names for stripped programs."""

    @model_validator(mode="after")
    def _rules_have_stages(self) -> Self:
        for name in self.stages:
            if name in RESERVED:
                raise ValueError(
                    f"a stage can't be called '{name}': answers have a row of that name"
                )
            if self.stages.count(name) > 1:
                raise ValueError(f"stages names '{name}' twice")
        for rule in self.rules:
            if rule.stage not in self.stages:
                raise ValueError(f"rules name the stage '{rule.stage}', which is not in stages")
        return self

    @cached_property
    def _ordered(self) -> list[tuple[StageRule, re.Pattern[str], re.Pattern[str], re.Pattern[str]]]:
        return [
            (rule, _pattern(rule.functions), _pattern(rule.objects), _pattern(rule.within))
            for rule in sorted(self.rules, key=lambda rule: not rule.within)
        ]

    def stage_of(self, stack: Sequence[Called]) -> str:
        """The stage of the innermost function of a stack, innermost first.

        Raises IndexError for an empty stack.
        """
        for depth in range(len(stack)):
            name, where = _plain(stack[depth].function), stack[depth].object
            for rule, functions, objects, within in self._ordered:
                if (
                    functions.fullmatch(name)
                    and objects.fullmatch(where)
                    and (not rule.within or any(within.fullmatch(_plain(c[0])) for c in stack))
                ):
                    return rule.stage
        return stack[0].object if self.fallback == "object" else "other"

    def names_of(self, build_id: str | None) -> dict[Called, str]:
        """Names of functions without a symbol, for one build of a program."""
        return {
            Called(address, symbols.object): name
            for symbols in self.symbols
            if symbols.build_id == build_id
            for address, name in symbols.names.items()
        }

    def in_order(self, names: Sequence[str]) -> list[str]:
        """Stage names as a packet meets them, those that the map doesn't have last, sorted."""
        known = [name for name in self.stages if name in names]
        return known + sorted(set(names) - set(known))


def stage_map(name: str, own: str | Path | None = None) -> StageMap:
    """The map of a program in the catalogue, or the user's `own` file.

    Raises InputError for a name that the catalogue doesn't have and a file that is no map.
    """
    document = read_document(entry_path("maps", name) if own is None else own)
    return validated(StageMap, document.data, document.where)


@cache
def _pattern(names: tuple[str, ...]) -> re.Pattern[str]:
    return re.compile("|".join(translate(name) for name in names))


@cache
def _plain(function: str) -> str:
    """A function without the suffixes of a compiler's clones and of symbol versions."""
    return function if function.startswith("0x") else re.split(r"[.@]", function, maxsplit=1)[0]
