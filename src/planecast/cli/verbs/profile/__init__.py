"""``planecast profile SCENARIO``: instructions a packet and memory touches, by stage."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any, Literal

import typer

from planecast.cli.shared.option_rules import ANSWER, Alone
from planecast.cli.shared.options import (
    DryRunOption,
    FormatOption,
    OutputOption,
    RunsOption,
    SetOption,
    overrides,
)
from planecast.cli.shared.output import emit
from planecast.cli.shared.progress import progress_bar
from planecast.cli.shared.scenarios import ScenarioArgument
from planecast.cli.tables.sheet import Column, Sheet
from planecast.cli.verbs.profile.memory import trace_memory

if TYPE_CHECKING:
    from planecast.scenario import Scenario
    from planecast.study.profile import Profile
    from planecast.workload.counts import InstructionCounts, Instrument

InstrumentOption = Annotated[
    Literal["callgrind", "singlestep", "both"],
    typer.Option(
        "--instrument",
        help="callgrind: AVX2 at most, seconds. singlestep: natively, slower. both: and compare.",
    ),
]

ByOption = Annotated[
    Literal["stage", "function"],
    typer.Option("--by", help="What the table's rows are; the JSON file has both."),
]

_COLUMNS = (
    Column("stage", "stage"),
    Column("instructions_per_packet", "instr./packet", number=True, form="{:.1f}"),
    Column("share_percent", "share", number=True, form="{:.1f} %"),
    Column("instructions_per_added_packet", "by packet", number=True, form="{:.1f}"),
    Column("instructions_per_burst", "by burst", number=True, form="{:.1f}"),
    Column("reads_per_packet", "reads", number=True, form="{:.1f}"),
    Column("writes_per_packet", "writes", number=True, form="{:.1f}"),
    Column("native_instructions_per_packet", "native", number=True, form="{:.1f}"),
    Column("native_difference_percent", "difference", number=True, form="{:+.1f} %"),
)


def profile(
    scenario: ScenarioArgument,
    instrument: InstrumentOption = "callgrind",
    touches: Annotated[
        bool, typer.Option("--touches", help="Memory reads and writes too (callgrind).")
    ] = False,
    memory: Annotated[
        bool,
        typer.Option(
            "--memory", help="Trace memory: re-use distances by stage, not counts (QEMU)."
        ),
        Alone(
            *("SCENARIO", "--set", "--runs", "--dry-run", *ANSWER),
            why="a trace has no other instrument, touches or functions",
        ),
    ] = False,
    by: ByOption = "stage",
    settings: SetOption = None,
    runs: RunsOption = None,
    form: FormatOption = None,
    output: OutputOption = None,
    dry_run: DryRunOption = False,
) -> None:
    """Count the instructions of the scenario's program by stage and by function: exactly, from two
    run lengths and several burst sizes.

    Stages and the loop around them add up to the total. A program that is not planecast's runs
    between two ports in memory; a stage map says which of its functions are which stage.
    """
    from planecast.results import RunDirectory, runs_folder
    from planecast.scenario import load_scenario
    from planecast.study.profile import check_countable, profile_scenario

    found = load_scenario(scenario, overrides(settings))
    both: tuple[Instrument, ...] = (
        ("callgrind", "singlestep") if instrument == "both" else (instrument,)
    )
    if memory:
        trace_memory(found, runs, form, output, dry_run=bool(dry_run))
        return
    check_countable(found, both, touches)
    if dry_run:
        _print_plan(found, instrument)
        return
    with RunDirectory.create(runs_folder(runs), "profile", found.name) as run:
        with progress_bar("counting") as progress:
            counted = profile_scenario(found, both, touches=touches, progress=progress)
        run.write_json("profile.json", counted)
    emit(_functions(counted) if by == "function" else _sheet(counted), form, output)


def _print_plan(scenario: Scenario, instrument: str) -> None:
    import shlex
    from pathlib import Path

    from planecast.cleanup import private_folder
    from planecast.dataplanes import once_command
    from planecast.dataplanes.in_memory import portable, program_words
    from planecast.instruments.callgrind import callgrind_command
    from planecast.instruments.callgrind_stacks import stacks_words
    from planecast.instruments.singlestep import singlestep_command
    from planecast.study.instructions import PACKETS

    with private_folder() as folder:
        if scenario.dataplane.kind != "ours":
            output = Path(folder) / "callgrind.out"
            words = [*stacks_words(output), *program_words(portable(scenario), Path(folder))]
            typer.echo(shlex.join(words))
            return
        if instrument in ("callgrind", "both"):
            packets = PACKETS["callgrind"]
            words = once_command(
                scenario, Path(folder), packets, instrument="callgrind", portable=True
            )
            typer.echo(shlex.join(callgrind_command(words, Path("callgrind.out"))))
        if instrument in ("singlestep", "both"):
            packets = PACKETS["singlestep"]
            words = once_command(scenario, Path(folder), packets, instrument="stop", portable=False)
            typer.echo(shlex.join(singlestep_command(words, Path("counts.json"))))


def _functions(profile: Profile) -> Sheet:
    """Functions by falling share, of the first instrument."""
    counts = profile.counts[0]
    total = sum(function.per_packet for function in counts.functions)
    columns = (
        Column("function", "function", of="name"),
        Column("object", "in"),
        Column("instructions_per_packet", "instr./packet", True, "{:.1f}", of="per_packet"),
        Column("share_percent", "share", True, "{:.1f} %", of=lambda f: 100 * f.per_packet / total),
    )
    notes = [
        f"in bursts of {counts.burst}; counted by {counts.instrument} ({counts.instruction_set})",
        "0x…: a function without a symbol, by its address in the program or library",
        *counts.notes,
    ]
    return Sheet.of(columns, counts.functions, profile, notes=notes)


_OTHER = {True: "the loop around the stages", False: "functions that the map has no stage for"}
"""What is in no stage, of our own data plane and of others."""


def _sheet(profile: Profile) -> Sheet:
    first = profile.counts[0]
    burst = profile.scenario.placement.burst
    native = profile.counts[1] if len(profile.counts) > 1 else None
    total = first.total.at(burst)
    own = profile.scenario.dataplane.kind == "ours"
    order = list(first.stages)
    if own:
        order = list(profile.scenario.all_stages)
    names = [*order, "other", "total"]
    rows = [_row(name, profile, first, native, total) for name in names]
    shown = [c for c in _COLUMNS if any(row.get(c.key) is not None for row in rows)]
    notes = [
        f"in bursts of {burst}; counted by {first.instrument} ({first.instruction_set})",
        f"other: {_OTHER[own]}; by packet, by burst: what one more of each adds",
    ]
    if not own:
        if profile.scenario.dataplane.kind == "vpp":
            ports = "tx is its packet generator's; rx and what its timers do are left out"
        else:
            ports = "rx and tx are those of net_null, not of a NIC or of memif"
        notes.append(f"its ports are in memory: {ports}")
    notes += first.notes
    if native is not None:
        notes.append(f"native: {native.instrument} ({native.instruction_set})")
    return Sheet(shown, rows, profile, notes=notes)


def _row(
    name: str,
    profile: Profile,
    first: InstructionCounts,
    native: InstructionCounts | None,
    total: float,
) -> dict[str, Any]:
    burst = profile.scenario.placement.burst
    counted = first.part(name)
    value = counted.at(burst)
    row: dict[str, Any] = {
        "stage": name,
        "instructions_per_packet": value,
        "share_percent": 100 * value / total,
        "instructions_per_added_packet": counted.per_packet,
        "instructions_per_burst": counted.per_burst,
    }
    if native is not None:
        other = native.part(name).at(burst)
        row["native_instructions_per_packet"] = other
        row["native_difference_percent"] = 100 * (other / value - 1) if value else None
    if profile.touches is not None:
        touched = profile.touches.part(name)
        row["reads_per_packet"], row["writes_per_packet"] = touched.reads, touched.writes
    return row
