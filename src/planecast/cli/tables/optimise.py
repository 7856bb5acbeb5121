"""What `optimise` found as a table: predicted and measured next to each other."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from planecast.cli.tables.basis import basis_notes
from planecast.cli.tables.sheet import Column, Sheet, percent
from planecast.results import Estimate
from planecast.scenario import point_label
from planecast.sweep.answer import loss_of
from planecast.sweep.confirm import Confirmation, Ranked
from planecast.sweep.optimise import Candidate, Found, Target

_COLUMNS = (
    Column("rank", "", number=True),
    Column("configuration", "configuration"),
    Column("cost", "cost", number=True, form="{:g}"),
    Column("throughput_pps", "Mpps, predicted", number=True, scale=1e6, absent="–"),
    Column("measured_pps", "measured", number=True, scale=1e6),
    Column("verdict", "rate"),
    Column("loss", "loss", number=True, form=percent("{:.3f} %")),
    Column("latency_ns", "latency, ns", number=True),
)
_MEASURED = ("measured_pps", "verdict")
_ENDS = tuple(
    Column(f"{name}_{end}")
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
    sheet = Sheet([*columns, *_ENDS], rows, notes=notes)
    document = {
        "tried": found.tried,
        "possible": found.possible,
        "meet": len(found.best),
        "target": vars(target),
        "confirmed": not why_not,
        "candidates": [
            row | {"point": dict(one.candidate.point)}
            for row, one in zip(sheet.rows, shown, strict=True)
        ],
        "run": str(run),
    }
    return replace(sheet, document=document)


def _count_notes(found: Found, after: Confirmation, target: Target, why_not: str) -> list[str]:
    of = "" if found.possible is None else f" of {found.possible}"
    tried = f"{found.tried}{of} configurations tried"
    notes = [f"{tried}, {len(found.best)} meet the target by prediction"]
    if found.refused:
        many = len(found.refused)
        were = "1 of them was refused" if many == 1 else f"{many} of them were refused, such as"
        notes.append(f"{were}: {found.refused[0]}")
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
        left = len(after.ranked) > len(measured) + sum(after.not_measured.values())
        more = "; --confirm-best measures more of them" if left else ""
        notes.append(f"the first one is a prediction: none of those measured is confirmed{more}")
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
    return {
        "rank": rank,
        "configuration": label_of(candidate),
        "cost": candidate.cost,
        **_ends("throughput_pps", rate.throughput_pps if rate else None),
        **_ends("measured_pps", measured.throughput_pps if measured else None),
        "verdict": one.verdict,
        "loss": None if timed is None else loss_of(timed),
        "latency_ns": None if timed is None else timed.latency_ns.get(target.percentile),
        "calibration_distance": one.nearest and one.nearest.distance,
        "calibration_gap": one.nearest and one.nearest.gap,
    }


def _ends(key: str, estimate: Estimate | None) -> dict[str, Any]:
    return {
        key: estimate,
        f"{key}_low": estimate and estimate.low,
        f"{key}_high": estimate and estimate.high,
    }
