"""``planecast profile --memory``: a trace of a program's touches, and its table."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import typer

from planecast.cache_line import LINE_BYTES
from planecast.cli.shared.options import Format
from planecast.cli.shared.output import emit
from planecast.cli.shared.progress import progress_bar
from planecast.cli.tables.sheet import Column, Sheet

if TYPE_CHECKING:
    from planecast.scenario import Scenario
    from planecast.workload.traced.profile import TracedProfile, TracedStage

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
_DESCRIBED = tuple(
    Column(f"described_misses_per_packet_{kib}kib", f"said {name}", number=True, form="{:.2f}")
    for kib, name in _SIZES
)
"""Of planecast's own functions: what the cost model has in place of a trace."""


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
    emit(_sheet(traced, _described(scenario)), form, output)


Described = Mapping[str, Sequence[float]]
"""Lines a packet that caches of `_SIZES` miss, by stage; none for programs of others."""


def _described(scenario: Scenario) -> Described:
    from planecast.scenario.dataplane import OWN
    from planecast.study.descriptor_misses import descriptor_misses

    if scenario.dataplane.kind != OWN:
        return {}
    found = descriptor_misses(scenario, [_lines(kib) for kib, _ in _SIZES])
    return {**found, "total": [sum(every) for every in zip(*found.values(), strict=True)]}


def _lines(kib: int) -> float:
    return kib * 1024 / LINE_BYTES


def _sheet(traced: TracedProfile, described: Described) -> Sheet:
    stages = {**traced.stages, "total": traced.total}
    rows = [_row(name, stage, described.get(name)) for name, stage in stages.items()]
    notes = [
        f"{traced.program} in bursts of {traced.burst}, {traced.packets} packets; traced by "
        f"{traced.tracer} ({traced.instruction_set})",
        "beyond: lines a packet that an LRU cache of this size misses; the file has all distances",
        *traced.notes,
    ]
    if not described:
        return Sheet(_COLUMNS, rows, traced, notes=notes)
    notes.append(
        "said: the same by the stage's descriptor, which the cost model has; lines that each burst "
        "touches again are in no descriptor"
    )
    return Sheet((*_COLUMNS, *_DESCRIBED), rows, traced, notes=notes)


def _row(name: str, stage: TracedStage, said: Sequence[float] | None) -> dict[str, Any]:
    touches = stage.touches
    described = () if said is None else zip(_SIZES, said, strict=True)
    return {
        "stage": name,
        "instructions_per_packet": stage.instructions_per_packet,
        "loads_per_packet": stage.loads.references_per_packet,
        "stores_per_packet": stage.stores.references_per_packet,
        "prefetches_per_packet": stage.prefetches_per_packet,
        "mispredictions_per_packet": stage.mispredictions_per_packet,
        **{f"misses_per_packet_{kib}kib": touches.misses(_lines(kib)) for kib, _ in _SIZES},
        **{f"described_misses_per_packet_{kib}kib": missed for (kib, _), missed in described},
    }
