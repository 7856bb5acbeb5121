"""``planecast profile --memory``: a trace of a program's touches, and its table."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import typer

from planecast.cli.shared.options import Format
from planecast.cli.shared.output import emit
from planecast.cli.shared.progress import progress_bar
from planecast.cli.tables.sheet import Column, Sheet

if TYPE_CHECKING:
    from planecast.scenario import Scenario
    from planecast.workload.traced.profile import TracedProfile, TracedStage

_LINE_BYTES = 64
_SIZES = ((32, "32 KiB"), (512, "512 KiB"), (2048, "2 MiB"), (32768, "32 MiB"))
"""KiB of caches between those of today's cores, and what they are called."""

_COLUMNS = (
    Column("stage", "stage"),
    Column("instructions_per_packet", "instr./packet", number=True, form="{:.2f}"),
    Column("loads_per_packet", "loads", number=True, form="{:.2f}"),
    Column("stores_per_packet", "stores", number=True, form="{:.2f}"),
    Column("prefetches_per_packet", "prefetches", number=True, form="{:.2f}"),
    Column("mispredictions_per_packet", "mispredicted", number=True, form="{:.2f}"),
    *(
        Column(f"misses_per_packet_{kib}kib", f"beyond {name}", number=True, form="{:.2f}")
        for kib, name in _SIZES
    ),
)


def trace_memory(
    scenario: Scenario,
    runs: Path | None,
    form: Format | None,
    output: Path | None,
    *,
    dry_run: bool,
) -> None:
    """Traces the scenario's program into a run folder, and prints the table by stage."""
    from planecast.explain.traced_bounds import TRACED, TRACED_SCENARIO
    from planecast.results import RunDirectory, runs_folder
    from planecast.study.traced_program import planned_words, trace_scenario

    if dry_run:
        import shlex

        typer.echo(shlex.join(planned_words(scenario)))
        return
    with RunDirectory.create(runs_folder(runs), "profile", scenario.name) as run:
        with progress_bar("tracing") as progress:
            traced = trace_scenario(scenario, done=lambda n, of: progress(n, of, "traces"))
        run.write_json(TRACED, traced)
        run.write_json(TRACED_SCENARIO, scenario)
    emit(_sheet(traced), form, output)


def _sheet(traced: TracedProfile) -> Sheet:
    rows = [_row(name, stage) for name, stage in {**traced.stages, "total": traced.total}.items()]
    notes = [
        f"{traced.program} in bursts of {traced.burst}, {traced.packets} packets; traced by "
        f"{traced.tracer} ({traced.instruction_set})",
        "beyond: lines a packet that an LRU cache of this size misses; the file has all distances",
    ]
    return Sheet(_COLUMNS, rows, traced, notes=notes)


def _row(name: str, stage: TracedStage) -> dict[str, Any]:
    touches = stage.touches
    return {
        "stage": name,
        "instructions_per_packet": stage.instructions_per_packet,
        "loads_per_packet": stage.loads.references_per_packet,
        "stores_per_packet": stage.stores.references_per_packet,
        "prefetches_per_packet": stage.prefetches_per_packet,
        "mispredictions_per_packet": stage.mispredictions_per_packet,
        **{
            f"misses_per_packet_{kib}kib": touches.misses(kib * 1024 / _LINE_BYTES)
            for kib, _ in _SIZES
        },
    }
