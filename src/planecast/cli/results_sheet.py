"""Results as a table: a row a scenario, the same for every engine."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from planecast.cli.calibration_run import basis_notes
from planecast.cli.output import Column, Sheet, estimate_text
from planecast.results import Estimate, Result, ResultSet

_PPS = 1e6

_SHOWN = (
    Column("scenario", "scenario"),
    Column("throughput", "Mpps", number=True),
    Column("cycles", "TSC cycles/packet", number=True),
    Column("instructions", "instr./packet", number=True),
    Column("samples", "windows", number=True),
    Column("disturbed", "disturbed", number=True),
    Column("steady", "steady", number=True),
    Column("capped_by", "capped by"),
    Column("stages", "cycles by stage"),
)
_KEYS = (
    "scenario",
    "throughput_pps",
    "throughput_pps_low",
    "throughput_pps_high",
    "cycles_per_packet",
    "cycles_per_packet_low",
    "cycles_per_packet_high",
    "instructions_per_packet",
    "samples",
    "kind",
    "disturbed_share",
    "steady_share",
    "capped_by",
)


def results_sheet(
    results: Sequence[Result],
    labels: Sequence[str],
    run: Path | None = None,
    columns: str = "people",
    answers: Sequence[Estimate] | None = None,
) -> Sheet:
    """The table of results. Intervals are 95 %; notes follow, then the run's folder.

    `answers` are what the calibration's uncertainty is judged by; by default the results' cycles.
    """
    notes = [
        f"{label}: {note}"
        for label, result in zip(labels, results, strict=True)
        for note in result.notes
        if not note.startswith("pages of")
    ]
    pages = dict.fromkeys(note for r in results for note in r.notes if note.startswith("pages of"))
    kind = results[0].cycles_per_packet.kind if results else ""
    if answers is None:
        answers = [result.cycles_per_packet for result in results]
    foot = basis_notes(results[0].manifest, answers) if results else []
    foot += [f"{kind}; 95 % intervals" + "".join(f"; {page}" for page in pages)]
    if run is not None:
        foot.append(f"run: {run}")
    return Sheet(
        [Column(key, key) for key in _KEYS] if columns == "machines" else _SHOWN,
        [_row(label, result) for label, result in zip(labels, results, strict=True)],
        [_cells(label, result) for label, result in zip(labels, results, strict=True)],
        ResultSet(results=tuple(results)),
        notes=[*notes, *foot],
    )


def _row(label: str, result: Result) -> dict[str, Any]:
    row: dict[str, Any] = {"scenario": label}
    row |= _ends("throughput_pps", result.throughput_pps)
    row |= _ends("cycles_per_packet", result.cycles_per_packet)
    count = result.instructions_per_packet
    row["instructions_per_packet"] = None if count is None else count.value
    row["samples"] = result.cycles_per_packet.samples
    row["kind"] = result.cycles_per_packet.kind
    row["disturbed_share"] = result.disturbed_share
    row["steady_share"] = result.steady_share
    row["capped_by"] = result.capped_by
    return row


def _ends(key: str, estimate: Estimate) -> dict[str, Any]:
    return {key: estimate.value, f"{key}_low": estimate.low, f"{key}_high": estimate.high}


def _cells(label: str, result: Result) -> dict[str, str]:
    stages = [
        f"{name} {stage.cycles_per_packet.value:.1f}"
        for name, stage in result.stages.items()
        if stage.cycles_per_packet is not None
    ]
    share = result.disturbed_share
    return {
        "scenario": label,
        "throughput": estimate_text(result.throughput_pps, _PPS),
        "cycles": estimate_text(result.cycles_per_packet),
        "instructions": estimate_text(result.instructions_per_packet),
        "samples": str(result.cycles_per_packet.samples or ""),
        "disturbed": "" if share is None else f"{100 * share:.0f} %",
        "steady": "" if result.steady_share is None else f"{100 * result.steady_share:.0f} %",
        "capped_by": result.capped_by or "",
        "stages": ", ".join(stages),
    }
