"""Two results side by side: each metric's ratio, and a verdict only where intervals allow one; of
several runs each against the first one, scenario by scenario.

That no difference is seen does not show that there is none: two bad measurements never differ. So
"same" is a verdict of its own, for a ratio whose whole interval lies within a margin around 1; it
is the test of equivalence by two one-sided tests (Schuirmann 1987), here with a 95 % interval where
that has a 90 % one: each side errs at most once in forty.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from string import ascii_uppercase

from planecast.errors import InputError
from planecast.results.columns import metrics
from planecast.results.estimate import Estimate, ratio
from planecast.results.result import CLOCK_AND_MODEL, Result
from planecast.results.run_ref import Picked
from planecast.results.scenario_labels import label_of, varied_keys
from planecast.scenario.model import Noun
from planecast.scenario.points import differences

MARGIN = 0.01
"""Two results this near are the same for most purposes: no comparison here repeats better."""


class ComparisonRow(Noun):
    """One metric of two results."""

    metric: str
    """Name of the metric; ``acl.cycles_per_packet`` for a stage's."""
    a: Estimate
    """The first result's."""
    b: Estimate
    """The second result's."""
    ratio: Estimate | None
    """B over A with its 95 % interval, where both have one; None when one isn't positive."""
    verdict: str
    """``same within 1 %``, ``B higher``, ``B lower``, ``undecided`` (neither a difference nor
    sameness is shown); empty when an interval is missing. The name is the second result's."""


class Comparison(Noun):
    """Everything that two results have in common, and how they differ."""

    differences: dict[str, tuple[str, str]]
    """Keys of the scenario in which they differ, with both values."""
    rows: tuple[ComparisonRow, ...]
    """A row a metric that both have."""
    notes: tuple[str, ...]
    """What a reader should know before believing a verdict."""


def compare(
    a: Result, b: Result, *, interleaved: bool, margin: float = MARGIN, name: str = "B"
) -> Comparison:
    """Compare two results of any kinds; `interleaved` says that one run measured both in turn.

    A verdict takes the two intervals as independent 95 % ones: ``B higher`` means that the ratio's
    interval lies above 1, ``same`` that it lies between 1 / (1 + `margin`) and 1 + `margin`, even
    when 1 is not in it. `name` is what the second result is called.
    """
    rows = tuple(
        _row(metric, left, right, margin, name)
        for (metric, left), right in ((pair, _metric(b, pair[0])) for pair in _metrics(a))
        if right is not None
    )
    return Comparison(
        differences=differences(a.scenario, b.scenario),
        rows=rows,
        notes=tuple(_notes(a, b, rows, interleaved)),
    )


def _metrics(result: Result) -> Iterator[tuple[str, Estimate]]:
    for name, column in metrics().items():
        estimate = column.estimate(result)
        if estimate is not None:
            yield name, estimate
    for stage, cost in result.stages.items():
        for name in ("cycles_per_packet", "instructions_per_packet"):
            estimate = getattr(cost, name)
            if estimate is not None:
                yield f"{stage}.{name}", estimate


def _metric(result: Result, name: str) -> Estimate | None:
    return dict(_metrics(result)).get(name)


def _row(metric: str, a: Estimate, b: Estimate, margin: float, name: str) -> ComparisonRow:
    found = ratio(b, a)
    # Quantised medians had no width in runs from before the clock's step was in their interval.
    no_width = any(e.kind == "measured" and e.half_width_percent == 0 for e in (a, b))
    if found is not None and no_width:
        found = found.model_copy(update={"low": None, "high": None})
    return ComparisonRow(
        metric=metric, a=a, b=b, ratio=found, verdict=ratio_verdict(found, margin, name)
    )


def ratio_verdict(found: Estimate | None, margin: float = MARGIN, name: str = "") -> str:
    """What a ratio shows, as `ComparisonRow` has it; `name` is what stands above the line."""
    if found is None or found.low is None or found.high is None:
        return ""
    if found.low >= 1 / (1 + margin) and found.high <= 1 + margin:
        return f"same within {100 * margin:g} %"
    if found.low > 1:
        return f"{name} higher".strip()
    return f"{name} lower".strip() if found.high < 1 else "undecided"


def _notes(
    a: Result, b: Result, rows: tuple[ComparisonRow, ...], interleaved: bool
) -> Iterator[str]:
    kinds = {a.throughput_pps.kind, b.throughput_pps.kind}
    if not interleaved and kinds == {"measured"}:
        yield (
            "not interleaved in one run: the machine may have been in another state for each; "
            "measure both in one run before you believe a small difference"
        )
    stages = (row for row in rows if row.metric.endswith(".cycles_per_packet"))
    if any(("measured" in (row.a.kind, row.b.kind)) and row.a.kind != row.b.kind for row in stages):
        yield CLOCK_AND_MODEL
    known = a.manifest.host.keys() & b.manifest.host.keys()  # earlier versions reported less
    if any(a.manifest.host[key] != b.manifest.host[key] for key in known):
        yield "measured or computed on different machines"
    for key in sorted(a.manifest.versions.keys() & b.manifest.versions.keys()):
        left, right = a.manifest.versions[key], b.manifest.versions[key]
        if left != right and key in ("planecast", "dpdk", "compiler", "march"):
            yield f"{key} differs: {left} and {right}"
    if any(row.ratio is not None and row.ratio.interval is None for row in rows):
        yield "no verdict where an interval is missing or has no width"
    for name, result in (("A", a), ("B", b)):
        if result.disturbed_share is not None and result.disturbed_share > 0.5:
            yield f"{name}: {result.disturbed_share:.0%} of the trials were disturbed"


@dataclass(frozen=True)
class SideBySide:
    """One scenario of one run against the first run's."""

    name: str
    """What the run is called here: B, C, …"""
    scenario: str
    """The scenario's label: the keys that vary, or its name."""
    a: Result
    b: Result
    comparison: Comparison


def side_by_side(runs: Sequence[Picked], margin: float = MARGIN) -> list[SideBySide]:
    """Every run after the first against it. Raises InputError when two have nothing in common."""
    first, found = runs[0], []
    for number, run in enumerate(runs[1:], start=1):
        name = ascii_uppercase[number]
        together = first.run.path.resolve() == run.run.path.resolve()
        for label, a, b in _pairs(first.results, run.results):
            comparison = compare(a, b, interleaved=together, margin=margin, name=name)
            found.append(SideBySide(name, label, a, b, comparison))
    return found


def _pairs(a: list[Result], b: list[Result]) -> Iterator[tuple[str, Result, Result]]:
    """Results to compare: the only ones of both runs, else those of equal scenarios."""
    if len(a) == len(b) == 1:
        yield a[0].scenario.name, a[0], b[0]
        return
    keys = varied_keys([result.scenario for result in (*a, *b)])
    none = True
    for left in a:
        right = next((r for r in b if r.scenario == left.scenario), None)
        if right is not None:
            none = False
            yield label_of(left.scenario, keys), left, right
    if none:
        raise InputError(
            "the two runs have no scenario in common",
            "compare",
            "pick one result of each, as in RUN#1",
        )
