"""The parameters of a calibration, from a study or from counters."""

from __future__ import annotations

from typing import TYPE_CHECKING

from planecast.cli.tables.sheet import Column, Sheet, percent

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from planecast.calibrate.from_counters import Imported
    from planecast.model.calibration import Calibration

_COLUMNS = (
    Column("parameter", "parameter", of="name"),
    Column("value", "value", number=True, form="{:.3g}"),
    Column("low", "low", number=True, form="{:.3g}"),
    Column("high", "high", number=True, form="{:.3g}"),
    Column("unit", "unit"),
    Column("informed", "informed", number=True, form=percent("{:.0f} %")),
)

_LITTLE = 0.1
"""Share of a prior's variance below which its parameter counts as not calibrated."""


def calibration_sheet(calibration: Calibration, run: Path, skipped: Sequence[str] = ()) -> Sheet:
    """The parameters with their intervals, and how wrong the model is where it has no point;
    `skipped` says what of the study was left out."""
    own = calibration.discrepancy
    notes = [
        f"{calibration.kind}: fitted to {calibration.points} points; informed: the share of "
        "the prior's variance that the points removed",
        f"the model's own error: {100 * own.core:.1f} %, and {100 * own.memory:.1f} % of the "
        "stalls on the last-level cache and memory; next to a neighbour "
        f"{100 * own.neighbour:.1f} % of those in addition",
        *(f"{name} keeps its prior: {vary}" for name, vary in _open(calibration)),
        *skipped,
        f"run: {run}",
    ]
    return Sheet.of(_COLUMNS, calibration.parameters, calibration, notes=notes)


def _open(calibration: Calibration) -> list[tuple[str, str]]:
    """Parameters of which the points reveal almost nothing, and what to vary so that they do."""
    from planecast.machine.registry import MECHANISMS

    little = {one.name for one in calibration.parameters if one.informed < _LITTLE}
    known = (one for m in MECHANISMS for one in m.parameters(calibration.hierarchy))
    return [(one.name, one.identified_by) for one in known if one.name in little]


def counters_calibration_sheet(done: Imported, run: Path) -> Sheet:
    """The parameters of a calibration from counters, what they rest on and what was assumed."""
    calibration = done.calibration
    counted = calibration.counted
    assert counted is not None
    instructions = next(iter(calibration.instructions.values())).instructions_per_packet
    lines = ", ".join(
        f"{point.lines:.3g} next to {point.llc_bytes / 2**20:.3g} MiB" for point in counted.memory
    )
    notes = [
        f"{instructions:.4g} instructions a packet on {counted.machine.title}; runs: "
        f"{calibration.points}",
        f"lines a packet from memory: {lines}",
        f"the model's own error: {100 * calibration.discrepancy.core:.1f} %",
        *done.remarks,
        f"run: {run}",
    ]
    return Sheet.of(_COLUMNS, calibration.parameters, calibration, notes=notes)
