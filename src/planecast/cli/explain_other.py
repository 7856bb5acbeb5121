"""``planecast explain --flame FILE`` and ``--classes``: a callgrind profile, resctrl's counters."""

from __future__ import annotations

import time
from pathlib import Path
from typing import Annotated

import typer

from planecast.cli.output import Column, Sheet
from planecast.errors import InputError

FlameOption = Annotated[
    Path | None,
    typer.Option(
        "--flame",
        metavar="FILE",
        help="A flame graph of callgrind's output; with -o FILE.html, and --packets for a packet.",
    ),
]
ClassesOption = Annotated[
    bool,
    typer.Option(
        "--classes",
        help="Cache and memory bandwidth of each class of service now, by resctrl, in --seconds.",
    ),
]

_CLASS_COLUMNS = (
    Column("class", "class"),
    Column("cache", "cache", number=True),
    Column("occupancy_mib", "holds MiB", number=True),
    Column("mb_per_second", "MB/s", number=True),
    Column("remote_percent", "remote %", number=True),
)


def write_flame(file: Path, packets: float | None, output: Path | None) -> None:
    """Write the page of a flame graph, and say where it is.

    Raises InputError for a file that isn't callgrind's, and without -o FILE.html.
    """
    from planecast.explain.flame import flame
    from planecast.instruments.callgrind_output import parse_callgrind
    from planecast.report.flame_page import flame_html
    from planecast.results.atomic import write_text

    if output is None or output.suffix.lower() != ".html":
        raise InputError("a flame graph is a page", "--flame", "add -o FILE.html")
    try:
        with file.open(encoding="utf-8", errors="replace") as lines:
            profile = parse_callgrind(lines)
    except OSError as error:
        raise InputError(f"can't read it: {error.strerror}", str(file)) from None
    write_text(output, flame_html(flame(profile), file.name, packets))
    typer.echo(output)


def classes_sheet(seconds: float, root: Path = Path("/")) -> Sheet:
    """What each class holds and takes. Raises MissingError where resctrl doesn't count."""
    from planecast.host.resctrl import rates, read_classes
    from planecast.host.root import Root

    first, begin = read_classes(Root(root)), time.monotonic()
    time.sleep(seconds)
    second = read_classes(Root(root))
    rows = [
        {
            "class": one.name,
            "cache": one.domain,
            "occupancy_mib": one.occupancy_bytes / 2**20
            if one.occupancy_bytes is not None
            else None,
            "mb_per_second": one.total_bps / 1e6 if one.total_bps is not None else None,
            "remote_percent": 100 * one.remote_share if one.remote_share is not None else None,
        }
        for one in rates(first, second, time.monotonic() - begin)
    ]
    notes = ["occupancy is of now; bandwidth is the mean since the first reading; empty: not told"]
    return Sheet(_CLASS_COLUMNS, rows, notes=notes)


def _scaled(value: float | None, factor: float) -> float | None:
    return None if value is None else float(value * factor)
