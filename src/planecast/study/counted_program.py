"""Instructions of a scenario's program, whosever it is.

It is started under callgrind between two ports in memory, counted over a window of packets, and its
functions are divided among stages by a map.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

from planecast.cleanup import private_folder
from planecast.dataplanes.in_memory import COUNTED, portable, program_words, refuse_outside
from planecast.dataplanes.memory import env_words
from planecast.errors import InputError
from planecast.instruments.callgrind import INSTRUCTION_SET
from planecast.instruments.callgrind_output import CallgrindProfile, parse_callgrind
from planecast.instruments.callgrind_stacks import counts_by_stage, stacks_words
from planecast.instruments.elf import Elf
from planecast.scenario.dataplanes.hosted import Mapped
from planecast.scenario.points import value_if_any
from planecast.scenario.scenario import Scenario
from planecast.study.window_run import run_window, window_of
from planecast.workload.counts import InstructionCounts, RawCounts, run_plan, solve_counts
from planecast.workload.stage_map import Called, StageMap, stage_map

PACKETS = {"ovs": 131072}
"""Packets of the shorter window by kind: what Open vSwitch does once in 1,024 turns, and by its
timers, has to come often enough for two runs to agree."""
_PACKETS = 32768
_SLOWER = 60.0
"""Callgrind, against running natively."""
_UNMAPPED = 0.2
"""Share of the instructions that may be in no stage before it is said."""
_MAPS = {"command": "dpdk"}
"""Stage maps of the catalogue by kind, where they are called otherwise."""


def check_program(scenario: Scenario, verb: str = COUNTED) -> None:
    """Raises InputError for a data plane that can't be counted, or traced, with the reason."""
    refuse_outside(scenario, verb)
    lcores = scenario.placement.lcores
    if lcores > 1:
        raise InputError(
            f"{lcores} lcores are to forward, but the thread that polls one queue of one port is "
            f"{verb}",
            "placement.lcores",
            "take one: a packet takes the same instructions on each",
        )


def map_of(scenario: Scenario) -> StageMap:
    """The stage map of the scenario's program: its own, or the catalogue's."""
    wanted = scenario.dataplane
    own = wanted.stage_map if isinstance(wanted, Mapped) else None
    return stage_map(_MAPS.get(wanted.kind, wanted.kind), own)


def count_program(
    scenario: Scenario,
    bursts: Sequence[int],
    *,
    packets: int | None = None,
    source: bool = False,
    done: Callable[[int, int], None] = lambda done, total: None,
) -> InstructionCounts:
    """Instructions a packet by stage, function and burst size, one run after the other; with what
    the hook takes as a stage `source`, or without.

    Raises InputError for what can't be counted, MissingError without the program or valgrind,
    RunError when a run fails.
    """
    check_program(scenario)
    stages, notes = map_of(scenario), unnamed(scenario)
    plan = run_plan(packets or PACKETS.get(scenario.dataplane.kind, _PACKETS), bursts)
    found, said = _counted_windows(scenario, plan, done, source=source)
    notes = tuple(dict.fromkeys([*notes, *said]))
    counts = solve_counts("callgrind", INSTRUCTION_SET, found)
    ordered = {name: counts.stages[name] for name in stages.in_order(list(counts.stages))}
    share = counts.other.at(counts.burst) / max(counts.total.at(counts.burst), 1.0)
    notes += unmapped(share, stages.name)
    return counts.model_copy(update={"stages": ordered, "notes": notes})


def _counted_windows(
    scenario: Scenario,
    plan: Sequence[tuple[int, int]],
    done: Callable[[int, int], None],
    *,
    source: bool,
) -> tuple[dict[tuple[int, int], RawCounts], list[str]]:
    """Counts by (packets, burst), a run of the program each, and what is to be known of them."""
    stages, names = map_of(scenario), names_of(scenario)
    found: dict[tuple[int, int], RawCounts] = {}
    notes: list[str] = []
    for number, (count, burst) in enumerate(plan):
        done(number, len(plan))
        threads, said = _counted(scenario, count, burst)
        notes += said
        found[count, burst] = counts_by_stage(threads, stages, names, source=source)
    done(len(plan), len(plan))
    return found, notes


def names_of(scenario: Scenario) -> Mapping[Called, str]:
    """What the map knows of functions without a symbol in this build of the program."""
    program = _program_of(scenario)
    return {} if program is None else map_of(scenario).names_of(program.build_id)


def unnamed(scenario: Scenario) -> tuple[str, ...]:
    """Says that the program is stripped, and of a build that the map's names are not of."""
    program, stages = _program_of(scenario), map_of(scenario)
    if program is None or not program.stripped:
        return ()
    if not stages.symbols and value_if_any(scenario, "dataplane.stage_map") is None:
        return ()  # the catalogue's maps name functions of libraries, which are exported
    if program.build_id in {known.build_id for known in stages.symbols}:
        return ()
    return (
        f"the program is stripped, and the stage map {stages.name} has no names for its build "
        f"({program.build_id or 'without a build ID'}): its functions are in other, or in the "
        "stage of their caller; take a build with symbols, or a stage_map of your own",
    )


def unmapped(share: float, stages: str) -> tuple[str, ...]:
    """Says that much of a packet is in no stage."""
    if share <= _UNMAPPED:
        return ()
    return (
        f"{100 * share:.0f} % of the instructions are in no stage of the map {stages}: name their "
        "functions in a stage_map of your own (--by function lists them)",
    )


def _program_of(scenario: Scenario) -> Elf | None:
    with private_folder() as folder:
        words = program_words(portable(scenario), Path(folder))
    try:
        return Elf(Path(words[0]))
    except OSError:
        return None  # the start says why


def _counted(
    scenario: Scenario, packets: int, burst: int
) -> tuple[list[CallgrindProfile], tuple[str, ...]]:
    """One run's costs by thread, and what is to be known of them."""
    with private_folder(for_sockets=True) as name:
        folder = Path(name)
        output = folder / "callgrind.out"
        window = window_of(
            scenario, folder, packets, burst, warmup=burst, mark="callgrind", slower=_SLOWER
        )

        def tool(given: Mapping[str, str]) -> list[str]:
            return [*stacks_words(output), *env_words(given)]

        notes = run_window(scenario, folder, tool, window)
        found = []
        for file in sorted(folder.glob("callgrind.out-*")):
            with file.open(encoding="utf-8", errors="replace") as lines:
                found.append(parse_callgrind(lines))
        return [thread for thread in found if thread.exclusive], notes
