"""``planecast survey FILE``: data planes side by side, as the documents' tables have them."""

from __future__ import annotations

import os
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from planecast.cli.going_on import told_what_is_kept
from planecast.cli.options import FormatOption, OutputOption, RunsOption, SetOption, overrides
from planecast.cli.output import Column, Sheet, emit, estimate_text
from planecast.cli.progress import progress_bar
from planecast.errors import InputError

if TYPE_CHECKING:
    from planecast.results import Estimate, SurveyAnswer, SurveyPoint
    from planecast.results.survey import Score
    from planecast.scenario.survey import Survey

_COLUMNS = (
    Column("label", "data plane"),
    Column("setting", "setting"),
    Column("pps", "Mpps", number=True),
    Column("cycles_per_packet", "CPP", number=True),
    Column("instructions_per_packet", "IPP", number=True),
    Column("ipc", "IPC", number=True),
    Column("split", "I/O + processing + other", number=True),
    Column("capped_by", "capped by"),
)


def register(app: typer.Typer) -> None:
    """Add the verb to `app`."""
    app.command()(survey)


def survey(
    study: Annotated[
        Path, typer.Argument(metavar="SURVEY", help="A survey's YAML file, as studies/flows.yaml.")
    ],
    coremark: Annotated[
        Path | None,
        typer.Option(
            "--coremark",
            metavar="PROGRAM",
            help="Your CoreMark, run beside: the documents' compute reference.",
        ),
    ] = None,
    beside: Annotated[
        str | None,
        typer.Option(
            "--beside",
            metavar="RUN",
            help="Takes what can't be measured now from an earlier run of the same survey.",
        ),
    ] = None,
    dry_run: Annotated[
        bool, typer.Option("--dry-run", help="Says what would be measured, and what not and why.")
    ] = False,
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
    from planecast.results import RunDirectory, SurveyAnswer, collect_manifest, runs_folder
    from planecast.scenario.survey import load_survey
    from planecast.search.survey import ceilings_of, filled, not_varied, point_of, survey_points
    from planecast.search.variation import cases

    found = load_survey(study, overrides(settings))
    ceilings = ceilings_of(found)
    due = list(cases(found, sorted(os.sched_getaffinity(0))))
    root = runs_folder(runs)
    earlier = _earlier(beside, root)
    if dry_run:
        for case in due:
            plan = f"by {case.subject.by} on CPU {case.scenario.placement.lcores}"
            why = f"not here: {case.why_not}" if case.why_not else plan
            typer.echo(f"{case.subject.label}, {setting_text(point_of(case))}: {why}")
        return
    score = None if coremark is None else _score(coremark, found)
    manifest = collect_manifest("measure", found.scenarios[0].traffic.seed)

    def answer_of(points: Sequence[SurveyPoint]) -> SurveyAnswer:
        whole = filled(points, earlier)
        return SurveyAnswer(
            name=found.file.name,
            question=found.file.question,
            document=found.file.document,
            points=tuple(whole),
            ceilings=ceilings,
            coremark=score,
            not_varied=tuple(not_varied(whole)),
            manifest=manifest,
        )

    run = RunDirectory.create(root, "survey", found.file.name)
    with told_what_is_kept(run), run, progress_bar("surveying") as progress:
        points = survey_points(
            found,
            due,
            run.path,
            manifest,
            progress=progress,
            keep=lambda so_far: _kept(run, answer_of(so_far)),
        )
        answer = answer_of(points)
        run.write_result(answer)
    emit(survey_sheet(answer, run.path, write_report(run)), form, output)


def _kept(run: Any, answer: SurveyAnswer) -> None:
    run.write_result(answer)


def _earlier(named: str | None, root: Path) -> tuple[SurveyPoint, ...]:
    """Points of an earlier run. Raises InputError when it is no survey's."""
    from planecast.results import SurveyAnswer, find_run

    if named is None:
        return ()
    content = find_run(named, root).read()
    if not isinstance(content, SurveyAnswer):
        raise InputError("this run is no survey", f"--beside {named}", "name one of this survey")
    return content.points


def _score(program: Path, found: Survey) -> Score:
    """CoreMark on the CPU that forwards. Raises as `run_coremark`."""
    from planecast.instruments.coremark import run_coremark
    from planecast.results.survey import Score

    cpu = found.scenarios[0].placement.cpus[0]
    score = run_coremark(program, cpu if cpu in os.sched_getaffinity(0) else None)
    return Score(
        program=str(program),
        iterations_per_s=score.iterations_per_s,
        compiler=score.compiler,
        flags=score.flags,
    )


def survey_sheet(answer: SurveyAnswer, run: Path, page: Path) -> Sheet:
    """The table of all points, then what was not varied, then where it is."""
    rows = [_row(point) for point in answer.points if point.measured]
    cells = [_cells(point) for point in answer.points if point.measured]
    notes = []
    if answer.coremark is not None:
        score = answer.coremark
        notes.append(f"CoreMark: {score.iterations_per_s:,.0f} iterations/s ({score.program})")
    notes += [f"not varied: {why}" for why in answer.not_varied]
    notes += [*answer.notes, f"run: {run}", f"report: {page}"]
    title = f"{answer.question} {answer.document}".strip()
    return Sheet(_COLUMNS, rows, cells, answer, title=title, notes=notes)


def setting_text(point: SurveyPoint) -> str:
    """What was varied, in words."""
    words = [f"{point.cores} core{'s' if point.cores > 1 else ''}"]
    words.append("HT" if point.threads == 2 else "noHT")
    words.append(f"{point.flows:,} flows")
    if point.ghz is not None:
        words.append(f"{point.ghz:g} GHz")
    return ", ".join(words)


def _row(point: SurveyPoint) -> dict[str, Any]:
    def value(estimate: Estimate | None) -> float | None:
        return None if estimate is None else estimate.value

    split = point.split
    return {
        "label": point.label,
        "setting": setting_text(point),
        "pps": point.pps,
        "cycles_per_packet": value(point.cycles_per_packet),
        "instructions_per_packet": value(point.instructions_per_packet),
        "ipc": value(point.ipc),
        "split": None if split is None else f"{split.io}+{split.processing}+{split.other}",
        "capped_by": point.capped_by,
    }


def _cells(point: SurveyPoint) -> dict[str, str]:
    split = point.split
    name = next((name for name in ("throughput", "NDR", "PDR", "MRR") if name in point.rates), "")
    return {
        "label": point.label,
        "setting": setting_text(point),
        "pps": f"{estimate_text(point.rates[name], 1e6)} {name}" if name else "–",
        "cycles_per_packet": estimate_text(point.cycles_per_packet),
        "instructions_per_packet": estimate_text(point.instructions_per_packet),
        "ipc": estimate_text(point.ipc),
        "split": "–"
        if split is None
        else f"{split.io:.0f} + {split.processing:.0f} + {split.other:.0f}",
        "capped_by": point.capped_by,
    }
