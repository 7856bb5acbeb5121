"""What ``predict --engine simulate`` writes in addition to its answer: a time series and a
trace."""

from __future__ import annotations

import csv
import io
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, NamedTuple

import typer

from planecast.cli.shared.option_rules import Needs
from planecast.cli.shared.options import checked_output, parsed
from planecast.cli.shared.output_files import Written
from planecast.errors import InputError

if TYPE_CHECKING:
    from planecast.engines.simulate import _simulator as sim
    from planecast.engines.simulate.model import Recording

TRACE_EVENTS = 100_000
"""Events of a trace at most: some 15 MB, which Perfetto's viewer opens in a second."""
INTERVALS = 1000
"""Intervals of a time series when no duration is given."""
MOST_INTERVALS = 1_000_000

TIMED = Needs("--engine simulate", why="the closed form simulates no time")

TraceOption = Annotated[
    Path | None,
    typer.Option(
        "--trace",
        metavar="FILE",
        callback=checked_output,
        help=f"simulate: the first {TRACE_EVENTS:,} events as a Chrome trace, which "
        "ui.perfetto.dev opens.",
    ),
    TIMED,
    Written(),
]
SeriesOption = Annotated[
    Path | None,
    typer.Option(
        "--series",
        metavar="FILE",
        callback=checked_output,
        help="simulate: packets, loss, latency, lcores and rings by interval; CSV, or Parquet when "
        "the name ends so.",
    ),
    TIMED,
    Written(),
]
IntervalOption = Annotated[
    str | None,
    typer.Option(
        "--interval", metavar="TIME", help="simulate: interval of --series. Default: 10us."
    ),
    TIMED,
    Needs("--series", why="an interval is of a series, and none is asked for"),
]
DurationOption = Annotated[
    str | None,
    typer.Option(
        "--duration",
        metavar="TIME",
        help="simulate: so much simulated time from empty rings on, such as 10ms, instead of until "
        f"the precision. With --series, {INTERVALS:,} intervals by default.",
    ),
    TIMED,
]


class Wanted(NamedTuple):
    """The recordings that were asked for."""

    trace: Path | None
    series: Path | None
    recording: Recording | None

    def write(self, answers: Sequence[sim.Results], labels: Sequence[str]) -> None:
        """Writes them. Raises RunError for what the disk refuses."""
        from planecast.results.atomic import write_text

        if self.trace is not None:
            write_text(self.trace, answers[0].trace_json)
        if self.series is not None:
            _write_series(self.series, answers, labels)


def wanted_recordings(
    trace: Path | None,
    series: Path | None,
    interval: str | None,
    duration: str | None,
    *,
    points: int,
) -> Wanted:
    """What the options ask for. Raises InputError where they don't fit."""
    if trace is None and series is None and duration is None:
        return Wanted(None, None, None)
    if trace is not None and points > 1:
        raise InputError(
            f"a trace is of one scenario, not of {points}", "--trace", "leave --vary out"
        )
    step_ns = _nanoseconds(interval or "10us", "--interval")
    length_ns = None if duration is None else _nanoseconds(duration, "--duration")
    if series is not None:
        length_ns = length_ns or INTERVALS * step_ns
        if length_ns / step_ns > MOST_INTERVALS:
            raise InputError(
                f"the duration has {length_ns / step_ns:,.0f} intervals, more than "
                f"{MOST_INTERVALS:,}",
                "--interval",
                "take longer ones",
            )
    from planecast.engines.simulate.model import Recording

    recording = Recording(
        duration_ns=length_ns,
        interval_ns=step_ns if series is not None else 0.0,
        trace_events=TRACE_EVENTS if trace is not None else 0,
    )
    return Wanted(trace, series, recording)


def _nanoseconds(text: str, option: str) -> float:
    from planecast.scenario.units import parse_duration_s

    wanted = "give 1ns to 11 days, such as 10us, 5ms or 1s"
    return 1e9 * parsed(parse_duration_s, text, option, wanted, least=1e-9, most=1e6)


def _write_series(path: Path, answers: Sequence[sim.Results], labels: Sequence[str]) -> None:
    from planecast.engines.simulate.series import series_columns
    from planecast.results.atomic import replacing, write_text
    from planecast.results.trials import write_parquet

    columns = series_columns(answers, labels)
    if path.suffix == ".parquet":
        with replacing(path) as temporary:
            write_parquet(columns, temporary, shown=path)
        return
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(columns)
    writer.writerows(zip(*(column.tolist() for column in columns.values()), strict=True))
    write_text(path, text.getvalue())
