"""A plan as a table: the division, and what is predicted of it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from planecast.cli.tables.basis import basis_lines
from planecast.cli.tables.sheet import Column, Sheet, Worded

if TYPE_CHECKING:
    from planecast.partition.division import Division
    from planecast.partition.plan import Plan

_COLUMNS = (
    Column("name", "tenant or path"),
    Column(
        "frame_bytes",
        "frame, B",
        number=True,
        of=lambda f: f.frame_bytes if f.what == "path" else Worded(f.frame_bytes, ""),
    ),
    Column("quiet_pps", "neighbours idle, M/s", True, scale=1e6, absent="–", of=lambda f: f.quiet),
    Column("before_pps", "before, M/s", number=True, scale=1e6, of=lambda f: f.before),
    Column("after_pps", "after, M/s", number=True, scale=1e6, of=lambda f: f.after),
    Column("gain_percent", "gain, %", number=True),
)


def plan_sheet(made: Plan) -> Sheet:
    """A row a tenant or path."""
    title = f"{made.name} on {made.machine}"
    return Sheet.of(_COLUMNS, made.forecasts, made, title=title, notes=plan_notes(made))


def plan_notes(made: Plan) -> list[str]:
    """The division, what was published of it, what can't be met, and the next best ones."""
    chosen = "as the file asks" if made.chosen_by == "file" else "chosen"
    gain = f"{made.gain_percent:+.1f} %" if made.gain_percent is not None else "none: see below"
    notes = [f"The division, {chosen}; gain by rank {gain}:", *_division_lines(made.division)]
    for path, gains in made.published.items():
        notes.append(
            f"published gains of {path}: {', '.join(f'{g:g}' for g in gains)} % "
            "(the source doesn't report which size each belongs to)"
        )
    for unmet in made.unmet:
        notes.append(f"can't be met: {unmet.tenant}, {unmet.target}: {unmet.why}")
    notes.append(f"{made.tried} divisions tried; the next best:")
    for runner in made.runners_up:
        classes = "; ".join(_service(s.number, s.l3, s.bandwidth) for s in runner.division.services)
        notes.append(f"  {runner.gain_percent:+.1f} %: {classes}")
    rates = [rate for one in made.forecasts for rate in (one.before, one.after)]
    return [*notes, *basis_lines(made.calibration, rates)] if made.calibration else notes


def _division_lines(division: Division) -> list[str]:
    from planecast.scenario.cpus import format_cpus

    lines = []
    for service in division.services:
        own = [
            f"{share.tenant} {format_cpus(share.threads)}"
            for share in division.shares
            if share.service == service.number
        ]
        lines.append(
            f"  {_service(service.number, service.l3, service.bandwidth)}: "
            + (", ".join(own) or "whatever is in no other")
        )
    return lines


def _service(number: int, l3: int | None, bandwidth: int | None) -> str:
    ways = f" ways {l3:#x}" if l3 is not None else ""
    limit = f" bandwidth {bandwidth}" if bandwidth is not None else ""
    return f"class {number}{ways}{limit}"
