"""Claim: one figure of a document compared with ours. Goal: a bound on several. Table: shown.

A claim's mark is found, not declared. *arithmetic*: what is published and what we say have an
ancestor in common, so that it holds by arithmetic. *weak*: the alternative, which knows less, is
within the bound, too, as ours is; or there is none. *test*: it could have failed, and the
alternative or ours does. Only tests count as evidence.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Annotated, Literal, ParamSpec

from pydantic import BeforeValidator

from planecast.reproduce.documents import Document, Figure
from planecast.reproduce.provenance import Traced
from planecast.scenario.model import Noun, listed

P = ParamSpec("P")
Mark = Literal["input", "arithmetic", "weak", "test"]
Ids = Annotated[tuple[str, ...], BeforeValidator(listed)]


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
    mark: Mark
    """What it is worth."""
    predicted_from: Ids = ()
    """Ids of all figures that ours was computed from."""
    published_from: Ids = ()
    """Ids of all figures that the published one is, or was computed from."""
    alternative: str = ""
    """What knows less than we, and would be refuted; empty: none."""
    alternative_value: float | None = None
    alternative_error_percent: float | None = None
    bound_percent: float | None = None
    """The error up to which it counts as reproduced."""
    within: bool | None = None
    """Whether it is; None for inputs."""
    note: str = ""

    @property
    def alternative_within(self) -> bool:
        """Whether the alternative is within the bound."""
        error, bound = self.alternative_error_percent, self.bound_percent
        return error is not None and bound is not None and abs(error) <= bound


class Goal(Noun):
    """A bound on several claims together."""

    id: str
    what: str
    ours: float
    bound: float
    unit: str
    within: bool


class Baseline(Noun):
    """What predicts a group without knowing what we know, compared with ours."""

    id: str
    what: str
    """The baseline, for people."""
    ours: float
    baseline: float
    unit: str
    better: bool
    """Whether ours is better. If not, the mechanism adds nothing there."""


class Refusal(Noun):
    """Published rows that we don't predict."""

    what: str
    rows: int
    why: str


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
    baselines: Annotated[tuple[Baseline, ...], BeforeValidator(listed)] = ()
    refusals: Annotated[tuple[Refusal, ...], BeforeValidator(listed)] = ()
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

    @property
    def baselines(self) -> list[Baseline]:
        """The baselines of all tables."""
        return [one for table in self.tables for one in table.baselines]

    def marked(self, mark: Mark) -> list[Claim]:
        """The claims of a mark."""
        return [claim for claim in self.claims if claim.mark == mark]

    @property
    def headline(self) -> str:
        """How many tests are passed, and what isn't counted."""
        tests = self.marked("test")
        inside = sum(bool(claim.within) for claim in tests)
        others = sum(claim.alternative_within for claim in tests)
        aside = ", ".join(f"{len(self.marked(mark))} {mark}" for mark in ("weak", "arithmetic"))
        return (
            f"{inside} of {len(tests)} tests within their bounds, of which the alternatives pass "
            f"{others}; not counted: {aside}"
        )


@dataclass(frozen=True)
class Alternative:
    """A prediction that knows less than ours."""

    name: str
    value: float


def given(document: Document, key: str, what: str) -> Claim:
    """A figure that goes in."""
    return entered(document.id(key), key, what, document.figures[key])


def entered(full_id: str, key: str, what: str, figure: Figure) -> Claim:
    """As `given`, for a figure of no document's."""
    return Claim(
        id=key,
        what=what,
        unit=figure.unit,
        published=figure.value,
        published_low=figure.low,
        published_high=figure.high,
        ours=figure.ends[0],
        error_percent=0.0,
        role="input",
        mark="input",
        published_from=(full_id,),
    )


def checked(
    document: Document,
    key: str,
    what: str,
    ours: Traced,
    *,
    bound: float,
    alternative: Alternative | None = None,
    note: str = "",
) -> Claim:
    """A figure of the document compared with what we say without it."""
    figure, ids = figured(document.published, key)
    return against(key, what, ours, figure, ids, bound=bound, alternative=alternative, note=note)


def figured(
    compute: Callable[P, Figure], *taken: P.args, **named: P.kwargs
) -> tuple[Figure, frozenset[str]]:
    """A figure that follows from what a document says, and the ids that it follows from."""
    found: list[Figure] = []

    def value() -> float:
        found.append(compute(*taken, **named))
        return 0.0

    ids = Traced.of(value).ids
    return found[0], ids


def against(
    key: str,
    what: str,
    ours: Traced,
    figure: Figure,
    ids: Iterable[str],
    *,
    bound: float,
    alternative: Alternative | None = None,
    note: str = "",
) -> Claim:
    """As `checked`, for a figure that follows from those of `ids`."""
    ids = frozenset(ids)
    error = error_percent(ours.value, figure)
    other = None if alternative is None else error_percent(alternative.value, figure)
    return Claim(
        id=key,
        what=what,
        unit=figure.unit,
        published=figure.value,
        published_low=figure.low,
        published_high=figure.high,
        ours=ours.value,
        error_percent=error,
        role="check",
        mark=_mark(bool(ids & ours.ids), error, other, bound),
        predicted_from=tuple(sorted(ours.ids)),
        published_from=tuple(sorted(ids)),
        alternative="" if alternative is None else alternative.name,
        alternative_value=None if alternative is None else alternative.value,
        alternative_error_percent=other,
        bound_percent=bound,
        within=abs(error) <= bound,
        note=note,
    )


def _mark(shared: bool, error: float, other: float | None, bound: float) -> Mark:
    if shared:
        return "arithmetic"
    if other is None or max(abs(error), abs(other)) <= bound:
        return "weak"
    return "test"


def error_percent(value: float, figure: Figure) -> float:
    """The distance of a value from a figure, in percent of it; 0 inside of a range."""
    low, high = figure.ends
    if low <= value <= high:
        return 0.0
    near = low if value < low else high
    return 100 * (value - near) / abs(near)


def checks_of(claims: Iterable[Claim]) -> list[Claim]:
    """Those that aren't inputs."""
    return [claim for claim in claims if claim.role == "check"]


def mean_error(claims: Sequence[Claim]) -> float:
    """Mean of the errors' sizes, percent."""
    return sum(abs(claim.error_percent) for claim in claims) / len(claims)


def mean_goal(key: str, what: str, claims: Sequence[Claim], bound: float) -> Goal:
    """The mean of the claims' errors, up to `bound` percent."""
    mean = mean_error(claims)
    return Goal(id=key, what=what, ours=mean, bound=bound, unit="percent", within=mean <= bound)


def largest_goal(key: str, what: str, claims: Sequence[Claim], bound: float) -> Goal:
    """The largest of the claims' errors, up to `bound` percent."""
    most = max(abs(claim.error_percent) for claim in claims)
    return Goal(id=key, what=what, ours=most, bound=bound, unit="percent", within=most <= bound)


def mean_baseline(
    key: str, what: str, claims: Sequence[Claim], errors: Iterable[float]
) -> Baseline:
    """The mean errors of ours and of a baseline, whose errors are given in percent."""
    sizes = [abs(error) for error in errors]
    ours, other = mean_error(claims), sum(sizes) / len(sizes)
    return Baseline(
        id=key, what=what, ours=ours, baseline=other, unit="% mean error", better=ours < other
    )


def inside_baseline(key: str, what: str, claims: Sequence[Claim]) -> Baseline:
    """How many are within their bounds, and how many of the claims' alternatives are."""
    ours = float(sum(bool(claim.within) for claim in claims))
    other = float(sum(claim.alternative_within for claim in claims))
    unit = f"of {len(claims)} within bounds"
    return Baseline(id=key, what=what, ours=ours, baseline=other, unit=unit, better=ours > other)
