"""``planecast partition sibling``: what busy hyper-thread siblings cost, from a run's trials."""

from __future__ import annotations

from dataclasses import replace
from typing import Annotated

import typer

from planecast.cli.shared.calibration import CalibrationOption, calibration_if_any
from planecast.cli.shared.options import FormatOption, OutputOption, RunsOption
from planecast.cli.shared.output import emit
from planecast.cli.tables.basis import basis_lines
from planecast.cli.tables.sheet import Column, Sheet

_COLUMNS = (
    Column("label", "workload"),
    Column("own_windows", "windows, core ours", number=True, form="{:,}"),
    Column("busy_windows", "windows, sibling busy", number=True, form="{:,}"),
    Column("own_cycles_per_packet", "cycles/packet, ours", number=True, absent="–", of="own"),
    Column("busy_cycles_per_packet", "cycles/packet, busy", number=True, absent="–", of="busy"),
    Column(
        "slowdown",
        "times the cycles",
        number=True,
        absent="too few",
        ends=("slowdown_low", "slowdown_high"),
    ),
    Column("canary_slowdown", "the canary", number=True, form="{:.2f}", absent="–"),
    Column("predicted_slowdown", "the model", number=True, form="{:.2f}"),
    Column("lacking"),
)


def sibling(
    run: Annotated[
        str,
        typer.Argument(
            metavar="[RUN]", help="A run of measure, calibrate, validate or partition verify."
        ),
    ] = "latest",
    calibration: CalibrationOption = None,
    runs: RunsOption = None,
    form: FormatOption = None,
    output: OutputOption = None,
) -> None:
    """What a busy hyper-thread sibling that nobody can see costs each workload of a run.

    Windows are grouped by what the canaries next to them read; medians of both groups are compared,
    and are next to the model's figure of a like thread on the sibling.
    """
    from planecast.partition.sibling import sibling_costs
    from planecast.results import find_run, runs_folder

    root = runs_folder(runs)
    found = find_run(run, root)
    chosen, _ = calibration_if_any(calibration, root)
    costs = sibling_costs(found, chosen.model if chosen is not None else None)
    notes = [
        "median cycles a packet by state; the canary is a compute kernel next to each window, so "
        "its figure shows how busy the siblings were",
        "the model: a like thread on the sibling"
        + ("" if chosen else ", as of any workload (no run has a calibration)"),
        *(basis_lines(chosen.basis) if chosen else ()),
    ]
    notes += [f"{cost.label}: {cost.lacking}" for cost in costs if cost.lacking]
    sheet = Sheet.of(_COLUMNS, costs, notes=notes)
    emit(replace(sheet, document={"workloads": sheet.rows}), form, output)
