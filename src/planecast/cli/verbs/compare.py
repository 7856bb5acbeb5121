"""``planecast compare A B …``: runs side by side."""

from __future__ import annotations

from string import ascii_uppercase
from typing import TYPE_CHECKING, Annotated, Any

import typer

from planecast.cli.shared.options import FormatOption, OutputOption, RunsOption
from planecast.cli.shared.output import emit
from planecast.cli.tables.sheet import Column, Sheet, Worded, estimate_text
from planecast.errors import InputError
from planecast.results.columns import metrics

if TYPE_CHECKING:
    from planecast.results.compare import SideBySide

_RUN = (
    "A run's folder or result.json, its name under the runs folder, or latest; #2: its 2nd result, "
    "#64B-1t1c-ip4: those of that name."
)


def compare(
    a: Annotated[str, typer.Argument(metavar="A", help=_RUN)],
    others: Annotated[list[str], typer.Argument(metavar="B…", help="The same; each against A.")],
    margin: Annotated[
        float,
        typer.Option(
            "--margin",
            min=0.0,
            max=100.0,
            metavar="PERCENT",
            help="Ratios within this are the same.",
        ),
    ] = 1.0,
    runs: RunsOption = None,
    form: FormatOption = None,
    output: OutputOption = None,
) -> None:
    """Runs side by side: each metric, its ratio to A's, and a verdict where both have intervals.

    Same is said only when the whole interval of the ratio lies within the margin; where neither
    that nor a difference is shown, the verdict is undecided. Runs with several results are compared
    scenario by scenario. `planecast report A B` draws them.
    """
    from planecast.results import runs_folder
    from planecast.results.compare import side_by_side
    from planecast.results.run_ref import pick

    if len(others) >= len(ascii_uppercase):
        raise InputError(
            f"got {1 + len(others)} runs", "compare", "name 26 at most, or see history"
        )
    root = runs_folder(runs)
    picked = [pick(text, root) for text in (a, *others)]
    found = side_by_side(picked, margin=margin / 100)
    scenarios = list(dict.fromkeys(one.scenario for one in found))
    alone = len(scenarios) == 1
    rows = [row for one in found for row in _rows(one)]
    document = {
        "a": str(picked[0].run.path),
        **{_letter(n): str(picked[n].run.path) for n in range(1, len(picked))},
        "margin_percent": margin,
        "comparisons": [
            {
                "run": one.name,
                "scenario": one.scenario,
                **one.comparison.model_dump(mode="json"),
            }
            for one in found
        ],
    }
    notes = [*_units(found), *_notes(found)]
    columns = _columns(len(picked), alone=alone)
    sheet = Sheet(columns, rows, document, title=scenarios[0] if alone else "", notes=notes)
    emit(sheet, form, output)


def _letter(number: int) -> str:
    return ascii_uppercase[number].lower()


def _columns(runs: int, *, alone: bool) -> list[Column]:
    """Two runs are A and B; of more, a column says which one is compared with A. A scenario that is
    `alone` is the title."""
    two = runs == 2
    return [
        Column("scenario", None if alone else "scenario"),
        Column("metric", "metric"),
        *([] if two else [Column("run", "run")]),
        Column("a", "A", number=True),
        Column("b", "B" if two else "run", number=True),
        Column(
            "ratio",
            "B/A" if two else "run/A",
            number=True,
            absent="–",
            ends=("ratio_low", "ratio_high"),
        ),
        Column("verdict", "verdict"),
    ]


def _notes(found: list[SideBySide]) -> list[str]:
    notes = list(dict.fromkeys(note for one in found for note in one.comparison.notes))
    for one in found:
        for key, (left, right) in one.comparison.differences.items():
            notes.append(f"{one.scenario}: {key}: {left} in A, {right} in {one.name}")
    return notes


def _rows(one: SideBySide) -> list[dict[str, Any]]:
    return [
        {
            "scenario": one.scenario,
            "metric": Worded(row.metric, _metric(row.metric)),
            "run": one.name,
            "a": Worded(row.a, estimate_text(row.a, _scale(row.metric))),
            "b": Worded(row.b, estimate_text(row.b, _scale(row.metric))),
            "ratio": row.ratio,
            "verdict": row.verdict,
        }
        for row in one.comparison.rows
    ]


def _metric(name: str) -> str:
    """``acl.cycles_per_packet`` as the table has it: ``acl cycles``."""
    stage, _, metric = name.rpartition(".")
    column = metrics()[metric]
    return f"{stage} {column.title if column.scale == 1 else column.header}".strip()


def _scale(name: str) -> float:
    return metrics()[name.rpartition(".")[2]].scale


def _units(found: list[SideBySide]) -> list[str]:
    """What the table's metrics are in, where their names don't say it."""
    names = {row.metric.rpartition(".")[2] for one in found for row in one.comparison.rows}
    shown = [column for name, column in metrics().items() if name in names and column.scale == 1]
    return ["; ".join(f"{one.title}: {one.header or one.unit}" for one in shown)] if shown else []
