"""``planecast partition sibling``: what busy hyper-thread siblings cost, from a run's trials."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any

import typer

from planecast.cli.shared.calibration import CalibrationOption, calibration_if_any
from planecast.cli.shared.options import FormatOption, OutputOption, RunsOption
from planecast.cli.shared.output import emit
from planecast.cli.tables.basis import basis_lines
from planecast.cli.tables.sheet import Column, Sheet, estimate_text

if TYPE_CHECKING:
    from planecast.partition.sibling import SiblingCost

_COLUMNS = (
    Column("label", "workload"),
    Column("own_windows", "windows, core ours", number=True),
    Column("busy_windows", "windows, sibling busy", number=True),
    Column("own_cycles_per_packet", "cycles/packet, ours", number=True),
    Column("busy_cycles_per_packet", "cycles/packet, busy", number=True),
    Column("slowdown", "times the cycles", number=True),
    Column("canary_slowdown", "the canary", number=True),
    Column("predicted_slowdown", "the model", number=True),
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
    rows = [_row(cost) for cost in costs]
    cells = [_cells(cost) for cost in costs]
    emit(Sheet(_COLUMNS, rows, cells, document={"workloads": rows}, notes=notes), form, output)


def _row(cost: SiblingCost) -> dict[str, Any]:
    return {
        "label": cost.label,
        "own_windows": cost.own_windows,
        "busy_windows": cost.busy_windows,
        "own_cycles_per_packet": cost.own.value if cost.own else None,
        "busy_cycles_per_packet": cost.busy.value if cost.busy else None,
        "slowdown": cost.slowdown.value if cost.slowdown else None,
        "slowdown_low": cost.slowdown.low if cost.slowdown else None,
        "slowdown_high": cost.slowdown.high if cost.slowdown else None,
        "canary_slowdown": cost.canary_slowdown,
        "predicted_slowdown": cost.predicted_slowdown,
        "lacking": cost.lacking,
    }


def _cells(cost: SiblingCost) -> dict[str, str]:
    canary = cost.canary_slowdown
    return {
        "label": cost.label,
        "own_windows": f"{cost.own_windows:,}",
        "busy_windows": f"{cost.busy_windows:,}",
        "own_cycles_per_packet": estimate_text(cost.own),
        "busy_cycles_per_packet": estimate_text(cost.busy),
        "slowdown": estimate_text(cost.slowdown) if cost.slowdown else "too few",
        "canary_slowdown": f"{canary:.2f}" if canary is not None else "–",
        "predicted_slowdown": f"{cost.predicted_slowdown:.2f}",
    }
