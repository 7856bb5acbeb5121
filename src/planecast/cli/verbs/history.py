"""``planecast history``: scenarios over many runs: levels, regressions, versions side by side."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer

from planecast.cli.shared.option_rules import Excludes
from planecast.cli.shared.options import FormatOption, OutputOption, RunsOption
from planecast.cli.shared.output import emit, page_path, write_page
from planecast.cli.shared.output_files import Page
from planecast.errors import InputError

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from pathlib import Path

    from planecast.results.history import Observation, Series

_VERSIONS_SHOWN = ("planecast", "dpdk", "compiler", "kernel")
"""Programs that the page compares versions of, where there are several."""


NamedArgument = Annotated[
    list[str] | None,
    typer.Argument(
        metavar="[RUN…]",
        help="Runs as compare takes them; by default all under the runs folder.",
    ),
]
MetricOption = Annotated[
    str | None,
    typer.Option(
        "--metric",
        help="A column of docs/reference/columns.md with an interval, or a rate of searches "
        "such as NDR. Default: throughput_pps, and all rates of searches.",
        show_default=False,
    ),
]
ScenarioOption = Annotated[
    str | None,
    typer.Option("--scenario", metavar="NAME", help="Only scenarios of this name."),
]
ByOption = Annotated[
    str | None,
    typer.Option(
        "--by",
        metavar="PROGRAM",
        help="Its versions side by side, with ratios: planecast, dpdk, compiler, kernel, …",
    ),
]
PointsOption = Annotated[
    bool,
    typer.Option("--points", help="A row a run instead of a row a scenario."),
    Excludes("--by", "--output *.html"),
]


def history(
    named: NamedArgument = None,
    metric: MetricOption = None,
    scenario: ScenarioOption = None,
    by: ByOption = None,
    points: PointsOption = False,
    runs: RunsOption = None,
    form: FormatOption = None,
    output: Annotated[OutputOption, Page()] = None,
) -> None:
    """Scenarios over many runs: the level that each is on, and at which runs it changed (jumpavg).

    Equal scenarios of one kind, on one host and of one calibration make a series; series of one run
    are left out. -o FILE.html writes a page with figures and links to the runs.
    """
    from planecast.cli.tables.history import level_sheet, point_sheet, version_sheet
    from planecast.results import runs_folder
    from planecast.results.columns import metrics
    from planecast.results.history import histories
    from planecast.results.store import none_in

    root = runs_folder(runs)
    found = [one for one in _observed(named, root, metric) if scenario in (None, one.scenario.name)]
    series = [one for one in histories(found) if len(one.points) > 1]
    if not found and metric is not None and metric not in metrics():
        known = f"known are {', '.join(metrics())}, and the rates of searches, such as NDR"
        raise InputError(f"no run has the metric '{metric}'", "--metric", known)
    if not found and not named and not root.is_dir():
        raise none_in(root, "there is no run", "planecast measure")
    if not series:
        what = f"no scenario {scenario}" if scenario else "no scenario"
        raise InputError(
            f"{what} was run twice on one host{f' with {metric}' if metric else ''}",
            str(root),
            "run the same one again",
        )
    series.sort(key=_worst_first)
    page = page_path(form, output)
    if page is not None:
        _write_page(series, found, by, page)
    elif by is not None:
        emit(version_sheet(found, by), form, output)
    else:
        emit(point_sheet(series) if points else level_sheet(series), form, output)


def _observed(named: list[str] | None, root: Path, metric: str | None) -> Iterator[Observation]:
    from planecast.results import ResultSet
    from planecast.results.history import all_observations, observations
    from planecast.results.run_ref import pick

    if not named:
        yield from all_observations(root, metric)
        return
    for text in named:
        picked = pick(text, root)
        content = picked.search or ResultSet(results=tuple(picked.results))
        yield from observations(picked.run.path, content, metric)


def _worst_first(one: Series) -> tuple[bool, bool, float]:
    """Those that are worse now first, then those that ever were, the largest change first."""
    change = max((abs(level.change_percent or 0.0) for level in one.regressions), default=0.0)
    return (one.now.verdict != "regression", not one.regressions, -change)


def _write_page(
    series: Sequence[Series], found: Sequence[Observation], by: str | None, path: Path
) -> None:
    from planecast.report.history_page import history_html
    from planecast.results.versions import by_version, version_of

    def several(key: str) -> bool:
        return len({version_of(one.manifest, key) for one in found} - {""}) > 1

    keys = [by] if by else [key for key in _VERSIONS_SHOWN if several(key)]
    versions = {key: rows for key in keys if (rows := by_version(found, key))}
    write_page(path, history_html(series, versions, path.resolve().parent))
