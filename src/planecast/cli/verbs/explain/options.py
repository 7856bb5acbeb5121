"""What can be typed about counters: the options of ``planecast explain`` that ask for them."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Annotated

import typer

from planecast.cli.shared.option_rules import ANSWER, Alone, Needs

NOT_OF_A_RUN = ("--from", "--count", "--published", "--events", "--flame", "--classes")
"""Options that ask about something that is no run."""
_READ = ("--from", "--published --against")
"""What reads recorded counters."""
_COUNTS = Needs(*_READ, "--count", why="no counters are asked about")
_RECORDED = Needs(*_READ, why="no recorded counters are asked about")

FromOption = Annotated[
    Path | None,
    typer.Option(
        "--from",
        metavar="FILE",
        help="Explain recorded counters: perf stat -x or -j, toplev -x, pcm, pcm-memory, pcm-pcie.",
    ),
]
PublishedOption = Annotated[
    str | None,
    typer.Option("--published", metavar="ROW", help="Explain a row of a published table; or list."),
]
EventsOption = Annotated[
    str | None,
    typer.Option("--events", metavar="ARCH", help="List the events of a micro-architecture."),
    Alone(*ANSWER),
]
CountOption = Annotated[
    str | None,
    typer.Option(
        "--count",
        metavar="CPUS",
        help="Count on these CPUs now, with perf, while the data plane is busy there.",
    ),
]
LevelOption = Annotated[
    int,
    typer.Option("--level", min=1, max=4, help="Levels of the tree that --count counts."),
    Needs("--count"),
]
SecondsOption = Annotated[
    float,
    typer.Option("--seconds", min=0.1, max=3600, help="How long --count counts."),
    Needs("--count", "--classes"),
]
ArchOption = Annotated[
    str | None,
    typer.Option(
        "--arch",
        metavar="NAME",
        help="Micro-architecture or CPU that was counted; by default what the events fit.",
    ),
    _COUNTS,
]
SmtOption = Annotated[
    bool | None,
    typer.Option(
        "--smt/--no-smt",
        help="Whether both threads of a core were busy; by default what the events say.",
        show_default=False,
    ),
    _COUNTS,
]
PacketsOption = Annotated[
    float | None,
    typer.Option("--packets", metavar="N", help="Packets forwarded while it counted."),
    Needs(*_READ, "--count", "--flame", why="no counters are asked about"),
]
PpsOption = Annotated[
    str | None,
    typer.Option("--pps", metavar="RATE", help="Packets a second, as 14.88Mpps."),
    _COUNTS,
]
PlaceOption = Annotated[
    list[str] | None,
    typer.Option("--place", metavar="NAME", help="Only CPU3 or S0-D0-C1 of the file; repeatable."),
    _RECORDED,
]
FrameOption = Annotated[
    int,
    typer.Option("--frame-bytes", min=64, max=65536, help="With PCIe or memory: frame size."),
    _RECORDED,
]
CoresOption = Annotated[
    int | None,
    typer.Option("--cores", min=1, metavar="N", help="With PCIe: cores that forward."),
    _RECORDED,
]
MachineOption = Annotated[
    str | None,
    typer.Option(
        "--machine",
        metavar="NAME",
        help="With pcm-memory: what the machine's memory could move (planecast machine list).",
    ),
    _RECORDED,
]


@dataclass(frozen=True)
class CounterOptions:
    """What was typed about counters."""

    against: str | None
    recorded: Path | None
    count: str | None
    level: int
    seconds: float
    published: str | None
    events: str | None
    arch: str | None
    smt: bool | None
    packets: float | None
    pps: str | None
    places: tuple[str, ...]
    frame_bytes: int = 64
    cores: int | None = None
    machine: str | None = None
