"""What neighbours cost, measured and predicted, as a table."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

from planecast.cli.tables.sheet import Column, Sheet, Worded, estimate_text

if TYPE_CHECKING:
    from pathlib import Path

    from planecast.partition.applied_plan import Divided
    from planecast.partition.neighbour_cost import Cost
    from planecast.partition.verify import Verified


def neighbours_sheet(
    answer: Verified, run: Path, page: Path, missing: str, divided: Divided | None
) -> Sheet:
    """A row a neighbour; `missing` says why nothing is predicted."""
    busy = answer.costs[1:]
    errors = [abs(error) for cost in busy if (error := _error(cost)) is not None]
    notes = []
    if errors:
        notes.append(
            f"{len(errors)} busy neighbours, predicted on top of the idle one's measurement: mean "
            f"error {sum(errors) / len(errors):.1f} %, maximum {max(errors):.1f} %"
        )
    notes += ["cycles of the time-stamp counter; 95 % intervals", *_idle_notes(answer.costs[0])]
    notes.append(
        "the idle neighbour measured twice, in turns with all others: ratio "
        + estimate_text(answer.repeatability)
    )
    notes += _disturbed(answer)
    if answer.fit.points:
        notes.append(
            f"fitted to {answer.fit.points} neighbours that were measured first: the shared cache "
            f"has {answer.fit.cache_factor:g} times the calibrated size, and "
            f"{100 * answer.fit.shown:.0f} % of the modelled slowdown is visible"
        )
    if answer.sibling:
        notes.append("the neighbour's CPU is a thread of the data plane's own core")
    elif divided is None:
        notes.append(
            "--plan measures with and without a division of cache and bandwidth, where the machine "
            "has one; elsewhere it predicts it"
        )
    notes += _plan_notes(answer, divided) if divided is not None else []
    notes += [missing] if missing else []
    notes += [f"run: {run}", f"report: {page}"]
    columns = _COLUMNS if divided is None else (*_COLUMNS, *_PLAN_COLUMNS)
    sheet = Sheet(columns, [_row(cost) for cost in answer.costs], notes=notes)
    return replace(sheet, document={"points": sheet.rows})


def _idle_notes(idle: Cost) -> list[str]:
    """How much the model is off without a neighbour, which no other row shows."""
    error = _error(idle)
    if idle.predicted is None or error is None:
        return []
    inside = idle.predicted.cycles_per_packet.covers(idle.measured.cycles_per_packet.value)
    if inside:
        return [f"next to the idle neighbour the model is {error:+.1f} % off, inside its interval"]
    return [
        f"next to the idle neighbour the model is {error:+.1f} % off, outside its 95 % interval: "
        "the errors above are of what neighbours add, not of the model's level"
    ]


def _disturbed(answer: Verified) -> list[str]:
    """What a busy machine makes of the figures, in a line; nothing on a quiet one."""
    measured = [cost.measured for cost in answer.costs]
    few = sum(one.few_windows for one in measured)
    if not few:
        return []
    shares = [one.disturbed_share for one in measured if one.disturbed_share is not None]
    mean = (
        f", {100 * sum(shares) / len(shares):.0f} % of all windows were disturbed" if shares else ""
    )
    return [
        f"the machine was busy: {few} of {len(measured)} points have too few undisturbed windows"
        f"{mean}; measure again when nothing else runs, in particular on the neighbour's CPU"
    ]


def _plan_notes(answer: Verified, divided: Divided) -> list[str]:
    own, other = divided.own, divided.other
    ways = ", ".join(
        f"{who} {service.l3:#x}"
        for who, service in (("the data plane", own), ("the neighbour", other))
        if service.l3 is not None
    )
    limit = f", the neighbour's bandwidth {other.bandwidth}" if other.bandwidth is not None else ""
    words = f"{ways or 'no ways given'}{limit}"
    if divided.lacking:
        return [
            f"the plan {divided.plan.name} is not applied: {divided.lacking}; its effect is "
            f"predicted alone ({words})"
        ]
    lines = [f"with the plan {divided.plan.name}: {words}; applied and undone at each visit"]
    speedups = [c.divided.speedup for c in answer.costs[1:] if c.divided and c.divided.speedup]
    certain = [s for s in speedups if s.low is not None and s.low > 1]
    lines.append(
        f"next to {len(certain)} of {len(speedups)} busy neighbours the plan is faster for certain "
        "(the interval is above 1)"
    )
    return lines


def _error(cost: Cost) -> float | None:
    if cost.predicted is None:
        return None
    measured, predicted = (r.cycles_per_packet.value for r in (cost.measured, cost.predicted))
    return 100 * (predicted / measured - 1)


_COLUMNS = (
    Column("neighbour", "neighbour"),
    Column("lines_per_s", "its lines, M/s", number=True, form="{:.1f}", scale=1e6),
    Column("measured_cycles_per_packet", "measured, cycles/packet", number=True),
    Column("slowdown", "times idle", number=True, absent="–"),
    Column("predicted_cycles_per_packet", "predicted, cycles/packet", number=True, absent="–"),
    Column("predicted_slowdown", "times idle, predicted", number=True, form="{:.3f}"),
    Column("error_percent", "error, %", number=True, form="{:+z.1f}"),
)
_PLAN_COLUMNS = (
    Column("divided_cycles_per_packet", "with the plan, cycles/packet", number=True),
    Column("speedup", "times as fast", number=True),
    Column("predicted_speedup", "times as fast, predicted", number=True, form="{:.3f}"),
)


def _row(cost: Cost) -> dict[str, Any]:
    lines, slowdown = cost.lines_per_s, cost.predicted_slowdown
    return {
        "neighbour": cost.label,
        "lines_per_s": lines or Worded(lines, ""),
        "measured_cycles_per_packet": cost.measured.cycles_per_packet,
        "slowdown": cost.slowdown,
        "predicted_cycles_per_packet": cost.predicted and cost.predicted.cycles_per_packet,
        "predicted_slowdown": slowdown or Worded(slowdown, ""),
        "error_percent": _error(cost),
        **_plan_row(cost),
    }


def _plan_row(cost: Cost) -> dict[str, Any]:
    apart = cost.divided
    if apart is None:
        return {}
    measured, speedup = apart.measured, apart.speedup
    return {
        "divided_cycles_per_packet": measured.cycles_per_packet if measured else Worded(None, "–"),
        "speedup": speedup or Worded(None, "–"),
        "speedup_low": speedup and speedup.low,
        "speedup_high": speedup and speedup.high,
        "predicted_speedup": apart.predicted_speedup,
    }
