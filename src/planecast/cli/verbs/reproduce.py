"""``planecast reproduce DOCUMENT``: what a published document says against what we say."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from planecast.cli.shared.options import FormatOption, OutputOption, checked_output
from planecast.cli.shared.output import chosen_format, emit
from planecast.cli.shared.output_files import Written
from planecast.cli.tables.sheet import Column, Sheet

if TYPE_CHECKING:
    from planecast.reproduce import Baseline, Claim, Goal, Refusal, Reproduction, Table

_COLUMNS = (
    Column("table", "table", number=True),
    Column("id"),
    Column("what", "what"),
    Column("unit", "unit"),
    Column("published", "published", number=True, form="{:.4g}"),
    Column("published_low"),
    Column("published_high"),
    Column("ours", "ours", number=True, form="{:.4g}"),
    Column("error_percent", "error, %", number=True, form="{:+.1f}"),
    Column("bound_percent", "bound, %", number=True, form="{:.4g}"),
    Column("role"),
    Column("mark", "mark"),
    Column("within", "within", absent="input"),
    Column("alternative"),
    Column("alternative_error_percent", "alternative's error, %", number=True, form="{:+.1f}"),
    Column("predicted_from"),
    Column("published_from"),
    Column("note"),
)


def reproduce(
    document: Annotated[str, typer.Argument(help="vpe, bsdp, skx, res, components or rates.")],
    table: Annotated[
        int | None, typer.Option("--table", metavar="N", help="One table of it.", min=0)
    ] = None,
    inputs: Annotated[
        bool, typer.Option("--inputs", help="Show in the table what went in, too.")
    ] = False,
    html: Annotated[
        Path | None,
        typer.Option(
            "--html",
            metavar="FILE",
            callback=checked_output,
            help="Write tables and figures as a page, too.",
        ),
        Written(),
    ] = None,
    form: FormatOption = None,
    output: OutputOption = None,
) -> None:
    """Predict what a published document measured, and print the error.

    Inputs went into predictions and confirm none. Of the rest, a test could have failed; what is
    marked weak or arithmetic couldn't, or an alternative that knows less passes, too. Nothing is
    measured here.
    """
    from planecast.reproduce import reproduce as reproduced

    found = reproduced(document, table)
    if html is not None:
        from planecast.report.html import page_html
        from planecast.report.reproduction_page import reproduction_page
        from planecast.results import collect_manifest
        from planecast.results.atomic import write_text

        write_text(html, page_html(reproduction_page(found, collect_manifest("reproduce", 0))))
    rows = [_row(one, claim) for one in found.tables for claim in one.claims]
    if chosen_format(form, output) != "table":
        emit(Sheet(_COLUMNS, rows, document=_document(found, rows)), form, output)
        return
    rows = [_read_by_people(row) for row in rows if inputs or row["role"] == "check"]
    emit(Sheet(_COLUMNS, rows, title=found.title, notes=_notes(found, inputs)), form, output)


def _row(table: Table, claim: Claim) -> dict[str, Any]:
    return {"table": table.number, **claim.model_dump(mode="json")}


def _read_by_people(row: dict[str, Any]) -> dict[str, Any]:
    """A range in one cell, and no error of what went in."""
    low, high = row["published_low"], row["published_high"]
    changes: dict[str, Any] = {} if low is None else {"published": f"{low:.4g} to {high:.4g}"}
    if row["role"] != "check":
        changes["error_percent"] = None
    return row | changes


def _notes(found: Reproduction, inputs: bool) -> list[str]:
    gone = len(found.marked("input"))
    notes = [f"{found.headline}; {gone} figures went in"]
    if gone and not inputs:
        notes[0] += " (--inputs shows them)"
    notes += [_goal(goal) for goal in found.goals]
    notes += [_baseline(one) for one in found.baselines]
    notes += [_refusal(one) for table in found.tables for one in table.refusals]
    for table in found.tables:
        own = [claim for claim in table.claims if claim.note and not claim.within]
        texts = [*_alternatives(table), *table.notes]
        texts += [f"{c.what}: {c.note}" for c in own if c.role == "check"]
        if texts:
            notes += ["", f"Table {table.number}, {table.title}:", *texts]
    return notes


def _alternatives(table: Table) -> list[str]:
    """Each alternative by name: how many of its claims it passes, and how many ours does."""
    by_name: dict[str, list[Claim]] = {}
    for claim in table.claims:
        if claim.alternative:
            by_name.setdefault(claim.alternative, []).append(claim)
    return [
        f"alternative: {name}: within in {sum(c.alternative_within for c in claims)} of "
        f"{len(claims)}, ours in {sum(bool(c.within) for c in claims)}"
        for name, claims in by_name.items()
    ]


def _goal(goal: Goal) -> str:
    verdict = "reached" if goal.within else "missed"
    return f"Goal {verdict}: {goal.what} {goal.ours:.3g} (bound {goal.bound:g} {goal.unit})"


def _baseline(one: Baseline) -> str:
    verdict = "" if one.better else ": our mechanism adds nothing there"
    return (
        f"No-skill baseline: {one.what} {one.baseline:.3g}, ours {one.ours:.3g} {one.unit}{verdict}"
    )


def _refusal(one: Refusal) -> str:
    return f"Refused: {one.what}, {one.rows} rows: {one.why}"


def _document(found: Reproduction, rows: list[dict[str, Any]]) -> dict[str, Any]:
    return {
        "document": found.document,
        "title": found.title,
        "claims": rows,
        "headline": found.headline,
        "goals": [
            {"table": table.number, **goal.model_dump(mode="json")}
            for table in found.tables
            for goal in table.goals
        ],
        "tables": [
            {
                "number": table.number,
                "title": table.title,
                "notes": list(table.notes),
                "baselines": [one.model_dump(mode="json") for one in table.baselines],
                "refusals": [one.model_dump(mode="json") for one in table.refusals],
                "curves": [curve.model_dump(mode="json") for curve in table.curves],
            }
            for table in found.tables
        ],
    }
