"""Claim: one figure of a document beside ours. Goal: a bound on several. Table: what is shown."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import BeforeValidator

from planecast.reproduce.documents import Document, Figure
from planecast.scenario.model import Noun, listed


class Claim(Noun):
    """A published figure, and what we say in its place."""

    id: str
    """Key of the figure in its document, or one of our own where the document states a rule."""
    what: str
    """What it is, for people."""
    unit: str
    published: float | None
    """The document's figure; None where it gives a range."""
    published_low: float | None = None
    published_high: float | None = None
    ours: float
    error_percent: float
    """(ours - published) / published; from the nearer end of a range, 0 inside of it."""
    role: Literal["input", "check"]
    """input: it went into predictions, so that it can't confirm any. check: it didn't."""
    bound_percent: float | None = None
    """The error up to which it counts as reproduced."""
    within: bool | None = None
    """Whether it is; None for inputs."""
    note: str = ""


class Goal(Noun):
    """A bound on several claims together."""

    id: str
    what: str
    ours: float
    bound: float
    unit: str
    within: bool


class Curve(Noun):
    """Points for a figure: ours, with or without what the document says."""

    id: str
    what: str
    x: str
    """Name and unit of what varies."""
    y: str
    points: Annotated[tuple[tuple[float, float], ...], BeforeValidator(listed)]


class Table(Noun):
    """Claims that belong together."""

    number: int
    title: str
    claims: Annotated[tuple[Claim, ...], BeforeValidator(listed)]
    goals: Annotated[tuple[Goal, ...], BeforeValidator(listed)] = ()
    curves: Annotated[tuple[Curve, ...], BeforeValidator(listed)] = ()
    notes: Annotated[tuple[str, ...], BeforeValidator(listed)] = ()
    """What was assumed, and why something misses."""


class Reproduction(Noun):
    """All tables of a document."""

    document: str
    title: str
    tables: Annotated[tuple[Table, ...], BeforeValidator(listed)]

    @property
    def claims(self) -> list[Claim]:
        """The claims of all tables."""
        return [claim for table in self.tables for claim in table.claims]

    @property
    def goals(self) -> list[Goal]:
        """The goals of all tables."""
        return [goal for table in self.tables for goal in table.goals]


def given(document: Document, key: str, what: str) -> Claim:
    """A figure that goes in."""
    figure = document.figures[key]
    return Claim(
        id=key,
        what=what,
        unit=figure.unit,
        published=figure.value,
        published_low=figure.low,
        published_high=figure.high,
        ours=figure.value if figure.value is not None else (figure.low or 0.0),
        error_percent=0.0,
        role="input",
    )


def checked(
    document: Document, key: str, what: str, ours: float, *, bound: float, note: str = ""
) -> Claim:
    """A figure of the document that nothing of ours rests on."""
    return against(key, what, ours, document.figures[key], bound=bound, note=note)


def against(
    key: str, what: str, ours: float, figure: Figure, *, bound: float, note: str = ""
) -> Claim:
    """As `checked`, for a figure that follows from what a document says."""
    error = _error_percent(ours, figure)
    return Claim(
        id=key,
        what=what,
        unit=figure.unit,
        published=figure.value,
        published_low=figure.low,
        published_high=figure.high,
        ours=ours,
        error_percent=error,
        role="check",
        bound_percent=bound,
        within=abs(error) <= bound,
        note=note,
    )


def _error_percent(ours: float, figure: Figure) -> float:
    low = figure.value if figure.low is None else figure.low
    high = figure.value if figure.high is None else figure.high
    assert low is not None
    assert high is not None
    if low <= ours <= high:
        return 0.0
    near = low if ours < low else high
    return 100 * (ours - near) / abs(near)


def mean_goal(key: str, what: str, claims: list[Claim], bound: float) -> Goal:
    """The mean of the claims' errors, up to `bound` percent."""
    mean = sum(abs(claim.error_percent) for claim in claims) / len(claims)
    return Goal(id=key, what=what, ours=mean, bound=bound, unit="percent", within=mean <= bound)


def largest_goal(key: str, what: str, claims: list[Claim], bound: float) -> Goal:
    """The largest of the claims' errors, up to `bound` percent."""
    most = max(abs(claim.error_percent) for claim in claims)
    return Goal(id=key, what=what, ours=most, bound=bound, unit="percent", within=most <= bound)
