"""The page of a document's figures against ours."""

from __future__ import annotations

from dataclasses import replace

from planecast.report.figures.claims import claim_errors, curves_figure
from planecast.report.numbers import ABSENT, count_text, digits
from planecast.report.page import Card, Page, Section, Verdict, drawing, machine_text
from planecast.report.table import Cell, Heading, Table, number_cell
from planecast.reproduce import Claim, Reproduction
from planecast.reproduce import Table as Claims
from planecast.results import Manifest


def reproduction_page(found: Reproduction, manifest: Manifest) -> Page:
    """What is shown of a reproduction."""
    tests = found.marked("test")
    inside = sum(bool(claim.within) for claim in tests)
    others = sum(claim.alternative_within for claim in tests)
    aside = len(found.marked("weak")) + len(found.marked("arithmetic"))
    cards = [
        Card(
            f"{inside} of {len(tests)}",
            "tests within their bounds",
            f"the alternatives pass {others}; {aside} claims that could not fail are not counted",
        )
    ]
    cards += [
        Card(digits(goal.ours), goal.what, f"bound {goal.bound:g} {goal.unit}")
        for goal in found.goals
    ]
    cards += [
        Card(digits(one.ours), f"{one.unit}: ours", f"{one.what} {digits(one.baseline)}")
        for one in found.baselines
    ]
    return Page(
        title=f"{found.title}, reproduced",
        verdict=Verdict(
            "How well are the document's figures predicted from others of it?",
            f"{inside} of {count_text(len(tests), 'test')} within their bounds",
            f"an alternative that knows less passes {others}",
        ),
        machine=machine_text(manifest),
        cards=cards,
        sections=[one for table in found.tables for one in _sections(table)],
        manifests=[manifest],
        notes=[
            "Inputs went in and confirm nothing. A test could have failed; what is marked weak or "
            "arithmetic could not, or an alternative that knows less passes, too. Nothing was "
            "measured here.",
            *(f"{table.title}: {note}" for table in found.tables for note in _notes(table)),
        ],
    )


def _notes(table: Claims) -> list[str]:
    refused = [f"refused: {one.what}, {one.rows} rows: {one.why}" for one in table.refusals]
    return [*table.notes, *refused]


def _sections(table: Claims) -> list[Section]:
    anchor = f"table-{table.number}"
    errors = "Bars: error of ours; orange ones are outside their bound."
    return [
        *drawing(f"{anchor}-errors", f"{table.title}: errors", errors, claim_errors(table.claims)),
        *drawing(
            f"{anchor}-curves", f"{table.title}: curves", "Predicted.", curves_figure(table.curves)
        ),
        *([replace(_table(table), detail=True)] if table.claims else []),
    ]


def _table(table: Claims) -> Table:
    return Table(
        f"table-{table.number}",
        table.title,
        f"Table {table.number}.",
        [
            Heading("what"),
            Heading("published", number=True),
            Heading("ours", number=True),
            Heading("error", "%", number=True),
            Heading("within"),
            Heading("mark"),
            Heading("alternative", "%", number=True),
        ],
        [_row(claim) for claim in table.claims],
    )


def _row(claim: Claim) -> list[Cell]:
    if claim.role == "input":
        return [
            Cell(claim.what, claim.id),
            Cell(_published(claim), claim.unit),
            Cell(ABSENT),
            Cell(ABSENT),
            Cell("input"),
            Cell(claim.mark),
            Cell(ABSENT),
        ]
    tone = "good" if claim.within else "bad"
    other = claim.alternative_error_percent
    return [
        Cell(claim.what, claim.id),
        Cell(_published(claim), claim.unit),
        number_cell(claim.ours, claim.unit),
        Cell(
            f"{claim.error_percent:+.1f}",
            f"bound {claim.bound_percent:g}",
            value=claim.error_percent,
        ),
        Cell("yes" if claim.within else "no", claim.note, tone),
        Cell(claim.mark),
        Cell(ABSENT if other is None else f"{other:+.1f}", claim.alternative),
    ]


def _published(claim: Claim) -> str:
    if claim.published is not None:
        return digits(claim.published)
    assert claim.published_low is not None
    assert claim.published_high is not None
    return f"{digits(claim.published_low)} to {digits(claim.published_high)}"
