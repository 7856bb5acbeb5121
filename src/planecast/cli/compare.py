"""``planecast compare A B``: two runs side by side."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any

import typer

from planecast.cli.options import FormatOption, OutputOption, RunsOption
from planecast.cli.output import Column, Sheet, chosen_format, emit, estimate_text
from planecast.errors import InputError

if TYPE_CHECKING:
    from planecast.results import Comparison, Result, RunDirectory

_COLUMNS = (
    Column("scenario", "scenario"),
    Column("metric", "metric"),
    Column("a", "A", number=True),
    Column("b", "B", number=True),
    Column("ratio", "B/A", number=True),
    Column("ratio_low", "", number=True),
    Column("ratio_high", "", number=True),
    Column("verdict", "verdict"),
)
_SHOWN = tuple(column for column in _COLUMNS if column.header)

_RUN = "A run's folder or result.json, its name under the runs folder, or latest; #2: 2nd result."


def register(app: typer.Typer) -> None:
    """Add the verb to `app`."""
    app.command()(compare)


def compare(
    a: Annotated[str, typer.Argument(metavar="A", help=_RUN)],
    b: Annotated[str, typer.Argument(metavar="B", help="The same.")],
    runs: RunsOption = None,
    form: FormatOption = None,
    output: OutputOption = None,
) -> None:
    """Two runs side by side: each metric, its ratio, and a verdict where both have intervals.

    Runs with several results are compared scenario by scenario.
    """
    from planecast.results import compare as compare_results
    from planecast.results import find_run, picked, runs_folder

    root = runs_folder(runs)
    (run_a, picked_a), (run_b, picked_b) = picked(a), picked(b)
    folder_a, folder_b = find_run(run_a, root), find_run(run_b, root)
    together = folder_a.path.resolve() == folder_b.path.resolve()
    pairs = _pairs(_results(folder_a, picked_a), _results(folder_b, picked_b))
    found = [(name, compare_results(x, y, interleaved=together)) for name, x, y in pairs]
    rows = [row for name, comparison in found for row in _rows(name, comparison)]
    cells = [row for name, comparison in found for row in _cells(name, comparison)]
    notes = list(dict.fromkeys(note for _, comparison in found for note in comparison.notes))
    for name, comparison in found:
        for key, (left, right) in comparison.differences.items():
            notes.append(f"{name}: {key}: {left} in A, {right} in B")
    document = {
        "a": str(folder_a.path),
        "b": str(folder_b.path),
        "comparisons": [
            {"scenario": name, **comparison.model_dump(mode="json")} for name, comparison in found
        ],
    }
    columns = _SHOWN if chosen_format(form, output) == "table" else _COLUMNS
    emit(Sheet(columns, rows, cells, document, notes=notes), form, output)


def _results(run: RunDirectory, picked: int | None) -> list[Result]:
    from planecast.results import results_of

    results = results_of(run.read())
    if picked is None:
        return results
    if picked >= len(results):
        raise InputError(
            f"there is no result #{picked + 1}", str(run.path), f"the run has {len(results)}"
        )
    return [results[picked]]


def _pairs(a: list[Result], b: list[Result]) -> list[tuple[str, Result, Result]]:
    """Results to compare: the only ones of both runs, else those of equal scenarios."""
    if len(a) == len(b) == 1:
        return [(a[0].scenario.name, a[0], b[0])]
    from planecast.scenario import point_label, value_at

    keys = _varied([result.scenario for result in (*a, *b)])
    pairs = []
    for left in a:
        for right in b:
            if left.scenario == right.scenario:
                label = point_label({key: value_at(left.scenario, key) for key in keys})
                pairs.append((label, left, right))
                break
    if not pairs:
        raise InputError(
            "the two runs have no scenario in common",
            "compare",
            "pick one result of each, as in RUN#1",
        )
    return pairs


def _varied(scenarios: list[Any]) -> list[str]:
    """The keys in which these scenarios are not all alike."""
    from planecast.scenario import SCENARIO_KEYS, value_at

    return [key for key in SCENARIO_KEYS if len({value_at(s, key) for s in scenarios}) > 1]


def _rows(name: str, comparison: Comparison) -> list[dict[str, Any]]:
    return [
        {
            "scenario": name,
            "metric": row.metric,
            "a": row.a.value,
            "b": row.b.value,
            "ratio": row.ratio.value if row.ratio else None,
            "ratio_low": row.ratio.low if row.ratio else None,
            "ratio_high": row.ratio.high if row.ratio else None,
            "verdict": row.verdict,
        }
        for row in comparison.rows
    ]


def _cells(name: str, comparison: Comparison) -> list[dict[str, str]]:
    return [
        {
            "scenario": name,
            "metric": row.metric,
            "a": estimate_text(row.a),
            "b": estimate_text(row.b),
            "ratio": estimate_text(row.ratio),
            "verdict": row.verdict,
        }
        for row in comparison.rows
    ]
