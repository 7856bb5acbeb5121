"""From a run to its report."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from planecast.errors import InputError
from planecast.report.comparison_page import comparison_page
from planecast.report.html import page_html
from planecast.report.load_curve_page import load_curve_page
from planecast.report.page import Page
from planecast.report.results_page import results_page
from planecast.report.search_page import search_page
from planecast.report.sensitivity_page import sensitivity_page
from planecast.report.series_drawings import series_drawings
from planecast.report.survey_page import survey_page
from planecast.report.validation_page import validation_page
from planecast.report.warnings import partial_warning
from planecast.results import Result, ResultSet, RunDirectory, read_parquet
from planecast.results.atomic import write_text
from planecast.results.compare import side_by_side
from planecast.results.content import Content, results_of
from planecast.results.load_curve import LoadCurve
from planecast.results.run_ref import Picked
from planecast.results.search import SearchAnswer
from planecast.results.sensitivity import Sensitivity
from planecast.results.store import PARTIAL, SERIES, SWEEP, TRIALS
from planecast.results.survey import SurveyAnswer
from planecast.results.trials import Columns
from planecast.results.validation import Validation
from planecast.scenario.read_file import read_model

if TYPE_CHECKING:
    from planecast.search.question import Question

REPORT = "report.html"
"""Where a run's report is, in the run's folder."""
COMPARISON = "comparison.html"
"""Where the report of several runs is, in the last one's folder."""


def write_report(run: RunDirectory, path: Path | None = None) -> Path:
    """Write the report of a run, by default as ``report.html`` in its folder; where it is.

    Raises InputError when the run holds no result, RunError for what the disk refuses.
    """
    content = run.read()
    if not (
        isinstance(content, Result | Sensitivity | SearchAnswer | SurveyAnswer) or _parts(content)
    ):
        raise InputError("the run holds no result", str(run.path), "make it again")
    target = path or run.path / REPORT
    if (run.path / SWEEP).is_file():
        write_text(target, page_html(_with_partial(_sweep_page(run), _why_partial(run))))
        return target
    trials, question = None, None
    if isinstance(content, SearchAnswer):
        trials, question = _columns(run, TRIALS), _question(run)
    series = _columns(run, SERIES)
    write_text(target, report_html(content, _why_partial(run), series, trials, question))
    return target


def _question(run: RunDirectory) -> Question | None:
    """What a search was asked; None where its run has nothing that this version reads."""
    from planecast.search.question import QUESTION, Question

    try:
        return read_model(run.path / QUESTION, Question, "the question")
    except InputError:
        return None


def _columns(run: RunDirectory, name: str) -> Columns | None:
    """A table that the run kept, if it kept one."""
    path = run.path / name
    return read_parquet(path) if path.is_file() else None


def write_comparison(runs: Sequence[Picked], path: Path | None = None) -> Path:
    """Write several runs side by side, by default as ``comparison.html`` in the last one's folder.

    Raises InputError when two have no scenario in common, RunError for what the disk refuses.
    """
    target = path or runs[-1].run.path / COMPARISON
    write_text(target, page_html(comparison_page(runs, side_by_side(runs))))
    return target


def report_html(
    content: Content,
    partial: str | None = None,
    series: Columns | None = None,
    trials: Columns | None = None,
    question: Question | None = None,
) -> str:
    """The report of what a ``result.json`` holds; `partial` says why the run is not complete,
    `series` is what it looked like over time, `trials` and `question` are a search's."""
    if isinstance(content, SearchAnswer):
        page = search_page(content, trials, question)
    else:
        page = _page(content)
    if series is not None:
        page = replace(page, sections=[*page.sections, *series_drawings(series)])
    return page_html(_with_partial(page, partial))


def _sweep_page(run: RunDirectory) -> Page:
    from planecast.report.sweep_page import sweep_page  # loads the model: no other page needs it
    from planecast.sweep import read_job

    return sweep_page(read_job(run), results_of(run.read()), read_parquet(run.path / SWEEP))


def _with_partial(page: Page, partial: str | None) -> Page:
    if partial is None:
        return page
    return replace(page, warnings=[partial_warning(partial), *page.warnings])


def _page(
    content: Validation | LoadCurve | Sensitivity | ResultSet | Result | SurveyAnswer,
) -> Page:
    if isinstance(content, SurveyAnswer):
        return survey_page(content)
    if isinstance(content, Validation):
        return validation_page(content)
    if isinstance(content, LoadCurve):
        return load_curve_page(content)
    if isinstance(content, Sensitivity):
        return sensitivity_page(content)
    return results_page(content.results if isinstance(content, ResultSet) else [content])


def _parts(content: Validation | LoadCurve | ResultSet) -> int:
    if isinstance(content, Validation):
        return len(content.points)
    return len(content.loads if isinstance(content, LoadCurve) else content.results)


def _why_partial(run: RunDirectory) -> str | None:
    """What the partial mark says; None for a complete run."""
    if not run.partial:
        return None
    try:
        return (run.path / PARTIAL).read_text(encoding="utf-8", errors="replace").strip()
    except OSError:
        return ""  # completed just now, or not ours to read: the mark was there
