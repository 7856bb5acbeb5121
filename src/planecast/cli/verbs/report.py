"""``planecast report``: one offline HTML file of a run."""

from __future__ import annotations

from pathlib import Path
from string import ascii_uppercase
from typing import Annotated, Literal

import typer

from planecast.cli.shared.options import RunsOption, checked_output
from planecast.cli.shared.output_files import Page, Written
from planecast.errors import InputError


def report(
    named: Annotated[
        list[str] | None,
        typer.Argument(
            metavar="[RUN…]",
            help="A run's folder or result.json, its name under the runs folder, or latest (the "
            "default); several are put side by side, as compare takes them.",
        ),
    ] = None,
    output: Annotated[
        Path | None,
        typer.Option(
            "--output",
            "-o",
            metavar="FILE",
            callback=checked_output,
            help="Where to write it; by default report.html in the run's folder, and "
            "comparison.html in the last one's for several.",
            show_default=False,
        ),
        Written(),
        Page(),
    ] = None,
    form: Annotated[
        Literal["html", "json"] | None,
        typer.Option(
            "--format",
            help="html: the page; json: the results that it would show. By default as the name "
            "after -o ends, else html.",
            show_default=False,
        ),
    ] = None,
    runs: RunsOption = None,
) -> None:
    """One offline HTML file of a run, or of several side by side: figures, every number with its
    interval, how to repeat it.

    Prints where the file is. The file needs no network and can be sent to somebody else.
    """
    from planecast.cli.shared.output import chosen_format, emit
    from planecast.cli.tables.sheet import Sheet
    from planecast.report import write_report
    from planecast.results import find_run, runs_folder

    root = runs_folder(runs)
    if chosen_format(None, output) == "json":
        form = form or "json"
    if named and len(named) > 1:
        _side_by_side(named, root, form, output)
        return
    found = find_run(named[0] if named else "latest", root)
    if form == "json":
        emit(Sheet((), (), document=found.read()), "json", output)
        return
    typer.echo(write_report(found, output))


def _side_by_side(named: list[str], root: Path, form: str | None, output: Path | None) -> None:
    from planecast.report import write_comparison
    from planecast.results.run_ref import pick

    if form == "json":
        raise InputError(
            "json is of one run", "--format json", "planecast compare has it of several"
        )
    if len(named) > len(ascii_uppercase):
        raise InputError(f"got {len(named)} runs", "report", "name 26 at most, or see history")
    typer.echo(write_comparison([pick(text, root) for text in named], output))
