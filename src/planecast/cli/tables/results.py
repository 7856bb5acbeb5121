"""Results as a table: a row a scenario, the same for every engine."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from planecast.cli.tables.basis import basis_notes
from planecast.cli.tables.sheet import Column, Sheet, estimate_text
from planecast.results import Estimate, Result, ResultSet
from planecast.results.columns import Column as ResultColumn
from planecast.results.columns import Form, answer_keys, in_terminal, stored_row
from planecast.results.sentences import once


def results_sheet(
    results: Sequence[Result],
    labels: Sequence[str],
    run: Path | None = None,
    answers: Sequence[Estimate] | None = None,
) -> Sheet:
    """The table of results. Intervals are 95 %; notes follow, then the run's folder.

    `answers` are what the calibration's uncertainty is judged by; by default the results' cycles.
    """
    notes = once(
        (label, [note for note in result.notes if not note.startswith("pages of")])
        for label, result in zip(labels, results, strict=True)
    )
    pages = dict.fromkeys(note for r in results for note in r.notes if note.startswith("pages of"))
    kind = results[0].cycles_per_packet.kind if results else ""
    if answers is None:
        answers = [result.cycles_per_packet for result in results]
    foot = basis_notes(results[0].manifest, answers) if results else []
    foot += [f"{kind}; 95 % intervals" + "".join(f"; {page}" for page in pages)]
    if run is not None:
        foot.append(f"run: {run}")
    rows = [
        {"scenario": label, **_row(result)} for label, result in zip(labels, results, strict=True)
    ]
    return Sheet(_columns(), rows, ResultSet(results=tuple(results)), notes=[*notes, *foot])


def _columns() -> list[Column]:
    """Those of the registry that a terminal shows, the cycles of stages, and what is stored."""
    return [
        Column("scenario", "scenario"),
        *(
            Column(f"{one.name} shown", one.header, one.form is not Form.TEXT, people_only=True)
            for one in in_terminal()
        ),
        Column("stages", "cycles by stage", people_only=True),
        *map(Column, answer_keys()),
    ]


def _row(result: Result) -> dict[str, Any]:
    stages = [
        f"{name} {stage.cycles_per_packet.value:.1f}"
        for name, stage in result.stages.items()
        if stage.cycles_per_packet is not None
    ]
    shown = {f"{one.name} shown": _text(one, one.read(result)) for one in in_terminal()}
    return stored_row(result) | shown | {"stages": ", ".join(stages)}


def _text(column: ResultColumn, value: Any) -> str:
    """A value as a person reads it."""
    if column.is_metric:
        return estimate_text(value, column.scale)
    if column.form is Form.SHARE:
        return "" if value is None else f"{100 * value:.0f} %"
    return str(value or "")
