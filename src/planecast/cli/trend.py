"""``planecast trend``: one scenario over many runs, and the run where its level changed."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any, Literal

import typer

from planecast.cli.options import FormatOption, OutputOption, RunsOption
from planecast.cli.output import Column, Sheet, emit, estimate_text
from planecast.errors import InputError

if TYPE_CHECKING:
    from collections.abc import Iterator

    from planecast.results import Result
    from planecast.results.trend import Trend

_COLUMNS = (
    Column("scenario", "scenario"),
    Column("run", "run"),
    Column("value", "value", number=True),
    Column("level", "level", number=True),
    Column("change_percent", "change", number=True),
    Column("verdict", "verdict"),
)


def register(app: typer.Typer) -> None:
    """Add the verb to `app`."""
    app.command()(trend)


def trend(
    named: Annotated[
        list[str] | None,
        typer.Argument(
            metavar="[RUN…]",
            help="Runs as compare takes them; by default all under the runs folder.",
        ),
    ] = None,
    metric: Annotated[
        Literal["throughput_pps", "cycles_per_packet", "instructions_per_packet", "ipc"],
        typer.Option("--metric", help="What is followed."),
    ] = "throughput_pps",
    scenario: Annotated[
        str | None,
        typer.Option("--scenario", metavar="NAME", help="Only scenarios of this name."),
    ] = None,
    runs: RunsOption = None,
    form: FormatOption = None,
    output: OutputOption = None,
) -> None:
    """One scenario over many runs: its levels, and at which run a level changed (jumpavg).

    Equal scenarios on one CPU model and of one calibration make a series, oldest first; series of
    one run are left out.
    """
    from planecast.results import runs_folder
    from planecast.results.trend import trends

    root = runs_folder(runs)
    pairs = [pair for pair in _pairs(named, root) if scenario in (None, pair[1].scenario.name)]
    found = [one for one in trends(pairs, metric) if len(one.points) > 1]
    if not found:
        what = f"no scenario {scenario}" if scenario else "no scenario"
        raise InputError(
            f"{what} was run twice with {metric}", str(root), "measure the same one again"
        )
    rows = [row for one in found for row in _rows(one)]
    cells = [row for one in found for row in _cells(one)]
    notes = [note for one in found for note in _notes(one)]
    emit(Sheet(_COLUMNS, rows, cells, notes=notes), form, output)


def _pairs(named: list[str] | None, root: Any) -> Iterator[tuple[str, Result]]:
    from planecast.results import list_runs, results_of
    from planecast.results.pick import pick

    if named:
        for text in named:
            picked = pick(text, root)
            yield from ((picked.run.path.name, result) for result in picked.results)
        return
    for run in list_runs(root):
        if run.partial:
            continue
        try:
            content = run.read()
        except InputError:
            continue  # a profile or a calibration holds no result
        yield from ((run.path.name, result) for result in results_of(content))


def _rows(one: Trend) -> list[dict[str, Any]]:
    return [
        {
            "scenario": one.scenario,
            "run": point.run,
            "started_at": point.started_at,
            "metric": one.metric,
            "kind": one.kind,
            "calibration": one.calibration,
            "value": point.value.value,
            "low": point.value.low,
            "high": point.value.high,
            "level": point.level,
            "deviation": point.deviation,
            "change_percent": point.change_percent,
            "verdict": point.verdict,
        }
        for point in one.points
    ]


def _scaled(one: Trend) -> tuple[float, str]:
    return (1e6, "Mpps") if one.metric == "throughput_pps" else (1.0, one.points[0].value.unit)


def _cells(one: Trend) -> list[dict[str, str]]:
    scale, _ = _scaled(one)
    return [
        {
            "scenario": one.scenario,
            "run": point.run,
            "value": estimate_text(point.value, scale),
            "level": f"{point.level / scale:.4g}",
            "change_percent": _percent(point.change_percent),
            "verdict": point.verdict,
        }
        for point in one.points
    ]


def _percent(change: float | None) -> str:
    return "" if change is None else f"{change:+.1f} %"


def _notes(one: Trend) -> list[str]:
    _, unit = _scaled(one)
    about = f"{one.scenario}: {len(one.points)} runs, {one.metric} in {unit}, {one.kind}"
    about += f" by {one.calibration}" if one.calibration else ""
    if not one.changes:
        return [f"{about}: one level"]
    return [about] + [
        f"{one.scenario}: {point.verdict} of {_percent(point.change_percent)} at {point.run}"
        for point in one.changes
    ]
