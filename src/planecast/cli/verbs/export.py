"""``planecast export``: results for other programs."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Literal

import typer

from planecast.cli.shared.options import RunsOption, checked_output
from planecast.cli.shared.output import write_out
from planecast.cli.shared.output_files import Written


def export(
    named: Annotated[
        list[str] | None,
        typer.Argument(metavar="[RUN…]", help="Runs as compare takes them; by default latest."),
    ] = None,
    form: Annotated[
        Literal["prometheus"],
        typer.Option("--format", help="prometheus: a text file for node_exporter's collector."),
    ] = "prometheus",
    output: Annotated[
        Path | None,
        typer.Option(
            "--output",
            "-o",
            metavar="FILE",
            callback=checked_output,
            help="Where to write it, whole or not at all; by default to stdout.",
            show_default=False,
        ),
        Written(),
    ] = None,
    runs: RunsOption = None,
) -> None:
    """Results for other programs: a text file that Prometheus reads (docs/how-to/comparing.md).

    Of several results of one scenario the last one counts.
    """
    from planecast.results import runs_folder
    from planecast.results.prometheus import prometheus_text
    from planecast.results.run_ref import pick

    del form  # there is one so far
    root = runs_folder(runs)
    picked = [pick(text, root) for text in named or ["latest"]]
    results = [result for one in picked for result in one.results]
    searches = [one.search for one in picked if one.search is not None]
    text = prometheus_text(results, searches)
    write_out(text, output)
