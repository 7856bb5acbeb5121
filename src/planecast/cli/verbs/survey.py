"""``planecast survey FILE``: data planes side by side, as the documents' tables have them."""

from __future__ import annotations

import os
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from planecast.cli.shared.options import (
    FormatOption,
    OutputOption,
    RunsOption,
    SetOption,
    overrides,
)
from planecast.cli.shared.output import emit
from planecast.cli.shared.progress import progress_bar
from planecast.cli.shared.resume import kept_hint
from planecast.cli.tables.survey import setting_text, survey_sheet
from planecast.errors import InputError

if TYPE_CHECKING:
    from planecast.results.survey import Score, SurveyAnswer, SurveyPoint
    from planecast.scenario.survey import Survey
    from planecast.search.feasible_points import Case


StudyArgument = Annotated[
    Path, typer.Argument(metavar="SURVEY", help="A survey's YAML file, as studies/flows.yaml.")
]
CoremarkOption = Annotated[
    Path | None,
    typer.Option(
        "--coremark",
        metavar="PROGRAM",
        help="Your CoreMark, run as well: the documents' compute reference.",
    ),
]
EarlierOption = Annotated[
    str | None,
    typer.Option(
        "--fill-from",
        metavar="RUN",
        help="Takes what can't be measured now from an earlier run of the same survey.",
    ),
]
DryRunOption = Annotated[
    bool, typer.Option("--dry-run", help="Says what would be measured, and what not and why.")
]


def survey(
    study: StudyArgument,
    coremark: CoremarkOption = None,
    earlier: EarlierOption = None,
    dry_run: DryRunOption = False,
    settings: SetOption = None,
    runs: RunsOption = None,
    form: FormatOption = None,
    output: OutputOption = None,
) -> None:
    """Measure several data planes under what varies: threads, cores, clock, flows.

    What this machine can't vary is printed, with the reason. Ends with the documents' table and the
    path of a page with the figures.
    """
    from planecast.report import write_report
    from planecast.results import RunDirectory, collect_manifest, runs_folder
    from planecast.results.survey import SurveyAnswer
    from planecast.scenario.survey import load_survey
    from planecast.search.feasible_points import cases
    from planecast.search.survey import ceilings_of, filled, not_varied, survey_points

    found = load_survey(study, overrides(settings))
    ceilings = ceilings_of(found)
    due = list(cases(found, sorted(os.sched_getaffinity(0))))
    root = runs_folder(runs)
    filling = _earlier(earlier, root)
    if dry_run:
        _print_cases(due)
        return
    score = None if coremark is None else _score(coremark, found)
    manifest = collect_manifest("measure", found.scenarios[0].traffic.seed)

    def kept(points: Sequence[SurveyPoint]) -> SurveyAnswer:
        whole = filled(points, filling)
        answer = SurveyAnswer(
            name=found.file.name,
            question=found.file.question,
            document=found.file.document,
            points=tuple(whole),
            ceilings=ceilings,
            coremark=score,
            not_varied=tuple(not_varied(whole)),
            manifest=manifest,
        )
        run.write_result(answer)
        return answer

    run = RunDirectory.create(root, "survey", found.file.name)
    with kept_hint(run), run, progress_bar("surveying") as progress:
        answer = kept(survey_points(found, due, run.path, manifest, progress=progress, keep=kept))
    emit(survey_sheet(answer, run.path, write_report(run)), form, output)


def _print_cases(due: Sequence[Case]) -> None:
    from planecast.search.survey import point_of

    for case in due:
        plan = f"by {case.subject.by} on CPU {case.scenario.placement.cpus}"
        why = f"not here: {case.why_not}" if case.why_not else plan
        typer.echo(f"{case.subject.label}, {setting_text(point_of(case))}: {why}")


def _earlier(named: str | None, root: Path) -> tuple[SurveyPoint, ...]:
    """Points of an earlier run. Raises InputError when it is no survey's."""
    from planecast.results import find_run
    from planecast.results.survey import SurveyAnswer

    if named is None:
        return ()
    content = find_run(named, root).read()
    if not isinstance(content, SurveyAnswer):
        raise InputError(
            "this run is not a survey", f"--fill-from {named}", "name one of this survey"
        )
    return content.points


def _score(program: Path, found: Survey) -> Score:
    """CoreMark on the CPU that forwards. Raises as `run_coremark`."""
    from planecast.instruments.coremark import run_coremark
    from planecast.results.survey import Score
    from planecast.scenario.host_cpus import cpus_here

    cpu = cpus_here(found.scenarios[0])[0]
    score = run_coremark(program, cpu if cpu in os.sched_getaffinity(0) else None)
    return Score(
        program=str(program),
        iterations_per_s=score.iterations_per_s,
        compiler=score.compiler,
        flags=score.flags,
    )
