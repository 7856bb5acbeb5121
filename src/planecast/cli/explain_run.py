"""Explaining a run that is there: what the verb does with a RUN."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from planecast.cli.calibration_run import calibration_of
from planecast.errors import InputError

if TYPE_CHECKING:
    from planecast.engines.solve import Calibration
    from planecast.explain import Difference, Explanation


def explain_run(
    run: str, root: Path, calibration: str | None
) -> tuple[Explanation, Calibration | None]:
    """The explanation of a run, and the calibration it was made with; ``RUN#2`` is a run's second
    result.

    The calibration is the one named, else the run's own, else the latest; without any, causes are
    not told. Raises InputError for a run or a calibration that isn't there.
    """
    from planecast.explain import explain_case
    from planecast.explain.cases import case_of, own_calibration
    from planecast.results import find_run, picked

    name, position = picked(run)
    folder = find_run(name, root)
    chosen = calibration or own_calibration(folder)
    try:
        model = calibration_of(chosen, root)
    except InputError:
        if chosen is not None:
            raise
        model = None
    return explain_case(case_of(folder, position, model)), model


def write_page(path: Path, found: Explanation, moved: Difference | None) -> None:
    """Write the page of an explanation, and say where it is. Raises RunError for a full disk."""
    import typer

    from planecast.report.explanation_page import explanation_html
    from planecast.results.atomic import write_text

    write_text(path, explanation_html(found, moved))
    typer.echo(path)
