"""Published: rows of documents' level-1 tables, explained as if they had been recorded."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache

from planecast.errors import InputError
from planecast.explain.counters.explain import Asked, explain_recording
from planecast.explain.counters.explanation import CounterExplanation, ExplainedMetric
from planecast.instruments.recorded import Recording, Share
from planecast.results.estimate import Estimate
from planecast.scenario.document import read_document
from planecast.topdown.load import CATALOG, meaning_of


@dataclass(frozen=True)
class PublishedRow:
    """A row of a table."""

    name: str
    """``l3fwd noHT``."""
    title: str
    """Document and table."""
    architecture: str
    shares: dict[str, float]
    """Of 1, by node."""
    instructions: float | None
    """Instructions a packet, where the document has them."""

    @property
    def smt(self) -> bool:
        """Whether both threads of the core were busy."""
        return not self.name.endswith("noHT")


@cache
def published_rows() -> dict[str, PublishedRow]:
    """All rows by their names."""
    found = {}
    for table in read_document(CATALOG / "published.yaml").data.values():
        for name, row in table["rows"].items():
            shares = {node: value / 100 for node, value in row.items() if node != "instructions"}
            found[name] = PublishedRow(
                name, table["title"], table["architecture"], shares, row.get("instructions")
            )
    return found


def explain_published(name: str) -> CounterExplanation:
    """The explanation of a row. Raises InputError that lists all for a name that there isn't."""
    rows = published_rows()
    row = next((row for key, row in rows.items() if key.lower() == name.strip().lower()), None)
    if row is None:
        raise InputError(
            f"no published row is called '{name[:40]}'",
            "--published",
            f"there are {', '.join(rows)}",
        )
    recording = Recording(
        row.title, shares=tuple(Share(node, value) for node, value in row.shares.items())
    )
    asked = Asked(row.name, row.architecture, row.smt, kind="published")
    return explain_recording(recording, asked, _path_length(row))


def _path_length(row: PublishedRow) -> tuple[ExplainedMetric, ...]:
    if row.instructions is None:
        return ()
    return (
        ExplainedMetric(
            metric="instructions",
            title=meaning_of("instructions").title,
            group="core",
            value=Estimate(
                value=row.instructions, samples=1, unit="instructions/packet", kind="published"
            ),
            means=meaning_of("instructions").means,
        ),
    )
