"""Explaining a run that is there: what the verb does with a RUN, and ``measure --explain``."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from planecast.cli.shared.calibration import calibration_if_any
from planecast.cli.shared.options import Format
from planecast.cli.shared.output import chosen_format, emit, page_path, write_page

if TYPE_CHECKING:
    from planecast.explain import Explanation
    from planecast.model.calibration import Calibration


def explain_run(
    run: str, root: Path, calibration: str | None, *, apart: bool = True
) -> tuple[Explanation, Calibration | None]:
    """The explanation of a run, and the calibration it was made with; ``RUN#2`` is a run's second
    result.

    The calibration is the one named, else the run's own, else the latest of its network function;
    without any, causes are not shown. `apart`: frontend and speculation are separated from the
    core's other cycles, as bounds, of which a comparison could reveal nothing. Raises InputError
    for a run or a calibration that isn't there.
    """
    from planecast.explain.explain_inputs import (
        explained_run,
        latest_explicable,
        own_calibration,
        workload_kind,
    )
    from planecast.results import find_run, picked

    name, position = picked(run)
    folder = latest_explicable(root) if name == "latest" else find_run(name, root)
    own = own_calibration(folder)
    chosen = calibration or own.run
    kind = workload_kind(folder, position)
    model, _ = calibration_if_any(chosen, root, kind)
    if model is not None and calibration is None and chosen is not None:
        model = model._replace(basis=model.basis.model_copy(update={"choice": "own"}))
    if model is not None and kind not in (None, model.model.kind) and not model.model.counted:
        model = model._replace(basis=model.basis.of_machine())
    found = explained_run(folder, position, model, apart=apart)
    if calibration is None and (note := own.note(model.basis.run if model is not None else "")):
        found = found.model_copy(update={"notes": (note, *found.notes)})
    newest = find_run(name, root).path.name if name == "latest" else folder.path.name
    if newest != folder.path.name:
        note = f"{newest} is newer, and has nothing to explain"
        found = found.model_copy(update={"notes": (note, *found.notes)})
    return found, model.model if model is not None else None


def answer_run(
    run: str,
    against: str | None,
    calibration: str | None,
    runs: Path | None,
    form: Format | None,
    output: Path | None,
) -> None:
    """Print or write the explanation of a run, or how it differs from another.

    Raises InputError for a run or a calibration that isn't there.
    """
    from planecast.cli.tables.explanation import difference_sheet, explanation_sheet
    from planecast.explain import compare_explanations
    from planecast.explain.counters import is_published
    from planecast.results import runs_folder

    root = runs_folder(runs)
    if (
        against is None
        and page_path(form, output) is None
        and _answer_ports(run, root, form, output)
    ):
        return
    found, model = explain_run(run, root, calibration)
    if against is not None and is_published(against):
        _answer_published(found, against, form, output)
        return
    moved = None
    if against is not None:
        whole, _ = explain_run(run, root, calibration, apart=False)
        other, its_model = explain_run(against, root, calibration, apart=False)
        moved = compare_explanations(whole, other, model if model == its_model else None)
    page = page_path(form, output)
    if page is not None:
        from planecast.report.explanation_page import explanation_html

        write_page(page, explanation_html(found, moved))
        return
    people = chosen_format(form, output) == "table"
    sheet = explanation_sheet(found, people=people) if moved is None else difference_sheet(moved)
    emit(sheet, form, output)


def _answer_ports(run: str, root: Path, form: Format | None, output: Path | None) -> bool:
    """Print or write the port costs of a run of ``machine ports``; False for any other run."""
    from planecast.cli.tables.port_costs import port_costs_sheet
    from planecast.results import find_run
    from planecast.results.port_costs import PORT_COSTS, PortCosts
    from planecast.scenario.read_file import read_model

    folder = None if run == "latest" or "#" in run else find_run(run, root).path
    if folder is None or not (folder / PORT_COSTS).is_file():
        return False
    costs = read_model(folder / PORT_COSTS, PortCosts, "the port costs", "measure them again")
    emit(port_costs_sheet(costs, folder), form, output)
    return True


def _answer_published(
    found: Explanation, row: str, form: Format | None, output: Path | None
) -> None:
    """Print or write how a published row differs from a run: what of it can be computed."""
    from planecast.cli.tables.counters import difference_sheet
    from planecast.explain.counters import as_counters, compare_counters, explain_published

    own = as_counters(found)
    moved = compare_counters(own, explain_published(row))
    page = page_path(form, output)
    if page is not None:
        from planecast.report.counters_page import counters_html

        write_page(page, counters_html(own, moved))
        return
    emit(difference_sheet(moved), form, output)
