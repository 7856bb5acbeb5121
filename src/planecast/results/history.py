"""History: one scenario over many runs, its levels, and the runs at which its level changed.

jumpavg (FD.io) groups a series into levels by the shortest description: a new level begins where
describing two means takes fewer bits than describing one with larger deviations. It needs no
threshold, and one outlier is a level of its own only when it lies far out. A change between
measured levels whose 95 % interval has 1 in it is none.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from statistics import fmean

import jumpavg

from planecast.errors import InputError
from planecast.results.columns import Column, Form, metrics
from planecast.results.content import Content, results_of
from planecast.results.estimate import Estimate, ratio
from planecast.results.manifest import Manifest
from planecast.results.scenario_labels import own_label
from planecast.results.scores import NORMAL_95, relative_deviation
from planecast.results.search import SearchAnswer
from planecast.results.store import RunDirectory, list_runs
from planecast.results.student import t_quantile
from planecast.scenario import Scenario

_USUAL = "throughput_pps"
_HOST = ("cpu", "cpu_id", "cpus", "virtual")
"""Facts in which two runs of one host agree."""
UNCONFIRMED = "unconfirmed"
"""A change between measured levels of one run each: how much runs differ isn't known, and states of
a machine outlive a run."""


@dataclass(frozen=True)
class Observation:
    """One metric of one result."""

    run: Path
    """The run's folder."""
    scenario: Scenario
    metric: Column
    value: Estimate
    manifest: Manifest

    @property
    def series(self) -> tuple[str, ...]:
        """What it shares with the others of its series: question, metric, kind, host, calibration.

        A result of the model that doesn't name its calibration shares it with none.
        """
        host = tuple(str(self.manifest.host.get(key, "")) for key in _HOST)
        basis = self.manifest.calibration
        rests_on = (basis.run, basis.digest) if basis is not None else ("", "")
        if basis is None and self.value.kind in ("computed", "simulated"):
            rests_on = ("unknown", str(self.run))
        question = self.scenario.model_dump_json()
        return (question, self.metric.name, self.value.kind, *host, *rests_on)


@dataclass(frozen=True)
class Level:
    """Runs in a row that differ by no more than noise."""

    points: tuple[Observation, ...]
    value: Estimate
    """Their mean with its 95 % interval; its samples are the runs."""
    change: Estimate | None
    """The level over the one before; None for the first."""
    verdict: str
    """``progression``, ``regression`` or ``unconfirmed``; empty for the first level."""

    @property
    def change_percent(self) -> float | None:
        """The change in percent."""
        return None if self.change is None else 100 * (self.change.value - 1)


@dataclass(frozen=True)
class Series:
    """Equal scenarios of one metric, kind, host and calibration, oldest run first."""

    scenario: str
    """Its name, and in what it differs from its function's defaults."""
    metric: Column
    kind: str
    host: str
    calibration: str
    """The run of the calibration that all of it rests on; empty for what was measured."""
    levels: tuple[Level, ...]

    @property
    def points(self) -> tuple[Observation, ...]:
        """All of its runs."""
        return tuple(point for level in self.levels for point in level.points)

    @property
    def now(self) -> Level:
        """The level of the last run."""
        return self.levels[-1]

    @property
    def regressions(self) -> tuple[Level, ...]:
        """The levels that were worse than the one before."""
        return tuple(level for level in self.levels if level.verdict == "regression")


def observations(run: Path, content: Content, metric: str | None = None) -> Iterator[Observation]:
    """The metric in a run's results; None: packets a second of results, every rate of a search
    that is valid."""
    if isinstance(content, SearchAnswer):
        if content.invalid:
            return
        for name, rate in content.rates.items():
            # A least rate does not show the level: a faster link alone would raise it.
            if metric in (None, name) and not rate.is_least:
                column, value = _rate_column(name), rate.rate_pps
                yield Observation(run, content.scenario, column, value, content.manifest)
        return
    followed = metrics().get(metric or _USUAL)
    if followed is None:
        return
    for result in results_of(content):
        found = followed.estimate(result)
        if found is not None and found.value > 0:
            yield Observation(run, result.scenario, followed, found, result.manifest)


def _rate_column(name: str) -> Column:
    """A rate of a search (NDR, PDR, MRR, throughput) as results' metrics are described."""
    said = "A rate that a search found."
    return Column(
        name, Form.ESTIMATE, "pps", title=name, header="Mpps", scale=1e6, better="higher", said=said
    )


def all_observations(root: Path, metric: str | None = None) -> Iterator[Observation]:
    """Those of every complete run under `root`; a run without results is passed over."""
    for run in list_runs(root):
        if run.partial:
            continue
        try:
            content = RunDirectory(run.path).read()
        except InputError:
            continue  # a profile or a calibration holds no result
        yield from observations(run.path, content, metric)


def histories(found: Iterable[Observation]) -> list[Series]:
    """The series in these observations, each sorted by when its runs began.

    Only equal scenarios make a series: one over changed questions would show the questions, one
    over two hosts or calibrations would show these.
    """
    return [_series(members) for members in grouped(found)]


def grouped(found: Iterable[Observation]) -> list[list[Observation]]:
    """Observations by series, in order of appearance, each oldest first and each once: a
    calibration that was fitted again keeps copies of what other runs measured."""
    groups: dict[tuple[str, ...], list[Observation]] = {}
    for one in found:
        groups.setdefault(one.series, []).append(one)
    return [
        _without_copies(sorted(members, key=lambda one: (one.manifest.started_at, one.run.name)))
        for members in groups.values()
    ]


def _without_copies(members: Sequence[Observation]) -> list[Observation]:
    """Those that no earlier run has: of measurements, for equal answers are no copies."""
    first: dict[tuple[Estimate, str], Observation] = {}
    kept = []
    for one in members:
        seen = first.setdefault((one.value, one.manifest.started_at), one)
        copied = seen.run != one.run and seen.manifest == one.manifest
        if not copied or one.value.kind != "measured":
            kept.append(one)
    return kept


def _series(members: list[Observation]) -> Series:
    stretches = _shown(_stretches(members))
    spread = pooled_deviation(stretches)
    levels: list[Level] = []
    for stretch in stretches:
        value = mean_of(stretch, *spread)
        change = ratio(value, levels[-1].value) if levels else None
        verdict = "" if change is None else verdict_of(change.value, members[0].metric)
        if verdict and not spread[1] and value.kind == "measured":
            verdict = UNCONFIRMED
        levels.append(Level(tuple(stretch), value, change, verdict))
    first = members[0]
    basis = first.manifest.calibration
    return Series(
        scenario=label_of(first.scenario),
        metric=first.metric,
        kind=first.value.kind,
        host=host_text(first.manifest),
        calibration=_calibration(first) if basis is None else basis.run,
        levels=tuple(levels),
    )


def _calibration(one: Observation) -> str:
    return "unknown" if one.value.kind in ("computed", "simulated") else ""


def label_of(scenario: Scenario) -> str:
    """What a series of a scenario is called."""
    return f"{scenario.name} {own_label(scenario)}".strip()


def host_text(manifest: Manifest) -> str:
    """The host of a series in a few words."""
    cpus = manifest.host.get("cpus")
    words = [str(manifest.host.get("cpu") or "unknown CPU")]
    words += [f"{cpus} CPUs"] if cpus else []
    words += ["virtual"] if manifest.host.get("virtual") == "yes" else []
    return ", ".join(words)


def _stretches(members: Sequence[Observation]) -> list[list[Observation]]:
    """The runs of each level, in order."""
    found, at = [], 0
    for group in jumpavg.classify([one.value.value for one in members]):
        found.append(list(members[at : at + len(group.run_list)]))
        at += len(group.run_list)
    return found


def _shown(stretches: list[list[Observation]]) -> list[list[Observation]]:
    """The levels that differ: measured ones are joined while the 95 % interval of a change has 1 in
    it. jumpavg knows the runs' values alone, not how uncertain each of them is."""
    if stretches[0][0].value.kind != "measured":
        return stretches
    spread = pooled_deviation(stretches)
    means = [mean_of(stretch, *spread) for stretch in stretches]
    for i in range(1, len(means)):
        change = ratio(means[i], means[i - 1])
        if change is not None and change.covers(1):
            joined = stretches[i - 1] + stretches[i]
            return _shown([*stretches[: i - 1], joined, *stretches[i + 1 :]])
    return stretches


def pooled_deviation(groups: Sequence[Sequence[Observation]]) -> tuple[float, int]:
    """Relative deviation of runs from their group's mean, over all groups, and its freedom."""
    squares, freedom = 0.0, 0
    for group in groups:
        mean = fmean(one.value.value for one in group)
        squares += sum((one.value.value / mean - 1) ** 2 for one in group)
        freedom += len(group) - 1
    return (math.sqrt(squares / freedom) if freedom else 0.0), freedom


def mean_of(group: Sequence[Observation], deviation: float, freedom: int) -> Estimate:
    """The mean of runs with its 95 % interval.

    Of measured runs by Student's t from how much runs differ (a relative `deviation` with so many
    degrees of `freedom`), and never narrower than the runs' own intervals allow. Of the model's
    answers as wide as one of them: its calibration errs in the same way in each.
    """
    first = group[0].value
    mean = fmean(one.value.value for one in group)
    own = math.sqrt(fmean(relative_deviation(one.value) ** 2 for one in group))
    half = NORMAL_95 * own
    if first.kind == "measured":
        between = t_quantile(freedom) * deviation if freedom else 0.0
        half = max(half, between) / math.sqrt(len(group))
    return Estimate(
        value=mean,
        low=mean * math.exp(-half) if half else None,
        high=mean * math.exp(half) if half else None,
        samples=len(group),
        unit=first.unit,
        kind=first.kind,
    )


def verdict_of(change: float, metric: Column) -> str:
    """What a ratio of two levels means."""
    better = (change < 1) == (metric.better == "lower")
    return "progression" if better else "regression"
