"""The page of a history: what changed and when, the levels now, versions side by side, all runs."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from planecast.report.figures.levels import change_text, levels_figure
from planecast.report.html import page_html
from planecast.report.numbers import count_text
from planecast.report.page import Card, Page, Section, Verdict, drawing
from planecast.report.report import REPORT
from planecast.report.table import Cell, Heading, Table, estimate_cell
from planecast.results.history import Level, Observation, Series
from planecast.results.versions import UnderVersion, Versions

_MOST_FIGURES = 60
"""Of a page: a browser stays quick."""
_TONES = {"regression": "bad", "progression": "good"}


def history_html(
    series: Sequence[Series], versions: Mapping[str, Sequence[Versions]], folder: Path
) -> str:
    """The history as one offline HTML file in `folder`, from which its links to runs lead.

    `versions` has the comparison for each program that had several.
    """
    return page_html(history_page(series, versions, folder))


def history_page(
    series: Sequence[Series], versions: Mapping[str, Sequence[Versions]], folder: Path
) -> Page:
    """What the page says; the series in the order given."""
    runs = {point.run for one in series for point in one.points}
    hosts = list(dict.fromkeys(one.host for one in series))
    return Page(
        title=f"History of {count_text(len(runs), 'run')}",
        verdict=_verdict(series, len(runs)),
        machine="; ".join(hosts),
        cards=_cards(series, len(runs), len(hosts)),
        sections=list(_sections(series, versions, folder)),
        manifests=[],
        notes=[
            "A series is of equal scenarios, of one kind, on one host and of one calibration. "
            "jumpavg groups its runs into levels.",
            "A level's interval is that of the mean of its runs, by Student's t from how much runs "
            "differ on their levels, and never narrower than the runs' own intervals allow.",
        ],
    )


def _worst(series: Sequence[Series]) -> list[tuple[Series, Level]]:
    """All regressions, the largest first."""
    found = [(one, level) for one in series for level in one.regressions]
    return sorted(found, key=lambda pair: -abs(pair[1].change_percent or 0.0))


def _verdict(series: Sequence[Series], runs: int) -> Verdict:
    asked = f"Did any of {count_text(len(series), 'scenario')} get worse over {runs} runs?"
    worst = _worst(series)
    if not worst:
        return Verdict(asked, "no", "no level is worse than the one before it")
    one, level = worst[0]
    now = sum(one.now.verdict == "regression" for one in series)
    return Verdict(
        asked,
        f"{count_text(len(worst), 'regression')}; the largest is {one.scenario}: "
        f"{change_text(level)} at {level.points[0].run.name}",
        f"{now} of {len(series)} are on a level that is worse than the one before",
    )


def _cards(series: Sequence[Series], runs: int, hosts: int) -> list[Card]:
    changes = [level.verdict for one in series for level in one.levels]
    return [
        Card(str(len(series)), "scenarios", f"on {count_text(hosts, 'host')}"),
        Card(str(runs), "runs"),
        Card(str(changes.count("regression")), "regressions"),
        Card(str(changes.count("progression")), "progressions"),
    ]


def _sections(
    series: Sequence[Series], versions: Mapping[str, Sequence[Versions]], folder: Path
) -> Iterator[Section]:
    yield from _changes(series, folder)
    yield _levels(series, folder)
    for key, rows in versions.items():
        yield _versions(key, rows)
    hosts = len({one.host for one in series})
    for number, one in enumerate(series[:_MOST_FIGURES]):
        yield from drawing(
            f"series-{number}",
            f"{one.scenario}, {_what(one)}{f', {one.host}' if hosts > 1 else ''}",
            f"{count_text(len(one.points), 'run')} on {one.host}{_rests_on(one)}.",
            levels_figure(one),
            detail=len(one.levels) == 1,
        )
    yield _runs(series, folder)


def _rests_on(one: Series) -> str:
    return f", by calibration {one.calibration}" if one.calibration else ""


def _what(one: Series) -> str:
    return one.metric.title or one.metric.name


def _link(one: Observation, folder: Path) -> Cell:
    """The run, leading to its report, or else to its folder."""
    page = one.run / REPORT
    target = page if page.is_file() else one.run
    return Cell(one.run.name, href=Path(os.path.relpath(target, folder)).as_posix())


@dataclass(frozen=True)
class _Names:
    """The columns that name a series: of kind, calibration and host only what differs."""

    kinds: bool
    hosts: bool

    @classmethod
    def of(cls, series: Sequence[Series]) -> _Names:
        return cls(
            kinds=len({(one.kind, one.calibration) for one in series}) > 1,
            hosts=len({one.host for one in series}) > 1,
        )

    @property
    def headings(self) -> list[Heading]:
        found = [Heading("scenario"), Heading("metric")]
        found += [Heading("kind", "by calibration")] if self.kinds else []
        return [*found, *([Heading("host")] if self.hosts else [])]

    def cells(self, one: Series) -> list[Cell]:
        found = [Cell(one.scenario), Cell(_what(one))]
        found += [Cell(one.kind, one.calibration)] if self.kinds else []
        return [*found, *([Cell(one.host)] if self.hosts else [])]


def _changes(series: Sequence[Series], folder: Path) -> Iterator[Table]:
    names = _Names.of(series)
    changes = [(one, level) for one in series for level in one.levels if level.verdict]
    # Regressions first, and of these the largest.
    changes.sort(key=lambda p: (p[1].verdict != "regression", -abs(p[1].change_percent or 0.0)))
    if not changes:
        return
    yield Table(
        "changes",
        "What changed",
        "Regressions first, the largest on top. The change is that of a level against the level "
        "before it, with its 95 % interval; the run is the first of the new level.",
        [
            *names.headings,
            Heading("verdict"),
            Heading("change", "%, computed", number=True),
            Heading("since", "UTC"),
            Heading("first run"),
        ],
        [
            [
                *names.cells(one),
                Cell(level.verdict, tone=_TONES.get(level.verdict, "")),
                _change(level),
                Cell(_day(level.points[0])),
                _link(level.points[0], folder),
            ]
            for one, level in changes
        ],
    )


def _change(level: Level) -> Cell:
    text, _, interval = change_text(level).partition(" [")
    return Cell(text, f"[{interval}" if interval else "", value=level.change_percent)


def _day(one: Observation) -> str:
    return one.manifest.started_at.replace("T", " ").removesuffix("Z")


def _levels(series: Sequence[Series], folder: Path) -> Table:
    names = _Names.of(series)
    return Table(
        "levels",
        "Levels now",
        "The mean of the runs since the last change, with its 95 % interval.",
        [
            *names.headings,
            Heading("level", number=True),
            Heading("unit"),
            Heading("runs", "on this level", number=True),
            Heading("since", "UTC"),
            Heading("last run"),
        ],
        [
            [
                *names.cells(one),
                estimate_cell(one.metric.shown(one.now.value)),
                Cell(one.metric.shown(one.now.value).unit),
                Cell(f"{len(one.now.points):,}"),
                Cell(_day(one.now.points[0])),
                _link(one.now.points[-1], folder),
            ]
            for one in series
        ],
    )


def _versions(key: str, rows: Sequence[Versions]) -> Table:
    names = _Names.of([row.series for row in rows])
    return Table(
        f"versions-{key}",
        f"By version of {key}",
        "The mean of a version's runs with its 95 % interval, and its ratio to the first version "
        "of the scenario. Same: the whole interval of the ratio lies within 1 %.",
        [
            *names.headings,
            Heading(key),
            Heading("mean", number=True),
            Heading("unit"),
            Heading("runs", number=True),
            Heading("ratio", number=True),
            Heading("verdict"),
        ],
        [_version_row(row, one, names) for row in rows for one in row.versions],
    )


def _version_row(row: Versions, one: UnderVersion, names: _Names) -> list[Cell]:
    several = f"on {one.levels} levels" if one.levels > 1 else ""
    shown = row.series.metric.shown(one.value)
    return [
        *names.cells(row.series),
        Cell(one.version),
        estimate_cell(shown),
        Cell(shown.unit),
        Cell(f"{one.value.samples:,}", value=one.value.samples, detail=several),
        estimate_cell(one.ratio),
        Cell(one.verdict),
    ]


def _runs(series: Sequence[Series], folder: Path) -> Table:
    names = _Names.of(series)
    return Table(
        "runs",
        "Every run",
        "Oldest first in each series.",
        [
            *names.headings,
            Heading("began", "UTC"),
            Heading("value", number=True),
            Heading("unit"),
            Heading("versions"),
            Heading("run"),
        ],
        [
            [
                *names.cells(one),
                Cell(_day(point)),
                estimate_cell(point.metric.shown(point.value)),
                Cell(point.metric.shown(point.value).unit),
                Cell(_own_versions(point)),
                _link(point, folder),
            ]
            for one in series
            for point in one.points
        ],
        detail=True,
    )


def _own_versions(point: Observation) -> str:
    known = point.manifest.versions
    return ", ".join(f"{name} {known[name]}" for name in ("planecast", "dpdk") if name in known)
