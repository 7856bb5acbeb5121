"""What `optimise` found as a table: predicted and measured next to each other."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from planecast.cli.tables.basis import basis_notes
from planecast.cli.tables.sheet import Column, Sheet, estimate_text
from planecast.results import Estimate
from planecast.scenario import point_label
from planecast.sweep.answer import loss_of
from planecast.sweep.confirm import Confirmation, Ranked
from planecast.sweep.optimise import Candidate, Found, Target

_MPPS = 1e6
_COLUMNS = (
    Column("rank", "", number=True),
    Column("configuration", "configuration"),
    Column("cost", "cost", number=True),
    Column("throughput_pps", "Mpps, predicted", number=True),
    Column("measured_pps", "measured", number=True),
    Column("verdict", "rate"),
    Column("loss", "loss", number=True),
    Column("latency_ns", "latency, ns", number=True),
)
_MEASURED = ("measured_pps", "verdict")
_ENDS = tuple(
    Column(f"{name}_{end}", "")
    for name in ("throughput_pps", "measured_pps")
    for end in ("low", "high")
)


def label_of(candidate: Candidate) -> str:
    """The keys in which a candidate differs from the base."""
    return point_label(candidate.point)


def optimise_sheet(
    shown: Sequence[Ranked],
    after: Confirmation,
    found: Found,
    target: Target,
    why_not: str,
    run: Path,
) -> Sheet:
    """The table; `shown` are the first of those in `after`, and `why_not` is why nothing was
    measured, empty where something was."""
    rows = [_row(rank, one, target) for rank, one in enumerate(shown, 1)]
    cells = [_cells(row, one, target) for row, one in zip(rows, shown, strict=True)]
    document = {
        "tried": found.tried,
        "possible": found.possible,
        "meet": len(found.best),
        "target": vars(target),
        "confirmed": not why_not,
        "candidates": [
            row | {"point": dict(one.candidate.point)} for row, one in zip(rows, shown, strict=True)
        ],
        "run": str(run),
    }
    columns = [c for c in _COLUMNS if after.measured or c.key not in _MEASURED]
    rates = [one.candidate.rate.throughput_pps for one in shown if one.candidate.rate]
    notes = [
        *_count_notes(found, after, target, why_not),
        *_gap_notes(shown),
        *sorted(
            {n for one in shown if (r := one.candidate.rate) for n in r.notes if "calibrated" in n}
        ),
        *basis_notes(shown[0].candidate.rate.manifest if shown[0].candidate.rate else None, rates),
        f"run: {run}",
    ]
    return Sheet([*columns, *_ENDS], rows, cells, document, notes=notes)


def _count_notes(found: Found, after: Confirmation, target: Target, why_not: str) -> list[str]:
    of = "" if found.possible is None else f" of {found.possible}"
    tried = f"{found.tried}{of} configurations tried"
    notes = [f"{tried}, {len(found.best)} meet the target by prediction"]
    if why_not:
        return [*notes, f"nothing was measured ({why_not}): these are predictions"]
    measured = after.measured
    if measured:
        meet = sum(one.verdict == "confirmed" for one in measured)
        timed = "; loss and latency are simulated" if target.timed else ""
        notes.append(
            f"{len(measured)} measured here, interleaved: {meet} with the whole interval above the "
            f"rate{timed}"
        )
    outside = sum(one.outside for one in measured)
    if outside:
        notes.append(
            f"{outside} of {len(measured)} measured values lie outside of their predicted interval"
        )
    if measured and after.ranked[0].measured is None:
        notes.append("the first one is a prediction: those measured miss the rate (--confirm-best)")
    return notes + [
        f"{count} could not be measured: {why}" for why, count in after.not_measured.items()
    ]


def _gap_notes(shown: Sequence[Ranked]) -> list[str]:
    """Where the winner lies among the calibration points, and which others are in gaps."""
    notes = []
    for rank, one in enumerate(shown, 1):
        if one.nearest is not None and one.nearest.gap:
            notes.append(f"{rank} lies in a gap of the calibration: {one.nearest.sentence()}")
    return notes


def _row(rank: int, one: Ranked, target: Target) -> dict[str, Any]:
    candidate = one.candidate
    timed, rate, measured = candidate.timed, candidate.rate, one.measured
    latency = None if timed is None else timed.latency_ns.get(target.percentile)
    return {
        "rank": rank,
        "configuration": label_of(candidate),
        "cost": candidate.cost,
        **_ends("throughput_pps", None if rate is None else rate.throughput_pps),
        **_ends("measured_pps", None if measured is None else measured.throughput_pps),
        "verdict": one.verdict,
        "loss": None if timed is None else loss_of(timed),
        "latency_ns": None if latency is None else latency.value,
        "calibration_distance": None if one.nearest is None else one.nearest.distance,
        "calibration_gap": None if one.nearest is None else one.nearest.gap,
    }


def _ends(key: str, estimate: Estimate | None) -> dict[str, Any]:
    if estimate is None:
        return {key: None, f"{key}_low": None, f"{key}_high": None}
    return {key: estimate.value, f"{key}_low": estimate.low, f"{key}_high": estimate.high}


def _cells(row: dict[str, Any], one: Ranked, target: Target) -> dict[str, str]:
    candidate = one.candidate
    timed, rate, measured = candidate.timed, candidate.rate, one.measured
    latency = None if timed is None else timed.latency_ns.get(target.percentile)
    lost = row["loss"]
    return {
        "rank": str(row["rank"]),
        "configuration": row["configuration"],
        "cost": f"{candidate.cost:g}",
        "throughput_pps": estimate_text(rate.throughput_pps if rate else None, _MPPS),
        "measured_pps": "" if measured is None else estimate_text(measured.throughput_pps, _MPPS),
        "verdict": one.verdict,
        "loss": "" if lost is None else f"{100 * lost:.3f} %",
        "latency_ns": "" if latency is None else estimate_text(latency),
    }
