"""``planecast report``: one offline HTML file of a run."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Literal

import typer

from planecast.cli.options import RunsOption
from planecast.errors import InputError


def register(app: typer.Typer) -> None:
    """Add the verb to `app`."""
    app.command()(report)


def report(
    run: Annotated[
        str,
        typer.Argument(
            metavar="[RUN]",
            help="A run's folder or result.json, its name under the runs folder, or latest.",
        ),
    ] = "latest",
    output: Annotated[
        Path | None,
        typer.Option(
            "--output",
            "-o",
            metavar="FILE",
            help="Where to write it; by default report.html in the run's folder.",
            show_default=False,
        ),
    ] = None,
    form: Annotated[
        Literal["html", "json"],
        typer.Option("--format", help="html: the page; json: the results that it would show."),
    ] = "html",
    runs: RunsOption = None,
) -> None:
    """One offline HTML file of a run: figures, every number with its interval, how to repeat it.

    Prints where the file is. The file needs no network and can be sent to somebody else.
    """
    from planecast.cli.output import Sheet, emit
    from planecast.report import write_report
    from planecast.results import find_run, runs_folder

    if output is not None and output.is_dir():
        raise InputError("this is a folder", f"-o {output}", "name a file, such as report.html")
    found = find_run(run, runs_folder(runs))
    if form == "json":
        emit(Sheet((), (), document=found.read()), "json", output)
        return
    typer.echo(write_report(found, output))
