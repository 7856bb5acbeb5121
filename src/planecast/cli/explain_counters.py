"""``planecast explain --from``, ``--count``, ``--published``, ``--events``: what counters say."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from planecast.cli.output import Column, Sheet
from planecast.errors import InputError

if TYPE_CHECKING:
    from planecast.explain.counters import Asked, CounterExplanation
    from planecast.explain.counters.rest import Setup
    from planecast.instruments.recorded import Recording

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
    int, typer.Option("--level", min=1, max=4, help="Levels of the tree that --count counts.")
]
SecondsOption = Annotated[
    float, typer.Option("--seconds", min=0.1, max=3600, help="How long --count counts.")
]
ArchOption = Annotated[
    str | None,
    typer.Option(
        "--arch",
        metavar="NAME",
        help="Micro-architecture or CPU that was counted; by default what the events fit.",
    ),
]
SmtOption = Annotated[
    bool | None,
    typer.Option(
        "--smt/--no-smt",
        help="Whether both threads of a core were busy; by default what the events say.",
        show_default=False,
    ),
]
PacketsOption = Annotated[
    float | None,
    typer.Option("--packets", metavar="N", help="Packets forwarded while it counted."),
]
PpsOption = Annotated[
    str | None,
    typer.Option("--pps", metavar="RATE", help="Packets a second, as 14.88Mpps."),
]
PlaceOption = Annotated[
    list[str] | None,
    typer.Option("--place", metavar="NAME", help="Only CPU3 or S0-D0-C1 of the file; repeatable."),
]
FrameOption = Annotated[
    int, typer.Option("--frame-bytes", min=64, max=65536, help="With PCIe or memory: frame size.")
]
CoresOption = Annotated[
    int | None,
    typer.Option("--cores", min=1, metavar="N", help="With PCIe: cores that forward."),
]
MachineOption = Annotated[
    str | None,
    typer.Option(
        "--machine",
        metavar="NAME",
        help="With pcm-memory: what the machine's memory could move (planecast machine list).",
    ),
]

_EVENT_COLUMNS = (
    Column("event", "event"),
    Column("level", "level", number=True),
    Column("unit", "unit"),
    Column("perf", "as perf is asked"),
)


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


def counter_sheet(options: CounterOptions, *, people: bool, output: Path | None) -> Sheet | None:
    """The answer about counters; None when nothing was asked about them.

    Raises InputError for two questions at once, and for whatever is wrong with the file.
    """
    from planecast.cli.counters_sheet import counters_sheet

    asked = {
        "--from": options.recorded,
        "--count": options.count,
        "--published": options.published,
        "--events": options.events,
    }
    given = [name for name, value in asked.items() if value is not None]
    if len(given) > 1:
        raise InputError(f"{given[0]} and {given[1]} are both given", "explain", "give one of them")
    if given and output is not None and output.suffix.lower() == ".html":
        raise InputError("a page is made of runs, not of counters", "-o", "name a .json or .csv")
    if options.events is not None:
        if options.against is not None:
            raise InputError("a list of events has nothing to be compared with", "--against")
        return events_sheet(options.events)
    found = _explained(options, options.recorded, options.published)
    if found is None:
        return None
    if options.against is None:
        return counters_sheet(found, people=people)
    return _against(found, options, people=people)


def _explained(
    options: CounterOptions, recorded: Path | None, published: str | None
) -> CounterExplanation | None:
    if published is not None:
        from planecast.explain.counters import explain_published

        return explain_published(published)
    if options.count is not None:
        return explain_counting(options.count, options)
    return None if recorded is None else explain_file(recorded, options)


def _against(found: CounterExplanation, options: CounterOptions, *, people: bool) -> Sheet:
    """What changed from it to ``--against``: a file, or a published row."""
    from planecast.cli.counters_sheet import difference_sheet
    from planecast.explain.counters import compare_counters

    assert options.against is not None
    if options.count is not None:
        raise InputError("counting now has nothing to be compared with", "--against", "record both")
    if options.published is not None:
        other = _explained(options, None, options.against)
    else:
        other = _explained(options, Path(options.against), None)
    assert other is not None
    return difference_sheet(compare_counters(found, other), people=people)


def explain_file(file: Path, options: CounterOptions) -> CounterExplanation:
    """The explanation of a recorded file. Raises InputError for whatever is wrong with it."""
    from planecast.explain.counters import explain_recording
    from planecast.explain.counters.rest import MEMORY, PCIE, explain_uncore, with_rest
    from planecast.instruments.recorded import read_recording

    _packets_of(options)
    recording = read_recording(file)
    setup = _setup(recording, options)
    if recording.tool in (PCIE, MEMORY):
        return explain_uncore(recording, str(file), setup)
    asked = _asked(str(file), options)
    return with_rest(explain_recording(recording, asked), recording, setup)


def _setup(recording: Recording, options: CounterOptions) -> Setup:
    """What was typed of the data plane beside the counters."""
    from planecast.explain.counters.rest import Setup
    from planecast.explain.memory import MemoryLimits
    from planecast.explain.pcie import Ports
    from planecast.scenario.machine import machine_of

    rate = _pps(options.pps)
    if rate is None and options.packets and recording.seconds:
        rate = options.packets / recording.seconds
    limits = None
    if options.machine is not None:
        values = machine_of(options.machine).values
        limits = MemoryLimits(
            channels=int(values.memory_channels.value),
            transfers=values.memory_mts.value * 1e6,
            reached=values.memory_gbs.value * 1e9,
        )
    return Setup(rate, Ports(frame_bytes=options.frame_bytes), options.cores, limits)


def explain_counting(text: str, options: CounterOptions) -> CounterExplanation:
    """Counts on CPUs now and explains it.

    Raises InputError for a wrong CPU list, MissingError for a machine that can't count.
    """
    from planecast.explain.counters import explain_recording
    from planecast.explain.counters.live import counting_plan
    from planecast.instruments.perf import count_events
    from planecast.scenario.cpus import parse_cpus

    try:
        cpus = parse_cpus(text)
    except ValueError as error:
        raise InputError(str(error), "--count") from None
    asked = _asked(f"CPUs {text}", options)
    plan = counting_plan(cpus, options.level, options.seconds, asked)
    return explain_recording(count_events(plan.definition, plan.request), plan.asked)


def _asked(label: str, options: CounterOptions) -> Asked:
    """What was typed beside the counts, checked."""
    from planecast.explain.counters import Asked

    _packets_of(options)
    return Asked(
        label,
        options.arch,
        options.smt,
        options.packets,
        _pps(options.pps),
        frozenset(options.places),
    )


def _packets_of(options: CounterOptions) -> None:
    """Refuses packets that are said twice, or that can't be."""
    if options.packets is not None and options.pps is not None:
        raise InputError("--packets and --pps are both given", "explain", "give one of them")
    if options.packets is not None and not 0 < options.packets < float("inf"):
        raise InputError(f"got {options.packets}", "--packets", "give a number above 0")


def _pps(text: str | None) -> float | None:
    from planecast.scenario.units import parse_rate_pps

    if text is None:
        return None
    try:
        found = parse_rate_pps(text)
    except ValueError as error:
        raise InputError(str(error), "--pps", "give packets a second, as 14.88Mpps") from None
    if found <= 0:
        raise InputError(f"got {text}", "--pps", "give a rate above 0")
    return found


def events_sheet(arch: str) -> Sheet:
    """The events of a definition by the level from which on they are needed."""
    from planecast.topdown import find_definition

    definition = find_definition(arch)
    level: dict[str, int] = {}
    for node in sorted(definition.nodes.values(), key=lambda node: node.level):
        for smt in (False, True):
            for event in sorted(definition.events_of(node.name, smt)):
                level.setdefault(event, node.level)
    rows = [
        {
            "event": event,
            "level": level.get(event),
            "unit": str(definition.units[event]),
            "perf": definition.file.encodings.get(event, event.lower().replace(":", ",")),
        }
        for event in sorted(definition.events, key=lambda event: (level.get(event, 9), event))
    ]
    notes = [f"{definition.file.title}; source: {definition.file.source}"]
    return Sheet(_EVENT_COLUMNS, rows, notes=notes)
