"""The page: what a report says, before it is HTML."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from planecast.report.figures.style import Figure
from planecast.report.table import Table
from planecast.report.warnings import Warned
from planecast.results import Manifest


@dataclass(frozen=True)
class Card:
    """A number of the headline."""

    value: str
    name: str
    detail: str = ""


@dataclass(frozen=True)
class Drawing:
    """A figure with the words around it."""

    anchor: str
    """Its id in the page."""
    title: str
    caption: str
    figure: Figure


@dataclass(frozen=True)
class Command:
    """A command line that a reader can copy."""

    label: str
    """What it makes again."""
    text: str


@dataclass(frozen=True)
class Page:
    """Everything that a report shows, in the order of the page."""

    title: str
    lead: str
    """The answer in plain words."""
    machine: str
    """Where and when it was found."""
    cards: Sequence[Card]
    drawings: Sequence[Drawing]
    tables: Sequence[Table]
    manifests: Sequence[Manifest]
    """What made the numbers; each holds its command."""
    commands: Sequence[Command] = field(default_factory=tuple)
    """Commands for single points, where the manifest's makes all of them."""
    warnings: Sequence[Warned] = field(default_factory=tuple)
    notes: Sequence[str] = field(default_factory=tuple)


def machine_text(manifest: Manifest) -> str:
    """The machine and the time in a line."""
    host = manifest.host
    words = [str(host.get("cpu", "machine not known"))]
    if "cpus" in host:
        words.append(f"{host['cpus']} CPUs")
    memory = host.get("memory_bytes")
    if isinstance(memory, int | float):
        words.append(f"{memory / 2**30:.1f} GiB of memory")
    if host.get("virtual") == "yes":
        words.append("virtual")
    return f"{', '.join(words)}; {manifest.started_at.replace('T', ' ').replace('Z', ' UTC')}"


def drawing(anchor: str, title: str, caption: str, figure: Figure | None) -> list[Drawing]:
    """A list with the drawing, empty when there is no figure."""
    return [] if figure is None else [Drawing(anchor, title, caption, figure)]
