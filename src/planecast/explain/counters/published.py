"""Published: rows of a document's level-1 table, explained as if they had been recorded."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache

from planecast.catalog import entry_path
from planecast.errors import InputError
from planecast.explain.counters.explain import Asked, explain_recording
from planecast.explain.counters.explanation import CounterExplanation, ExplainedMetric
from planecast.instruments.recorded import Recording, Share
from planecast.results.estimate import Estimate
from planecast.scenario.document import read_document
from planecast.topdown.load import meaning_of

_DOCUMENT, _ARCHITECTURE = "bsdp", "broadwell"
"""The only document with a whole table; its first processor is an E5-2699v4."""
_NODES = {
    "frontend": "frontend_bound",
    "bad-speculation": "bad_speculation",
    "backend": "backend_bound",
    "retiring": "retiring",
}
"""Our names of the document's four shares."""


@dataclass(frozen=True)
class PublishedRow:
    """A row of the table: an application, with one or both threads of its core busy."""

    name: str
    """``l3fwd noHT``."""
    title: str
    """Document and table."""
    smt: bool
    """Whether both threads of the core were busy (HT)."""
    shares: dict[str, float]
    """Of 1, by node."""
    per_packet: dict[str, float]
    """Instructions and core cycles a packet, where the document has them."""


@cache
def published_rows() -> dict[str, PublishedRow]:
    """All rows by their names."""
    document = read_document(entry_path("published", _DOCUMENT)).data
    figures = document["figures"]
    shares: dict[tuple[str, str], dict[str, float]] = {}
    places: dict[tuple[str, str], str] = {}
    for key, figure in figures.items():
        kind, *rest = key.split(".")
        if kind == "slots":
            threads, share, application = rest
            row = shares.setdefault((application, threads), {})
            row[_NODES[share]] = figure["value"] / 100
            places[application, threads] = figure["place"]
    found = {}
    for (application, threads), row in shares.items():
        name = f"{application} {threads}"
        known = {
            metric: figures.get(f"{key}.2.2GHz.{threads}.{application}")
            for metric, key in (("instructions", "ipp"), ("cycles", "cpp"))
        }
        found[name] = PublishedRow(
            name,
            f"{document['title']}, {places[application, threads]}",
            threads == "HT",
            row,
            {metric: figure["value"] for metric, figure in known.items() if figure},
        )
    return found


def is_published(name: str) -> bool:
    """Whether a row is called so."""
    return _row(name) is not None


def _row(name: str) -> PublishedRow | None:
    wanted = name.strip().lower()
    return next((row for key, row in published_rows().items() if key.lower() == wanted), None)


def explain_published(name: str) -> CounterExplanation:
    """The explanation of a row. Raises InputError that lists all for a name that there isn't."""
    row = _row(name)
    if row is None:
        raise InputError(
            f"no published row is called '{name[:40]}'",
            "--published",
            f"there are {', '.join(published_rows())} (--published list)",
        )
    recording = Recording(
        row.title, shares=tuple(Share(node, value) for node, value in row.shares.items())
    )
    asked = Asked(row.name, _ARCHITECTURE, row.smt, kind="published")
    return explain_recording(recording, asked, _metrics(row))


def _metrics(row: PublishedRow) -> tuple[ExplainedMetric, ...]:
    units = {"instructions": "instructions/packet", "cycles": "core cycles/packet"}
    found = {
        name: Estimate(value=value, samples=1, unit=units[name], kind="published")
        for name, value in row.per_packet.items()
    }
    if len(found) == len(units):
        each = row.per_packet["instructions"] / row.per_packet["cycles"]
        found["instructions_per_cycle"] = Estimate(
            value=each, samples=1, unit="instructions/cycle", kind="computed"
        )
    return tuple(
        ExplainedMetric(
            metric=name,
            title=meaning_of(name).title,
            group="core",
            value=value,
            means=meaning_of(name).means,
        )
        for name, value in found.items()
    )
