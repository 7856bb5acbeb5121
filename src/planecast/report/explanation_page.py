"""The page of an explanation: verdict, where the cycles go, and from A to B."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from planecast.explain import Difference, Explanation
from planecast.explain.explanation import StageExplanation
from planecast.explain.stall_causes import BOUNDS, cause_of
from planecast.report.figures.cycles_by_cause import cycles_by_cause
from planecast.report.figures.cycles_sankey import cycles_sankey
from planecast.report.figures.topdown_bars import topdown_bars
from planecast.report.figures.waterfall import waterfall
from planecast.report.html import page_html
from planecast.report.numbers import ABSENT, digits, interval_text
from planecast.report.page import Card, Drawing, Page, Section, Verdict, drawing, machine_text
from planecast.report.table import Cell, Heading, Table, estimate_cell
from planecast.report.tree_table import tree_table
from planecast.report.verdict_table import verdict_table
from planecast.results import Estimate


def explanation_html(explained: Explanation, against: Difference | None = None) -> str:
    """The explanation as one offline HTML file; `against` adds how another differs from it."""
    return page_html(explanation_page(explained, against))


def explanation_page(explained: Explanation, against: Difference | None = None) -> Page:
    """What the page says."""
    verdict = verdict_table(explained.limits, explained.certainty, explained.advice)
    tables = [_roles(explained)]
    tables += [tree_table(explained.nodes)] if explained.nodes else []
    tables += [_trees(explained)] if any(stage.nodes for stage in explained.stages) else []
    changed: list[Section] = [*_steps(against), _changes(against)] if against else []
    return Page(
        title=f"{explained.scenario.name}, explained",
        verdict=Verdict(
            f"What limits {explained.label}?",
            explained.limits[0],
            explained.certainty[0] if explained.certainty else "",
        ),
        machine=machine_text(explained.manifest) if explained.manifest else "",
        cards=list(_cards(explained)),
        sections=[
            verdict,
            *_drawings(explained),
            *changed,
            _causes(explained),
            _stages(explained),
            *(replace(table, detail=True) for table in tables),
        ],
        manifests=[explained.manifest] if explained.manifest else [],
        notes=[
            *([explained.calibration.sentence()] if explained.calibration else ()),
            *(f"can't be known: {text}" for text in explained.unknown),
            *explained.notes,
        ],
    )


def _cards(explained: Explanation) -> Iterator[Card]:
    rate = explained.throughput_pps
    for name, estimate in (
        ("cycles/packet", explained.cycles_per_packet),
        ("instructions/packet", explained.instructions_per_packet),
        ("instructions a cycle", explained.ipc),
        ("Mpps", rate.scaled(1e-6, "Mpps") if rate else None),
    ):
        if estimate is not None:
            detail = f"{interval_text(estimate)} {estimate.kind}".strip()
            yield Card(digits(estimate.value), name, detail)


def _drawings(explained: Explanation) -> list[Drawing]:
    return [
        *drawing(
            "cycles",
            "Where the cycles go",
            "From the packet through the stages to the causes, TSC cycles a packet. Rests below "
            f"zero (the model says more than was measured) are left out here.{_bounds(explained)}",
            cycles_sankey(explained),
        ),
        *drawing(
            "stage-causes",
            "Causes by stage",
            "Causes are computed; what the model leaves over of the measured stage is not "
            f"explained, and lies left of zero where it says too much.{_bounds(explained)}",
            cycles_by_cause(explained),
        ),
        *drawing(
            "tree",
            "The top-down tree, computed",
            "From instructions, cycles and the model: shares of the cycles, with 95 % intervals. "
            "Frontend, speculation, backend and core are bounds: each bar ends at the centre of "
            "what is possible, and only its whole interval is known.",
            topdown_bars(explained.nodes),
        ),
    ]


def _bounds(explained: Explanation) -> str:
    """What a figure's caption says of causes that are bounds; nothing where there are none."""
    if not any(part.cause in BOUNDS for part in explained.causes):
        return ""
    return " Frontend and speculation are bounds, drawn at the centre of what is possible."


def _steps(against: Difference) -> list[Drawing]:
    caption = (
        f"A: {against.a}. B: {against.b}. Cycles a packet; (?) marks steps that the "
        "intervals can't distinguish from zero."
    )
    return [
        *drawing("steps-cause", "From A to B by cause", caption, waterfall(against, by_cause=True)),
        *drawing(
            "steps-stage", "From A to B by stage", caption, waterfall(against, by_cause=False)
        ),
    ]


def _causes(explained: Explanation) -> Table:
    whole = explained.cycles_per_packet
    return Table.of(
        "causes",
        "Causes",
        "Over all stages; they add up to the whole.",
        [
            Heading("cause", of=lambda part: cause_of(part.cause).title),
            Heading("cycles", "TSC cycles/packet, computed", number=True),
            Heading("share", number=True, of=lambda part: _percent(part.cycles, whole)),
            Heading("what it is", of=lambda part: cause_of(part.cause).meaning),
        ],
        explained.causes,
    )


def _stages(explained: Explanation) -> Table:
    return Table.of(
        "stages",
        "Stages",
        "Measured stages are as the stage clock read them; the loop is what lies between.",
        [
            Heading("stage"),
            Heading("role"),
            Heading("cycles", "TSC cycles/packet", number=True, of=_with_kind),
            Heading("modelled", "TSC cycles/packet, computed", number=True),
            Heading("instructions", "instructions/packet", number=True),
            Heading("IPC", "instructions/core cycle", number=True, of=lambda stage: stage.ipc),
        ],
        explained.stages,
    )


def _with_kind(stage: StageExplanation) -> Cell:
    return estimate_cell(stage.cycles, kind=True)


_OF_STAGES = ("retiring", "frontend_bound", "bad_speculation", "memory_bound", "core_bound")
"""Nodes that share out all of a stage that is distinguished."""


def _trees(explained: Explanation) -> Table:
    """Top-down by stage: shares of the stage's cycles."""
    titles: dict[str, str] = {}
    rows = []
    for stage in explained.stages:
        nodes = {node.node: node for node in stage.nodes}
        if not nodes:
            continue
        titles |= {name: nodes[name].title for name in _OF_STAGES if name in nodes}
        shares = [nodes[name].share if name in nodes else None for name in _OF_STAGES]
        rows.append(
            [
                Cell(stage.stage),
                *(estimate_cell(share.scaled(100, "%") if share else None) for share in shares),
            ]
        )
    return Table(
        "trees",
        "Top-down by stage",
        "Shares of each stage's own cycles; frontend, bad speculation and core bound are bounds, "
        "their values the centre of what is possible. What is missing is not explained.",
        [
            Heading("stage"),
            *(Heading(titles.get(name, name), "percent", number=True) for name in _OF_STAGES),
        ],
        rows,
    )


def _roles(explained: Explanation) -> Table:
    return Table.of(
        "roles",
        "I/O, processing, other",
        "I/O gets packets in and out, processing works on them, other is the loop around both.",
        [
            Heading("role"),
            Heading("cycles", "TSC cycles/packet", number=True),
            Heading("instructions", "instructions/packet", number=True),
        ],
        explained.roles,
    )


def _changes(against: Difference) -> Table:
    return Table.of(
        "changes",
        "From A to B",
        "; ".join(against.findings) + ".",
        [
            Heading("stage"),
            Heading("cause", of=lambda one: cause_of(one.cause).title if one.cause else ""),
            Heading("A", "TSC cycles/packet", number=True, of=lambda change: change.a),
            Heading("B", "TSC cycles/packet", number=True, of=lambda change: change.b),
            Heading("B less A", "TSC cycles/packet", number=True, of=lambda one: one.change),
            Heading("beyond the intervals", of=lambda one: "moved" if one.moved else ""),
        ],
        against.changes,
    )


def _percent(part: Estimate, whole: Estimate | None) -> str:
    return ABSENT if whole is None else f"{100 * part.value / whole.value:.1f} %"
