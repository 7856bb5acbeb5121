"""A validation as a table: every point, and the error."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from planecast.cli.tables.sheet import Column, Sheet, Worded, estimate_text

if TYPE_CHECKING:
    from planecast.results.validation import Validation, ValidationPoint

_COLUMNS = (
    Column("point", "point", of="label"),
    Column("held_out", "held out", of=lambda point: Worded(point.held_out, _use(point))),
    *(
        Column(
            f"{side}_cycles_per_packet",
            side,
            number=True,
            ends=(f"{side}_low", f"{side}_high"),
            of=f"{side}.cycles_per_packet",
        )
        for side in ("measured", "predicted")
    ),
    Column("error_percent", "error", number=True, form="{:+.1f} %"),
    Column("inside", "inside", form=lambda inside: "inside" if inside else "outside"),
    Column("extrapolates", "beyond", form=lambda beyond: "yes" if beyond else ""),
)


_WORST = 5
"""Points that a note names."""


def validation_sheet(answer: Validation, run: Path, page: Path) -> Sheet:
    """A row a point."""
    held = [point for point in answer.points if point.held_out]
    few = [point.label for point in answer.points if point.measured.few_windows]
    notes = [
        *_noise(answer),
        f"held-out points: {len(held)}; mean error {answer.mean_error_percent:.1f} %, "
        f"maximum {answer.max_error_percent:.1f} %; {answer.coverage_percent:.0f} % lie in their "
        "95 % intervals",
        *_scores(answer),
        "TSC cycles a packet on each lcore; measured: the lower quartile of undisturbed windows of "
        "all process instances; predicted: computed",
    ]
    if answer.repeatability is not None:
        notes.append(
            "one point measured twice, in the same blocks: ratio "
            + estimate_text(answer.repeatability)
        )
    if few:
        notes.append(
            f"{len(few)} of {len(answer.points)} points had too few undisturbed windows, so their "
            f"true cost may be lower than measured: {'; '.join(few)}"
        )
    notes += _unsteady(answer.points)
    notes += answer.skipped
    notes += [f"run: {run}", f"report: {page}"]
    points = sorted(answer.points, key=_worst_first)
    return Sheet.of(_COLUMNS, points, answer, notes=notes)


def _use(point: ValidationPoint) -> str:
    return "held out" if point.held_out else "check" if point.checked else "calibrated"


def _noise(answer: Validation) -> list[str]:
    if not answer.noisy:
        return []
    return [
        f"this host is too noisy now: noise floor {answer.noise_floor_percent:.1f} %, the mean "
        "error of even a perfect model"
    ]


def _scores(answer: Validation) -> list[str]:
    if answer.noise_floor_percent is None or answer.half_width_percent is None:
        return []
    found = [
        f"noise floor {answer.noise_floor_percent:.1f} %; mean half-width of the intervals "
        f"{answer.half_width_percent:.1f} %, interval score "
        f"{answer.interval_score_percent or 0.0:.1f} %; no skill (the calibration points' mean "
        f"for each): mean error {answer.baseline_error_percent or 0.0:.1f} %"
    ]
    if answer.seed is not None:
        found.append(f"held-out points were drawn with seed {answer.seed} (--seed repeats them)")
    return found


def _unsteady(points: Sequence[ValidationPoint]) -> list[str]:
    """A note on points whose visits weren't all steady, the worst ones by name."""
    shares = [
        (p.measured.steady_share, p.label)
        for p in points
        if p.measured.steady_share is not None and p.measured.steady_share < 1
    ]
    if not shares:
        return []
    worst = "; ".join(f"{label} ({100 * share:.0f} %)" for share, label in sorted(shares)[:_WORST])
    return [
        f"{len(shares)} of {len(points)} points had visits that were not steady when their warm-up "
        f"ended; share of steady visits, the lowest first: {worst}"
    ]


def _worst_first(point: ValidationPoint) -> tuple[bool, bool, float]:
    """Held-out points first, then checked ones, the largest errors first."""
    return (not point.held_out, not point.checked, -abs(point.error_percent))
