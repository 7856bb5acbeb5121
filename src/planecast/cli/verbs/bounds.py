"""``planecast bounds SCENARIO``: the upper bounds that no upgrade can exceed."""

from __future__ import annotations

from typing import Annotated

import typer

from planecast.cli.shared.calibration import CalibrationOption, model_question
from planecast.cli.shared.options import (
    FormatOption,
    OutputOption,
    RunsOption,
    SetOption,
)
from planecast.cli.shared.output import emit
from planecast.cli.shared.scenarios import ScenarioArgument
from planecast.cli.tables.basis import basis_notes
from planecast.cli.tables.sheet import Column, Sheet

_COLUMNS = (
    Column("bound", "bound"),
    Column("throughput_pps", "Mpps", number=True, scale=1e6),
    Column("gain_percent", "against as it is", number=True, form="{:+.1f} %"),
    Column("cycles_per_packet", "TSC cycles/packet", number=True),
    Column("kind", "kind"),
    Column("meaning", "what it is"),
)


def bounds(
    scenario: ScenarioArgument,
    faster: Annotated[
        list[str] | None,
        typer.Option(
            "--faster",
            metavar="STAGE=FACTOR",
            help="A stage that a device does so many times as fast, offloaded at no cost. "
            "Repeatable. A scenario's own `accelerator` is simulated next to it.",
        ),
    ] = None,
    calibration: CalibrationOption = None,
    settings: SetOption = None,
    runs: RunsOption = None,
    form: FormatOption = None,
    output: OutputOption = None,
) -> None:
    """The upper bounds that no upgrade, and no traffic, can exceed.

    A last cache level that holds all, every access near, a core that issues as many instructions
    as it can, one flow against all of the table's, stages on a device.
    """
    from planecast.results import RunDirectory, collect_manifest
    from planecast.results.own_clock import in_own_clock
    from planecast.sweep.bounds import bounds as ask
    from planecast.sweep.bounds import gain_percent, parse_faster

    base, root, chosen = model_question(scenario, settings, calibration, runs)
    manifest = collect_manifest("solve", base.traffic.seed, calibration=chosen.basis)
    found = ask(base, chosen.model, manifest, parse_faster(faster or []))
    results = [in_own_clock(bound.result, chosen.model.hierarchy.tsc_hz) for bound in found]
    with RunDirectory.create(root, "bounds", base.name) as run:
        run.write_result(results)
    rows = [
        {
            "bound": bound.name,
            "throughput_pps": result.throughput_pps,
            "gain_percent": gain_percent(bound, found[0]),
            "cycles_per_packet": result.cycles_per_packet,
            "kind": result.throughput_pps.kind,
            "meaning": bound.meaning,
        }
        for bound, result in zip(found, results, strict=True)
    ]
    notes = [
        f"{bound.name}: {note}"
        for bound in found
        for note in bound.result.notes[1:]
        if bound.name == "device" or "outside" in note
    ]
    notes += basis_notes(manifest, [bound.result.cycles_per_packet for bound in found])
    emit(Sheet(_COLUMNS, rows, notes=[*notes, f"run: {run.path}"]), form, output)
