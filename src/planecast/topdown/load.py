"""Reads definitions from the catalogue; checks all that can be checked before an event is seen."""

from __future__ import annotations

from collections.abc import Iterator
from fnmatch import fnmatch
from functools import cache
from pathlib import Path
from typing import Any

from planecast import catalog
from planecast.errors import InputError
from planecast.scenario.document import Document, read_document
from planecast.scenario.keys import Location
from planecast.scenario.problems import validated
from planecast.topdown.definition import (
    Definition,
    DefinitionFile,
    Formula,
    FormulaEntry,
    Meaning,
    Metric,
    Node,
)
from planecast.topdown.dimension import PLAIN, Dimension, parse_dimension
from planecast.topdown.expression import dimension, names, parse_expression

CATALOG = Path(__file__).resolve().parents[1] / "catalog" / "topdown"
"""Where the definitions are that come with the program."""

_MERGED = ("events", "aliases", "encodings", "constants", "terms", "nodes", "metrics", "domains")


@cache
def definition_names(folder: Path = CATALOG) -> tuple[str, ...]:
    """Short names of the definitions in `folder`, by vendor and name."""
    return tuple(file.stem for file in sorted(folder.glob("*/*.yaml")))


def find_definition(text: str) -> Definition:
    """The definition that `text` names: its short name, a code name, or a CPU of the catalogue.

    Raises InputError that lists what there is.
    """
    wanted = {_plain(text)}
    for cpu in catalog.names("cpus"):
        if _plain(cpu) in wanted:
            entry = read_document(catalog.entry_path("cpus", cpu)).data
            wanted.add(_plain(str(entry.get("microarchitecture"))))
    for name in definition_names():
        file = load_definition(name).file
        if wanted & {_plain(file.name), *map(_plain, file.names)}:
            return load_definition(name)
    raise InputError(
        f"no top-down definition is known for '{text[:60]}'",
        "--arch",
        f"name one of {', '.join(definition_names())}, or a CPU of planecast machine",
    )


def definition_of_family(family: int, model: int) -> Definition | None:
    """The definition of a processor by CPUID's family and model; None when there is none."""
    for name in definition_names():
        known = load_definition(name)
        if any(fnmatch(f"{family:x}-{model:02x}", pattern) for pattern in known.file.families):
            return known
    return None


@cache
def load_definition(name: str, folder: Path = CATALOG) -> Definition:
    """The definition with this short name.

    Raises InputError with file and line for a formula that can't be read, joins different units,
    names what nobody declares or needs itself.
    """
    document = _document(name, folder)
    file = validated(DefinitionFile, _extended(document, folder), document.where)
    return _Builder(file, document, _meanings(folder)).built()


def meaning_of(name: str) -> Meaning:
    """What a node or a metric says about a packet processor."""
    return _meanings(CATALOG)[name]


def _plain(text: str) -> str:
    return "".join(character for character in text.lower() if character.isalnum())


def _document(name: str, folder: Path) -> Document:
    found = sorted(folder.glob(f"*/{name}.yaml"))
    if not found:
        raise InputError(f"there is no definition '{name}'", str(folder), "check `extends`")
    return read_document(found[0])


def _extended(document: Document, folder: Path) -> dict[str, Any]:
    """What the file says, over what the definition says that it extends."""
    data = dict(document.data)
    if data.get("extends") is None:
        return data
    base = _extended(_document(str(data["extends"]), folder), folder)
    dropped = set(data.get("without") or ())
    for key in _MERGED:
        below = {name: entry for name, entry in base.get(key, {}).items() if name not in dropped}
        if key == "events":
            data[key] = _joined(below, data.get(key, {}))
        else:
            data[key] = {**below, **data.get(key, {})}
    for key in ("counters", "fixed", "together"):
        data.setdefault(key, base.get(key, {} if key == "counters" else []))
    return data


def _joined(below: dict[str, Any], above: dict[str, Any]) -> dict[str, Any]:
    """Events by unit: an event that the upper file names again has the unit that it says there."""
    named = {event for events in above.values() for event in events}
    joined = {unit: [e for e in events if e not in named] for unit, events in below.items()}
    for unit, events in above.items():
        joined[unit] = [*joined.get(unit, []), *events]
    return joined


@cache
def _meanings(folder: Path) -> dict[str, Meaning]:
    document = read_document(folder / "meanings.yaml")
    found = {}
    for name, entry in document.data.items():

        def where(location: Location, name: str = name) -> str:
            return document.where((name, *location))

        found[name] = validated(Meaning, entry, where)
    return found


def _downwards(nodes: dict[str, Node], parent: str | None) -> Iterator[tuple[str, Node]]:
    """Every node before its parts, and all its parts before its neighbour."""
    for name, node in nodes.items():
        if node.entry.parent == parent:
            yield name, node
            yield from _downwards(nodes, name)


class _Builder:
    """From what a file says to a checked definition."""

    def __init__(
        self, file: DefinitionFile, document: Document, meanings: dict[str, Meaning]
    ) -> None:
        self._file, self._document, self._meanings = file, document, meanings
        self._units: dict[str, Dimension] = {}
        self._constants: dict[str, float] = {}
        self._parsed: dict[str, tuple[Location, Formula]] = {}
        self._ordered: dict[str, Formula] = {}

    def built(self) -> Definition:
        self._read_units()
        for section, entries in (
            ("terms", self._file.terms),
            ("nodes", self._file.nodes),
            ("metrics", self._file.metrics),
        ):
            for name, entry in entries.items():
                self._parse((section, name), name, entry)
        for name in self._parsed:
            self._order(name, ())
        return Definition(
            self._file,
            self._units,
            self._constants,
            self._ordered,
            self._tree(),
            self._metrics(),
        )

    def _fail(self, what: str, location: Location, what_to_do: str = "correct it") -> InputError:
        return InputError(what, self._document.where(location), what_to_do)

    def _read_units(self) -> None:
        for unit, events in self._file.events.items():
            try:
                found = parse_dimension(unit)
            except ValueError as error:
                raise self._fail(str(error), ("events", unit)) from None
            for event in events:
                if event in self._units:
                    raise self._fail(f"the event {event} appears twice", ("events", unit))
                self._units[event] = found
        for name, text in self._file.constants.items():
            number, _, unit = text.partition(" ")
            try:
                self._constants[name] = float(number)
                self._units[name] = parse_dimension(unit or "1")
            except ValueError as error:
                raise self._fail(f"{name}: {error}", ("constants", name)) from None

    def _parse(self, location: Location, name: str, entry: str | FormulaEntry) -> None:
        alone = entry if isinstance(entry, str) else entry.formula
        smt = alone if isinstance(entry, str) or entry.smt is None else entry.smt
        if name in self._parsed or name in self._units:
            raise self._fail(f"the name {name} is defined twice", location)
        try:
            formula = Formula(parse_expression(alone), parse_expression(smt))
        except ValueError as error:
            raise self._fail(f"{name}: {error}", location) from None
        self._parsed[name] = location, formula

    def _order(self, name: str, above: tuple[str, ...]) -> None:
        """Puts a formula behind all that it needs, and finds its unit."""
        if name in self._ordered:
            return
        location, formula = self._parsed[name]
        if name in above:
            raise self._fail(f"{name} depends on itself: {' → '.join((*above, name))}", location)
        for part in (*names(formula.alone), *names(formula.smt)):
            if part in self._parsed:
                self._order(part, (*above, name))
            elif part not in self._units:
                raise self._fail(f"{name}: {part} is not declared", location, "add it to `events`")
        try:
            found = dimension(formula.alone, self._units)
            with_smt = dimension(formula.smt, self._units)
        except ValueError as error:
            raise self._fail(f"{name}: {error}", location) from None
        if found != with_smt:
            raise self._fail(f"{name} is {found} alone and {with_smt} with SMT", location)
        self._units[name] = found
        self._ordered[name] = formula

    def _tree(self) -> dict[str, Node]:
        found: dict[str, Node] = {}
        for name, entry in self._file.nodes.items():
            location = ("nodes", name)
            if self._units[name] != PLAIN:
                raise self._fail(f"{name} is {self._units[name]}, not a share", location)
            if entry.parent is not None and entry.parent not in found:
                raise self._fail(f"{name} comes before its parent {entry.parent}", location)
            if entry.also_when is not None and entry.also_when not in self._file.nodes:
                raise self._fail(f"{name}: there is no node {entry.also_when}", location)
            level = 1 if entry.parent is None else found[entry.parent].level + 1
            domain = self._file.domains.get(entry.of, "thread")
            meaning = self._meaning(name, location)
            found[name] = Node(name, level, entry, domain, meaning)
        return dict(_downwards(found, None))

    def _metrics(self) -> dict[str, Metric]:
        found = {}
        for name, entry in self._file.metrics.items():
            location = ("metrics", name)
            try:
                claimed = parse_dimension(entry.unit)
            except ValueError as error:
                raise self._fail(f"{name}: {error}", location) from None
            if claimed != self._units[name]:
                raise self._fail(f"{name} is {self._units[name]}, not {claimed}", location)
            meaning = self._meaning(name, location)
            found[name] = Metric(name, entry, claimed, meaning)
        return found

    def _meaning(self, name: str, location: Location) -> Meaning:
        meaning = self._meanings.get(name)
        if meaning is None:
            raise self._fail(f"there is no meaning of {name}", location, "add it to meanings.yaml")
        return meaning
