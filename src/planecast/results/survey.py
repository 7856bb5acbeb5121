"""SurveyAnswer: data planes side by side, in the shape of the documents' tables and figures."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import Annotated

from pydantic import BeforeValidator, Field

from planecast.results.estimate import Estimate
from planecast.results.manifest import Manifest
from planecast.results.result import Texts
from planecast.results.sentences import once
from planecast.results.telemetry import InstructionSplit
from planecast.scenario.model import Noun, listed

_HEADLINES = ("throughput", "NDR", "PDR", "MRR")


class SurveyPoint(Noun):
    """One data plane at one setting of what varies."""

    label: str
    """The data plane's."""
    threads: int
    """Busy hardware threads of a core."""
    cores: int
    flows: int
    ghz: float | None = None
    """Clock that the CPU was fixed to; None where nothing was asked of it."""
    by: str
    """search or measure."""
    why_not: str = ""
    """Why it was not measured here; empty when it was."""
    rates: dict[str, Estimate] = Field(default_factory=dict)
    """Packets a second: NDR, PDR, throughput."""
    capped_by: str = ""
    cycles_per_packet: Estimate | None = None
    """CPP."""
    cycles_of: str = ""
    instructions_per_packet: Estimate | None = None
    """IPP."""
    ipc: Estimate | None = None
    split: InstructionSplit | None = None
    run: str = ""
    """The search's own run."""
    notes: Texts = ()
    """What a reader should know about this point."""

    @property
    def measured(self) -> bool:
        """Whether there is a figure."""
        return not self.why_not

    @property
    def headline(self) -> str | None:
        """Its headline rate: throughput, else NDR, else PDR, else MRR."""
        return next((name for name in _HEADLINES if name in self.rates), None)

    @property
    def pps(self) -> float | None:
        """The headline rate, where it is above zero."""
        value = 0.0 if self.headline is None else self.rates[self.headline].value
        return value if value > 0 else None

    def setting(self, names: Iterable[str]) -> str:
        """Some of what varies, in words."""
        words = {
            "cores": f"{self.cores} core{'s' if self.cores > 1 else ''}",
            "threads": "HT" if self.threads == 2 else "noHT",
            "ghz": "clock as it is" if self.ghz is None else f"{self.ghz:g} GHz",
            "flows": f"{self.flows:,} flows",
        }
        return ", ".join(words[name] for name in names)


class Score(Noun):
    """A CoreMark that the user built, as a reference of what a core does."""

    program: str
    iterations_per_s: float
    compiler: str
    flags: str


class SurveyAnswer(Noun):
    """What `planecast survey` writes."""

    name: str
    question: str
    document: str
    points: Annotated[tuple[SurveyPoint, ...], BeforeValidator(listed)]
    ceilings: dict[str, dict[str, float]] = Field(default_factory=dict)
    """Packets a second by part of the card and by number of cores (as text), as computed."""
    coremark: Score | None = None
    not_varied: Texts = ()
    """What this machine could not vary, and why."""
    notes: Texts = ()
    manifest: Manifest


def of_whom(
    points: Sequence[SurveyPoint], words: Callable[[SurveyPoint], Sequence[str]]
) -> list[str]:
    """Every sentence that is said of some points, once, with the data planes that it is about."""
    return once((point.label, words(point)) for point in points)
