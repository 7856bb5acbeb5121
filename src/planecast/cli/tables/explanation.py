"""An explanation as a table: what limits, how sure, what to try; then the tree of cycles."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any

from planecast.cli.tables.basis import basis_lines
from planecast.cli.tables.sheet import Column, Sheet, estimate_text

if TYPE_CHECKING:
    from planecast.explain import CauseCycles, Difference, Explanation
    from planecast.explain.node import ExplainedNode
    from planecast.results import Estimate

_COLUMNS = (
    Column("stage", "stage"),
    Column("cause", "cause"),
    Column("cycles_per_packet", "cycles/packet", number=True),
    Column("low", "", number=True),
    Column("high", "", number=True),
    Column("share_percent", "share", number=True),
    Column("kind", "kind"),
    Column("bound", ""),
    Column("instructions_per_packet", "instr./packet", number=True),
    Column("ipc", "IPC", number=True),
)
_SHOWN = tuple(column for column in _COLUMNS if column.header)

_KINDS = {"measured": "m", "computed": "c", "simulated": "s", "published": "p", "bound": "b"}
"""What the table calls kinds; bound: computed, and known by its interval alone."""
_LEGEND = (
    "kind: m measured, s simulated, c computed, b computed bound (known by its interval alone)"
)
_TOP_DOWN = "top-down"
"""The rows of the computed nodes, as a stage."""
_SHOWN_CYCLES = 0.5
"""Causes whose whole interval is below this are left out of tables for people."""


def explanation_sheet(found: Explanation, *, people: bool) -> Sheet:
    """The sheet of one explanation; `people` leaves out the columns that machines alone read."""
    rows = [row for row in _rows(found) if not (people and _left_out(row))]
    cells = [_cells(row) for row in rows]
    raw = [_raw(row) for row in rows]
    return Sheet(
        _SHOWN if people else _COLUMNS, raw, cells, found, lead=_lead(found), notes=_notes(found)
    )


def _left_out(row: dict[str, Any]) -> bool:
    """A cause that takes no cycles to speak of, all of its interval; a stage's tree, which says
    with other words what the stage's causes say."""
    if row["stage"].endswith(f" {_TOP_DOWN}"):
        return True
    cycles = row["cycles_per_packet"]
    if not row["cause"] or cycles is None:
        return False
    ends = cycles.interval or (cycles.value, cycles.value)
    return bool(max(abs(end) for end in ends) < _SHOWN_CYCLES)


_CHANGES = (
    Column("stage", "stage"),
    Column("cause", "cause"),
    Column("a", "A", number=True),
    Column("b", "B", number=True),
    Column("change", "B less A", number=True),
    Column("change_low", "", number=True),
    Column("change_high", "", number=True),
    Column("moved", "moved"),
)


def difference_sheet(found: Difference, *, people: bool) -> Sheet:
    """The sheet of what changed from A to B."""
    rows, cells = [], []
    for one in found.changes:
        cause = _title(one.cause) if one.cause else ""
        rows.append(
            {
                "stage": one.stage,
                "cause": cause,
                "a": one.a.value,
                "b": one.b.value,
                "change": one.change.value,
                "change_low": one.change.low,
                "change_high": one.change.high,
                "moved": one.moved,
            }
        )
        cells.append(
            {
                "stage": "" if cause else one.stage,
                "cause": cause,
                "a": estimate_text(one.a),
                "b": estimate_text(one.b),
                "change": estimate_text(one.change),
                "moved": "moved" if one.moved else "",
            }
        )
    lead = [f"A: {found.a}", f"B: {found.b}", "", *found.findings]
    notes = [f"{key}: {a} in A, {b} in B" for key, (a, b) in found.settings.items()]
    notes.append("cycles a packet; moved: the interval of B less A leaves out nothing")
    columns = [column for column in _CHANGES if column.header] if people else _CHANGES
    return Sheet(columns, rows, cells, found, lead=lead, notes=notes)


def _lead(found: Explanation) -> list[str]:
    lines = [found.label, "", "What limits it"]
    lines += [f"  {sentence}" for sentence in found.limits]
    lines += ["", "How sure that is"]
    lines += [f"  {sentence}" for sentence in found.certainty]
    lines += ["", "What to try"]
    for advice in found.advice:
        saves = f": saves {estimate_text(advice.saves)} cycles a packet" if advice.saves else ""
        lines.append(f"  {advice.try_this}{saves} ({advice.why})")
    if not found.advice:
        lines.append("  nothing that this input gives reason for")
    return lines


def _notes(found: Explanation) -> list[str]:
    lines = [_LEGEND]
    lines += [f"can't be known: {what}" for what in found.unknown]
    if any(stage.nodes for stage in found.stages):
        lines.append("top-down by stage: -o FILE.html, --format json or csv")
    if found.calibration is not None:
        modelled = [found.modelled] if found.modelled is not None else []
        lines += basis_lines(found.calibration, modelled)
    return [*lines, *found.notes]


def _rows(found: Explanation) -> Iterator[dict[str, Any]]:
    whole = found.cycles_per_packet
    yield _row("all", "", whole, whole, found.instructions_per_packet, found.ipc)
    for part in found.causes:
        yield _cause_row("all", part, whole)
    for role in found.roles:
        yield _row(role.role, "", role.cycles, whole, role.instructions)
    for stage in found.stages:
        yield _row(stage.stage, "", stage.cycles, whole, stage.instructions, stage.ipc)
        for part in stage.causes:
            yield _cause_row(stage.stage, part, whole)
    yield from _top_down(found)


def _top_down(found: Explanation) -> Iterator[dict[str, Any]]:
    """The nodes of the top-down trees that are computed, in cycles as all other rows."""
    yield from _tree(_TOP_DOWN, found.nodes, found.cycles_per_packet)
    for stage in found.stages:
        yield from _tree(f"{stage.stage} {_TOP_DOWN}", stage.nodes, stage.cycles)


def _tree(
    name: str, nodes: Sequence[ExplainedNode], whole: Estimate | None
) -> Iterator[dict[str, Any]]:
    """The rows of one tree, of the packet or of a stage; shares are of that."""
    if nodes:
        yield _row(name, "", whole, whole)
    for node in nodes:
        if node.share is not None and whole is not None:
            cycles = node.share.scaled(whole.value, "cycles/packet")
            yield _row(name, node.title, cycles, whole) | {"bound": node.bound}


def _cause_row(stage: str, part: CauseCycles, whole: Estimate | None) -> dict[str, Any]:
    from planecast.explain.stall_causes import BOUNDS

    row = _row(stage, _title(part.cause), part.cycles, whole)
    return row | {"bound": part.cause in BOUNDS}


def _title(cause: str) -> str:
    from planecast.explain.stall_causes import cause_of

    return cause_of(cause).title


def _row(
    stage: str,
    cause: str,
    cycles: Estimate | None,
    whole: Estimate | None,
    instructions: Estimate | None = None,
    ipc: Estimate | None = None,
) -> dict[str, Any]:
    share = 100 * cycles.value / whole.value if cycles and whole else None
    return {
        "stage": stage,
        "cause": cause,
        "cycles_per_packet": cycles,
        "share_percent": share,
        "bound": False,
        "instructions_per_packet": instructions,
        "ipc": ipc,
    }


def _cells(row: dict[str, Any]) -> dict[str, str]:
    cycles, share = row["cycles_per_packet"], row["share_percent"]
    return {
        "stage": "" if row["cause"] else row["stage"],
        "cause": row["cause"],
        "cycles_per_packet": estimate_text(cycles),
        "share_percent": "" if share is None else f"{share:z.1f} %",
        "kind": _KINDS["bound" if row["bound"] else cycles.kind] if cycles else "",
        "instructions_per_packet": _maybe(row["instructions_per_packet"]),
        "ipc": _maybe(row["ipc"]),
    }


def _maybe(estimate: Estimate | None) -> str:
    return estimate_text(estimate) if estimate else ""


def _raw(row: dict[str, Any]) -> dict[str, Any]:
    cycles, instructions, ipc = (
        row[key] for key in ("cycles_per_packet", "instructions_per_packet", "ipc")
    )
    return row | {
        "cycles_per_packet": cycles.value if cycles else None,
        "low": cycles.low if cycles else None,
        "high": cycles.high if cycles else None,
        "kind": cycles.kind if cycles else None,
        "instructions_per_packet": instructions.value if instructions else None,
        "ipc": ipc.value if ipc else None,
    }
