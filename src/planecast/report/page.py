"""The page: what a report says, before it is HTML."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

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
class Verdict:
    """The answer in a line, on top of the page."""

    asked: str
    """What was asked."""
    answer: str
    """What was found, with its interval."""
    quality: str = ""
    """What limits it, or how good the answer is."""


@dataclass(frozen=True)
class Drawing:
    """A figure with the words around it."""

    anchor: str
    """Its id in the page."""
    title: str
    caption: str
    figure: Figure
    detail: bool = False
    """Whether it only backs up what another section shows: behind a fold however short it is."""

    @property
    def height_px(self) -> int:
        """About how high it is on a wide screen."""
        return _WORDS_PX + int(self.figure.layout.height)

    @property
    def size(self) -> str:
        """What is shown next to its title when it is folded."""
        return "figure"


@dataclass(frozen=True)
class RecordedSweep:
    """A sweep's points under the reader's hands: `data` is what ``template/recorded.js`` takes."""

    anchor: str
    title: str
    caption: str
    data: dict[str, Any]
    detail: bool = False
    height_px: int = 0
    """Never folded: it is what a reader of a sweep came for."""


Section = Drawing | Table | RecordedSweep
"""What a page is made of."""

LONGEST_PX = 720
"""A section that is higher than about a screen is behind a fold."""
_WORDS_PX = 90


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
    verdict: Verdict
    machine: str
    """Where and when it was found."""
    cards: Sequence[Card]
    sections: Sequence[Section]
    """What matters most first. Short ones are shown in this order, then the folded ones."""
    manifests: Sequence[Manifest]
    """What made the numbers; each holds its command."""
    commands: Sequence[Command] = field(default_factory=tuple)
    """Commands for single points, where the manifest's makes all of them."""
    warnings: Sequence[Warned] = field(default_factory=tuple)
    notes: Sequence[str] = field(default_factory=tuple)

    @property
    def shown(self) -> list[Section]:
        """The sections that are open when the page is."""
        return [one for one in self.sections if not _is_folded(one)]

    @property
    def folded(self) -> list[Section]:
        """The sections behind folds: long ones, and those that only back up others."""
        return [one for one in self.sections if _is_folded(one)]

    @property
    def drawings(self) -> list[Drawing]:
        """The figures among the sections."""
        return [one for one in self.sections if isinstance(one, Drawing)]

    @property
    def recorded(self) -> RecordedSweep | None:
        """The controls of a recorded sweep, if the page is one's."""
        return next((one for one in self.sections if isinstance(one, RecordedSweep)), None)

    @property
    def has_figures(self) -> bool:
        """Whether something has to be drawn."""
        return bool(self.drawings) or self.recorded is not None

    @property
    def tables(self) -> list[Table]:
        """The tables among them."""
        return [one for one in self.sections if isinstance(one, Table)]


def _is_folded(section: Section) -> bool:
    return section.detail or section.height_px > LONGEST_PX


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


def drawing(
    anchor: str, title: str, caption: str, figure: Figure | None, *, detail: bool = False
) -> list[Drawing]:
    """A list with the drawing, empty when there is no figure."""
    return [] if figure is None else [Drawing(anchor, title, caption, figure, detail)]
