"""A history as tables: a row a scenario, a run, or a scenario under several versions."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from string import ascii_uppercase
from typing import Any, NamedTuple

from planecast.cli.tables.sheet import Column, Sheet, Worded, estimate_text
from planecast.errors import InputError
from planecast.results.columns import metrics
from planecast.results.estimate import Estimate
from planecast.results.history import Level, Observation, Series
from planecast.results.versions import UnderVersion, Versions, by_version

_SERIES = (
    Column("scenario", "scenario"),
    Column("metric", "metric"),
    Column("kind", "kind"),
    Column("host", "host"),
    Column("calibration"),
)
_LEVELS = (
    *_SERIES,
    Column("runs", "runs", number=True),
    Column("level", "level", number=True),
    Column("since", "since"),
    Column("change_percent", "change %", number=True),
    Column("verdict", "verdict"),
    *(Column(key) for key in ("level_low", "level_high", "unit", "first_run")),
    *(Column(key) for key in ("change_low_percent", "change_high_percent")),
)
_POINTS = (
    *_SERIES,
    Column("run", "run"),
    Column("value", "value", number=True),
    Column("level", "level", number=True),
    Column("change_percent", "change %", number=True),
    Column("verdict", "verdict"),
    *(Column(key) for key in ("low", "high", "level_low", "level_high", "unit", "started_at")),
    *(Column(key) for key in ("change_low_percent", "change_high_percent")),
)


class _Words(NamedTuple):
    """How rows name what is equal in all of a series, where that distinguishes them."""

    hosts: dict[str, str]
    """A letter a host where there are several; nothing where all are of one."""
    kinds: dict[tuple[str, str], str]
    """Words for each kind and calibration where there are several; nothing where there is one."""

    @classmethod
    def of(cls, series: Sequence[Series]) -> _Words:
        names = list(dict.fromkeys(one.host for one in series))
        letters = [*ascii_uppercase, *(f"H{number}" for number in range(27, len(names) + 1))]
        kinds = dict.fromkeys((one.kind, one.calibration) for one in series)
        models = list(dict.fromkeys(calibration for _, calibration in kinds if calibration))
        numbers = dict(zip(models, range(1, len(models) + 1), strict=True))
        several = len(models) > 1
        words = {
            (kind, model): f"{kind} {numbers[model]}" if model and several else kind
            for kind, model in kinds
        }
        hosts = dict(zip(names, letters, strict=False)) if len(names) > 1 else {}
        return cls(hosts, words if len(words) > 1 else {})

    def kind(self, one: Series) -> str:
        """The words for a series' kind and calibration; its kind alone where all are of one."""
        return self.kinds.get((one.kind, one.calibration), one.kind)


def _scaled(one: Series, value: Estimate) -> str:
    return estimate_text(value, one.metric.scale)


def _about(one: Series, words: _Words) -> dict[str, Any]:
    return {
        "scenario": one.scenario,
        "metric": Worded(one.metric.name, _metric_text(one)),
        "kind": Worded(one.kind, words.kind(one) if words.kinds else ""),
        "host": Worded(one.host, words.hosts.get(one.host, "")),
        "calibration": one.calibration,
    }


def _metric_text(one: Series) -> str:
    """The unit, or name and unit where that alone doesn't say what it is."""
    unit = one.metric.header or one.metric.unit
    return unit if one.metric.name in metrics() else f"{one.metric.name} {unit}"


def _change_text(level: Level) -> str:
    """Value and interval of a change, in percent."""
    if level.change is None:
        return ""
    value, *ends = (
        f"{100 * (end - 1):+.1f}" for end in (level.change.value, *(level.change.interval or ()))
    )
    return f"{value} [{', '.join(ends)}]" if ends else value


def _level(one: Series, level: Level, words: _Words) -> dict[str, Any]:
    change, since = level.change, level.points[0].manifest.started_at
    return _about(one, words) | {
        "runs": len(level.points),
        "level": Worded(level.value.value, _scaled(one, level.value)),
        "level_low": level.value.low,
        "level_high": level.value.high,
        "unit": level.value.unit,
        "since": Worded(since, since[:10]),
        "first_run": level.points[0].run.name,
        "change_percent": Worded(level.change_percent, _change_text(level)),
        "change_low_percent": _percent(None if change is None else change.low),
        "change_high_percent": _percent(None if change is None else change.high),
        "verdict": level.verdict,
    }


def _percent(end: float | None) -> float | None:
    return None if end is None else 100 * (end - 1)


def level_sheet(series: Sequence[Series]) -> Sheet:
    """A row a series: the level that it is on."""
    words = _Words.of(series)
    rows = [
        _level(one, one.now, words) | {"runs": Worded(len(one.now.points), f"{len(one.points)}")}
        for one in series
    ]
    return Sheet(_LEVELS, rows, notes=[*_notes(series, words), *_change_notes(series)])


def _change_notes(series: Sequence[Series]) -> Iterator[str]:
    changes = [(one, level) for one in series for level in one.levels if level.verdict]
    if not changes:
        yield "no level changed"
    for one, level in changes:
        yield (
            f"{one.scenario}: {level.verdict} of {_change_text(level)} % at "
            f"{level.points[0].run.name}"
        )


def _notes(series: Sequence[Series], words: _Words) -> Iterator[str]:
    for name, letter in words.hosts.items():
        yield f"host {letter}: {name}"
    if not words.hosts:
        yield f"host: {series[0].host}"
    kinds = dict.fromkeys(
        words.kind(one) + (f" by {one.calibration}" if one.calibration else "") for one in series
    )
    yield f"levels with 95 % intervals, {'; '.join(kinds)}; change against the level before"


def point_sheet(series: Sequence[Series]) -> Sheet:
    """A row a run."""
    words = _Words.of(series)
    rows = [
        _point(one, level, point, words, first=number == 0)
        for one in series
        for level in one.levels
        for number, point in enumerate(level.points)
    ]
    return Sheet(_POINTS, rows, notes=[*_notes(series, words), *_change_notes(series)])


def _point(
    one: Series, level: Level, point: Observation, words: _Words, *, first: bool
) -> dict[str, Any]:
    row = _level(one, level, words)
    if not first or not level.verdict:
        row |= {"change_percent": None, "verdict": ""}
    return row | {
        "run": point.run.name,
        "started_at": point.manifest.started_at,
        "value": Worded(point.value.value, _scaled(one, point.value)),
        "low": point.value.low,
        "high": point.value.high,
        "level": Worded(level.value.value, _scaled(one, level.value).partition(" ")[0]),
    }


def version_sheet(found: Sequence[Observation], by: str) -> Sheet:
    """A row a scenario, a column a version of `by`.

    Raises InputError when none was run with several, or no run keeps that version.
    """
    table = by_version(found, by)
    if not table:
        raise InputError(f"every scenario was run with one version of {by} alone", f"--by {by}")
    series = [row.series for row in table]
    words = _Words.of(series)
    names = list(dict.fromkeys(one.version for row in table for one in row.versions))
    columns = [*_SERIES, Column(names[0], names[0], number=True)]
    for name in names[1:]:
        columns += [
            Column(name, name, number=True),
            Column(f"{name} ratio", f"{name} ratio", number=True),
            Column(f"{name} verdict", "verdict"),
        ]
    document = [row for one in table for row in _version_rows(one, by)]
    rows = [_version_cells(one, words) for one in table]
    notes = [
        *_notes(series, words),
        f"mean of each version's runs, and its ratio to {by} {names[0]}, or the first of the row",
    ]
    return Sheet(columns, rows, document, notes=notes)


def _version_rows(row: Versions, by: str) -> Iterator[dict[str, Any]]:
    for one in row.versions:
        yield {
            "scenario": row.series.scenario,
            "metric": row.series.metric.name,
            "kind": row.series.kind,
            "host": row.series.host,
            "calibration": row.series.calibration,
            by: one.version,
            "runs": one.value.samples,
            "value": one.value.value,
            "low": one.value.low,
            "high": one.value.high,
            "unit": one.value.unit,
            "levels": one.levels,
            "ratio": one.ratio and one.ratio.value,
            "ratio_low": one.ratio and one.ratio.low,
            "ratio_high": one.ratio and one.ratio.high,
            "verdict": one.verdict,
        }


def _version_cells(row: Versions, words: _Words) -> dict[str, Any]:
    cells = _about(row.series, words)
    for one in row.versions:
        cells |= {
            one.version: Worded(one.value.value, _scaled(row.series, one.value)),
            f"{one.version} ratio": one.ratio,
            f"{one.version} verdict": _verdict(one),
        }
    return cells


def _verdict(one: UnderVersion) -> str:
    return f"{one.verdict} ({one.levels} levels)" if one.levels > 1 else one.verdict
