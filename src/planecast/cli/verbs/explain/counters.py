"""``planecast explain --from``, ``--count``, ``--published``, ``--events``: what counters say."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from planecast.cli.shared.options import parsed
from planecast.cli.tables.sheet import Column, Sheet, percent
from planecast.errors import InputError

if TYPE_CHECKING:
    from planecast.cli.verbs.explain.options import CounterOptions
    from planecast.explain.counters import Asked, CounterDifference, CounterExplanation
    from planecast.explain.counters.uncore import Setup
    from planecast.instruments.recorded import Recording

_EVENT_COLUMNS = (
    Column("event", "event"),
    Column("level", "level", number=True),
    Column("unit", "unit"),
    Column("perf", "event of perf"),
)


@dataclass(frozen=True)
class CounterAnswer:
    """What counters say, and how another recording or a published row differs."""

    found: CounterExplanation
    moved: CounterDifference | None = None

    def sheet(self) -> Sheet:
        """The answer as a table."""
        from planecast.cli.tables.counters import counters_sheet, difference_sheet

        if self.moved is not None:
            return difference_sheet(self.moved)
        return counters_sheet(self.found)

    def html(self) -> str:
        """The answer as a page that opens offline."""
        from planecast.report.counters_page import counters_html

        return counters_html(self.found, self.moved)


def counter_answer(options: CounterOptions) -> CounterAnswer | None:
    """The answer about counters; None when nothing was asked about them.

    Raises InputError for two questions at once, and for whatever is wrong with the file.
    """
    asked = {
        "--from": options.recorded,
        "--count": options.count,
        "--published": options.published,
    }
    given = [name for name, value in asked.items() if value is not None]
    if len(given) > 1:
        raise InputError(f"{given[0]} and {given[1]} are both given", "explain", "give one of them")
    found = _explained(options)
    if found is None or options.against is None:
        return None if found is None else CounterAnswer(found)
    return CounterAnswer(found, _moved(found, options))


def _explained(options: CounterOptions) -> CounterExplanation | None:
    from planecast.explain.counters import explain_published

    if options.published is not None:
        return explain_published(options.published)
    if options.count is not None:
        return explain_counting(options.count, options)
    return None if options.recorded is None else explain_file(options.recorded, options)


def _moved(found: CounterExplanation, options: CounterOptions) -> CounterDifference:
    """What changed from it to ``--against``: a published row, a recording, a saved explanation."""
    from planecast.explain.counters import (
        compare_counters,
        explain_published,
        is_published,
        read_saved,
    )

    assert options.against is not None
    file = Path(options.against)
    other = None if is_published(options.against) else read_saved(file)
    if other is not None:
        return compare_counters(found, other)
    if is_published(options.against) or (options.published is not None and not file.is_file()):
        other = explain_published(options.against)
    elif options.count is not None:
        raise InputError(
            "counting now can be compared with what was counted before and with published rows",
            "--against",
            "name a file that planecast explain --count … -o FILE.json wrote, or a row",
        )
    else:
        other = explain_file(file, options)
    return compare_counters(found, other)


def explain_file(file: Path, options: CounterOptions) -> CounterExplanation:
    """The explanation of a recorded file. Raises InputError for whatever is wrong with it."""
    from planecast.explain.counters import explain_recording, read_saved
    from planecast.explain.counters.uncore import MEMORY, PCIE, explain_uncore, with_uncore
    from planecast.instruments.recorded import read_recording

    saved = read_saved(file)
    if saved is not None:
        return saved
    _packets_of(options)
    recording = read_recording(file)
    setup = _setup(recording, options)
    if recording.tool in (PCIE, MEMORY):
        return explain_uncore(recording, str(file), setup)
    asked = _asked(str(file), options)
    return with_uncore(explain_recording(recording, asked), recording, setup)


def _setup(recording: Recording, options: CounterOptions) -> Setup:
    """What was typed of the data plane in addition to the counters."""
    from planecast.explain.counters.uncore import Setup
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
            idle_ns=values.memory_idle_ns.value,
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
    """What was typed in addition to the counts, checked."""
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

    wanted = "give packets a second, as 14.88Mpps"
    return None if text is None else parsed(parse_rate_pps, text, "--pps", wanted)


def published_sheet() -> Sheet:
    """All published rows: what ``--published`` and ``--against`` can be given."""
    from planecast.explain.counters.published import published_rows
    from planecast.topdown.load import meaning_of

    rows = list(published_rows().values())
    shares = list(dict.fromkeys(node for row in rows for node in row.shares))
    columns = (
        Column("row", "row"),
        *(Column(node, meaning_of(node).title, True, form=percent()) for node in shares),
        Column("instructions", "instr./packet", number=True, form="{:g}"),
        Column("cycles", "core cycles/packet", number=True, form="{:g}"),
    )
    values = [{"row": row.name, **row.shares, **row.per_packet} for row in rows]
    titles = dict.fromkeys(row.title for row in rows)
    notes = [*titles, 'planecast explain --published "NAME", or RUN --against "NAME"']
    return Sheet(columns, values, notes=notes)


def events_sheet(arch: str) -> Sheet:
    """The events of a definition by the level from which on they are needed."""
    from planecast.topdown import find_definition
    from planecast.topdown.event_names import perf_event

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
            "perf": perf_event(definition, event) or "",
        }
        for event in sorted(definition.events, key=lambda event: (level.get(event, 9), event))
    ]
    notes = [f"{definition.file.title}; source: {definition.file.source}"]
    return Sheet(_EVENT_COLUMNS, rows, notes=notes)
