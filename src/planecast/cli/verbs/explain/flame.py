"""``planecast explain --flame FILE`` and ``--classes``: a profile's calls, resctrl's counters."""

from __future__ import annotations

import re
import time
from pathlib import Path
from typing import Annotated, TextIO

import typer

from planecast.cli.shared.option_rules import ANSWER, Alone
from planecast.cli.shared.output import is_page, write_page
from planecast.cli.tables.sheet import Column, Sheet
from planecast.errors import InputError

FlameOption = Annotated[
    Path | None,
    typer.Option(
        "--flame",
        metavar="FILE",
        help="A flame graph of callgrind's output or of perf script's; with -o FILE.html, and "
        "--packets for a packet.",
    ),
    Alone("--packets", "--output"),
]
ClassesOption = Annotated[
    bool,
    typer.Option(
        "--classes",
        help="Cache and memory bandwidth of each class of service now, by resctrl, in --seconds.",
    ),
    Alone("--seconds", *ANSWER),
]

_UNITS = {"cpu-clock": "ns", "task-clock": "ns"}
"""What the period of perf's clocks is in; of other events it is these."""
_CLASS_COLUMNS = (
    Column("class", "class", of="name"),
    Column("cache", "cache", number=True, of="domain"),
    Column("occupancy_mib", "holds MiB", True, of=lambda o: _times(o.occupancy_bytes, 1 / 2**20)),
    Column("mb_per_second", "MB/s", number=True, of=lambda one: _times(one.total_bps, 1e-6)),
    Column("remote_percent", "remote %", True, of=lambda one: _times(one.remote_share, 100)),
)


def write_flame(file: Path, packets: float | None, output: Path | None) -> None:
    """Write the page of a flame graph, and say where it is.

    Raises InputError for a file that is neither callgrind's nor perf script's, and without
    -o FILE.html.
    """
    if output is None or not is_page(output):
        raise InputError("a flame graph is a page", "--flame", "add -o FILE.html")
    if file.exists() and not file.is_file():
        raise InputError("this is not a regular file", str(file), "name a profile that was saved")
    try:
        with file.open(encoding="utf-8", errors="replace") as lines:
            sampled = _is_sampled(lines)
            lines.seek(0)
            page = (_sampled_page if sampled else _counted_page)(lines, file, packets)
    except OSError as error:
        raise InputError(f"can't read it: {error.strerror}", str(file)) from None
    write_page(output, page)


def _is_sampled(lines: TextIO) -> bool:
    """Whether it is text of perf's: callgrind's begins with its name and its keys."""
    first = next((line for line in lines if line.strip()), "")
    return not re.match(r"# callgrind|version:|creator:|\w+[:=]", first)


def _counted_page(lines: TextIO, file: Path, packets: float | None) -> str:
    from planecast.explain.flame import flame
    from planecast.instruments.callgrind_output import parse_callgrind
    from planecast.report.flame_page import flame_html

    return flame_html(flame(parse_callgrind(lines)), file.name, packets)


def _sampled_page(lines: TextIO, file: Path, packets: float | None) -> str:
    from planecast.explain.flame import sampled_flame
    from planecast.instruments.recorded.perf_script import read_perf_script
    from planecast.report.flame_page import flame_html

    sampled = read_perf_script(lines, str(file))
    if packets is not None and not sampled.weighted:
        raise InputError(
            "samples without their period give shares, and no costs a packet",
            str(file),
            "leave --packets out, or have perf script print them (-F +period)",
        )
    notes = [f"{sampled.samples:,} samples of {sampled.event}", *sampled.remarks]
    if sampled.others:
        notes.append(f"other events of the file are left out: {', '.join(sampled.others)}")
    counted = _UNITS.get(sampled.event.partition(":")[0]) if sampled.weighted else "samples"
    counted = counted or sampled.event.partition(":")[0]
    return flame_html(sampled_flame(sampled), file.name, packets, counted=counted, notes=notes)


def classes_sheet(seconds: float, root: Path = Path("/")) -> Sheet:
    """What each class holds and takes. Raises MissingError where resctrl doesn't count."""
    from planecast.host.resctrl import meddling, rates, read_classes
    from planecast.host.root import Root

    first, begin = read_classes(Root(root)), time.monotonic()
    time.sleep(seconds)
    second = read_classes(Root(root))
    changes = rates(first, second, time.monotonic() - begin)
    notes = ["occupancy is of now; bandwidth is the mean since the first reading; empty: unknown"]
    trouble = meddling(first, second)
    return Sheet.of(_CLASS_COLUMNS, changes, notes=[*notes, *([trouble] if trouble else [])])


def _times(number: float | None, factor: float) -> float | None:
    return None if number is None else number * factor
