"""An explanation as a table: what limits, how sure, what to try; then the tree of cycles."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any

from planecast.cli.tables.basis import basis_lines
from planecast.cli.tables.sheet import Column, Sheet, Worded, estimate_text

if TYPE_CHECKING:
    from planecast.explain import CauseCycles, Difference, Explanation
    from planecast.explain.node import ExplainedNode
    from planecast.results import Estimate

_COLUMNS = (
    Column("stage", "stage"),
    Column("cause", "cause"),
    Column("cycles_per_packet", "cycles/packet", number=True, absent="–", ends=("low", "high")),
    Column("share_percent", "share", number=True, form="{:z.1f} %"),
    Column("kind", "kind"),
    Column("bound"),
    Column("instructions_per_packet", "instr./packet", number=True),
    Column("ipc", "IPC", number=True),
)

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
    """The sheet of one explanation; `people` leaves out rows that machines alone read."""
    rows = list(_rows(found, people=people))
    return Sheet(_COLUMNS, rows, found, lead=_lead(found), notes=_notes(found))


def _small(cycles: Estimate) -> bool:
    """A cause that takes no cycles to speak of, all of its interval."""
    ends = cycles.interval or (cycles.value, cycles.value)
    return max(abs(end) for end in ends) < _SHOWN_CYCLES


_CHANGES = (
    Column("stage", "stage"),
    Column("cause", "cause"),
    Column("a", "A", number=True),
    Column("b", "B", number=True),
    Column("change", "B less A", number=True, ends=("change_low", "change_high")),
    Column("moved", "moved", form=lambda moved: "moved" if moved else ""),
)


def difference_sheet(found: Difference) -> Sheet:
    """The sheet of what changed from A to B."""
    rows = [
        {
            **_place(one.stage, _title(one.cause) if one.cause else ""),
            "a": one.a,
            "b": one.b,
            "change": one.change,
            "moved": one.moved,
        }
        for one in found.changes
    ]
    lead = [f"A: {found.a}", f"B: {found.b}", "", *found.findings]
    notes = [f"{key}: {a} in A, {b} in B" for key, (a, b) in found.settings.items()]
    notes.append("cycles a packet; moved: the interval of B less A excludes zero")
    return Sheet(_CHANGES, rows, found, lead=lead, notes=notes)


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
        lines.append("  no advice follows from this input")
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


def _rows(found: Explanation, *, people: bool) -> Iterator[dict[str, Any]]:
    whole = found.cycles_per_packet
    yield _row("all", "", whole, whole, found.instructions_per_packet, found.ipc)
    yield from _causes("all", found.causes, whole, people=people)
    for role in found.roles:
        yield _row(role.role, "", role.cycles, whole, role.instructions)
    for stage in found.stages:
        yield _row(stage.stage, "", stage.cycles, whole, stage.instructions, stage.ipc)
        yield from _causes(stage.stage, stage.causes, whole, people=people)
    # The nodes of the top-down trees that are computed, in cycles as all other rows.
    yield from _tree(_TOP_DOWN, found.nodes, whole, people=people)
    if not people:  # a stage's tree says with other words what the stage's causes say
        for stage in found.stages:
            yield from _tree(f"{stage.stage} {_TOP_DOWN}", stage.nodes, stage.cycles, people=False)


def _causes(
    stage: str, causes: Sequence[CauseCycles], whole: Estimate | None, *, people: bool
) -> Iterator[dict[str, Any]]:
    from planecast.explain.stall_causes import BOUNDS

    for part in causes:
        if not (people and _small(part.cycles)):
            bound = part.cause in BOUNDS
            yield _row(stage, _title(part.cause), part.cycles, whole, bound=bound)


def _tree(
    name: str, nodes: Sequence[ExplainedNode], whole: Estimate | None, *, people: bool
) -> Iterator[dict[str, Any]]:
    """The rows of one tree, of the packet or of a stage; shares are of that."""
    if nodes:
        yield _row(name, "", whole, whole)
    for node in nodes:
        if node.share is not None and whole is not None:
            cycles = node.share.scaled(whole.value, "cycles/packet")
            if not (people and _small(cycles)):
                yield _row(name, node.title, cycles, whole, bound=node.bound)


def _title(cause: str) -> str:
    from planecast.explain.stall_causes import cause_of

    return cause_of(cause).title


def _place(stage: str, cause: str) -> dict[str, Any]:
    return {"stage": Worded(stage, "") if cause else stage, "cause": cause}


def _row(
    stage: str,
    cause: str,
    cycles: Estimate | None,
    whole: Estimate | None,
    instructions: Estimate | None = None,
    ipc: Estimate | None = None,
    *,
    bound: bool = False,
) -> dict[str, Any]:
    return {
        **_place(stage, cause),
        "cycles_per_packet": cycles,
        "share_percent": 100 * cycles.value / whole.value if cycles and whole else None,
        "kind": cycles and Worded(cycles.kind, _KINDS["bound" if bound else cycles.kind]),
        "bound": bound,
        "instructions_per_packet": instructions,
        "ipc": ipc,
    }
