"""``planecast search SCENARIO``: the highest loads that a data plane takes."""

from __future__ import annotations

import time
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal

import typer

from planecast.cli.shared.option_rules import Excludes, Needs
from planecast.cli.shared.options import (
    DryRunOption,
    FormatOption,
    OutputOption,
    RunsOption,
    SeedOption,
    SetOption,
    overrides,
)
from planecast.cli.shared.output import emit
from planecast.cli.shared.progress import progress_bar
from planecast.cli.shared.resume import ResumeOption, only_resumes, resume_hint, resumed_run
from planecast.cli.shared.search_args import rate_pps, rates_pps, shares, usual_trial_s
from planecast.errors import EXIT_FAILED, InputError

if TYPE_CHECKING:
    from planecast.results import Manifest, RunDirectory
    from planecast.results.search import SearchAnswer
    from planecast.search.question import Question
    from planecast.search.tester import Tester

MethodName = Literal["mlr", "rfc2544", "back-to-back", "loss-curve", "latency", "soak", "mrr"]
EngineName = Literal["measure", "simulate"]

_THROUGHPUT = ("--method rfc2544", "--method latency", "--method soak", "--method back-to-back")
"""Methods that search the throughput, all but the first where no rate is named."""

ScenarioArgument = Annotated[
    Path | None,
    typer.Argument(metavar="SCENARIO", help="A scenario's YAML file.", show_default=False),
]
MethodOption = Annotated[
    MethodName,
    typer.Option(
        "--method",
        help="mlr: NDR and PDR by MLRsearch. rfc2544: "
        "binary search. back-to-back: RFC 9004. loss-curve, latency (at 10, 50 and 90 % of the "
        "throughput), soak, mrr (what comes back at the highest load).",
    ),
]
EngineOption = Annotated[
    EngineName, typer.Option("--engine", help="Real packets, or the simulator's.")
]
TrialSecondsOption = Annotated[
    float | None,
    typer.Option(
        "--trial-seconds",
        min=0.0001,
        max=86400,
        help="How long a trial sends. Default: 0.02; rfc2544: 20.",
        show_default=False,
    ),
    Excludes("--method back-to-back --rate"),
]
RepetitionsOption = Annotated[
    int,
    typer.Option(
        "--repetitions",
        min=1,
        max=1000,
        help="Whole searches; the data plane restarts. Up to twice as many while starts "
        "differ by more than 3 %.",
    ),
]
LinkGbpsOption = Annotated[
    float, typer.Option("--link-gbps", min=0.001, max=10_000, help="Rate of the link.")
]
MaxRateOption = Annotated[
    str | None,
    typer.Option("--max-rate", metavar="RATE", help="No trial goes above this: 5Mpps."),
]
StartOption = Annotated[
    float,
    typer.Option(
        "--start",
        min=0.001,
        max=100,
        help="rfc2544: the first load, in percent of the highest that may be offered.",
    ),
    Needs(*_THROUGHPUT),
    Excludes("--rate"),
]
TrialsOption = Annotated[
    int | None,
    typer.Option(
        "--trials",
        min=1,
        max=1000,
        help="Trials that a bound (mlr: 21) or a step (else 8) rests on.",
        show_default=False,
    ),
    Excludes("--method soak --rate", "--method back-to-back --rate"),
]
LossOption = Annotated[
    str | None,
    typer.Option(
        "--loss",
        metavar="SHARE",
        help="rfc2544: share to lose less than. Default: 0.01%. soak: the target. Default: 1e-7.",
        show_default=False,
    ),
    Needs(*_THROUGHPUT),
    Excludes("--method latency --rate", "--method back-to-back --rate"),
]
ExceedOption = Annotated[
    str | None,
    typer.Option(
        "--exceed",
        metavar="SHARE",
        help="Share of a load's trials that may lose more. Default: mlr 50%, rfc2544 none.",
        show_default=False,
    ),
    Needs("--method mlr", *_THROUGHPUT),
    Excludes("--rate"),
]
ExpectOption = Annotated[
    str | None,
    typer.Option(
        "--expect",
        metavar="LOW..HIGH",
        help="The predicted rate: mlr begins there. Such as 5.8Mpps..6.4Mpps.",
        show_default=False,
    ),
    Needs("--method mlr"),
]
RateOption = Annotated[
    str | None,
    typer.Option(
        "--rate",
        metavar="RATE",
        help="latency, soak, back-to-back: at this rate; else at the throughput that is searched "
        "first.",
    ),
    Needs(*_THROUGHPUT[1:]),
]
SoakSecondsOption = Annotated[
    float,
    typer.Option("--soak-seconds", min=0.001, max=1e7, help="Length of a soak."),
    Needs("--method soak"),
]
CalibrationOption = Annotated[
    str | None,
    typer.Option(
        "--calibration",
        metavar="RUN",
        help="simulate: what the model is calibrated by. measure: predicts where mlr begins.",
    ),
    Needs("--engine simulate", "--method mlr"),
]
CpuOption = Annotated[
    int | None,
    typer.Option("--generator-cpu", min=0, help="measure: CPU that sends."),
    Needs("--engine measure"),
]
TelemetryOption = Annotated[
    str,
    typer.Option(
        "--telemetry",
        metavar="WHAT",
        help="measure: what looks at the found rates, after the search: auto, none, or some of "
        "cycles, perf, callgrind, singlestep, dpdk.",
    ),
    Needs("--engine measure"),
]
MaxSecondsOption = Annotated[
    float | None,
    typer.Option("--max-seconds", min=0.001, help="Stops then; --resume continues."),
]


def search(
    scenario: ScenarioArgument = None,
    method: MethodOption = "mlr",
    engine: EngineOption = "measure",
    trial_seconds: TrialSecondsOption = None,
    repetitions: RepetitionsOption = 4,
    link_gbps: LinkGbpsOption = 10.0,
    max_rate: MaxRateOption = None,
    start: StartOption = 10.0,
    trials: TrialsOption = None,
    loss: LossOption = None,
    exceed: ExceedOption = None,
    expect: ExpectOption = None,
    rate: RateOption = None,
    soak_seconds: SoakSecondsOption = 1800.0,
    calibration: CalibrationOption = None,
    cpu: CpuOption = None,
    telemetry: TelemetryOption = "auto",
    max_seconds: MaxSecondsOption = None,
    resume: Annotated[ResumeOption, only_resumes("search", "--max-seconds", "--dry-run")] = None,
    settings: SetOption = None,
    seed: SeedOption = None,
    runs: RunsOption = None,
    form: FormatOption = None,
    output: OutputOption = None,
    dry_run: DryRunOption = False,
) -> None:
    """Find the highest loads that lose no more than a goal allows: NDR, PDR, throughput, soak.

    Whole searches are repeated, each on a data plane that is restarted. Every trial is kept as
    it ends, so a search that was stopped continues with --resume.
    """
    from planecast.cli.tables.search import search_sheet
    from planecast.results import runs_folder
    from planecast.scenario import load_scenario
    from planecast.search.question import QUESTION, Question

    root = runs_folder(runs)
    run = None
    if resume is not None:
        run = resumed_run("search", resume, root, asked=QUESTION)
        question = _resumed(run)
    else:
        if scenario is None:
            raise InputError("no scenario is named", "search", "name a file, or use --resume RUN")
        question = Question(
            method=method,
            engine=engine,
            scenario=load_scenario(scenario, overrides(settings, seed)),
            repetitions=repetitions,
            trial_seconds=trial_seconds or usual_trial_s(method),
            link_gbps=link_gbps,
            max_pps=rate_pps(max_rate, "--max-rate"),
            start_share=start / 100,
            rate_pps=rate_pps(rate, "--rate"),
            soak_seconds=soak_seconds,
            generator_cpu=cpu,
            calibration=calibration,
            telemetry=telemetry,
            expect_pps=rates_pps(expect, "--expect"),
            **shares(method, trials, loss, exceed),
        )
    outcome = _ask(question, root, run, max_seconds, dry_run=dry_run)
    if outcome is not None:
        answer, folder = outcome
        emit(search_sheet(answer, folder), form, output)
        if answer.invalid:
            raise typer.Exit(EXIT_FAILED)


def _ask(
    question: Question,
    root: Path,
    run: RunDirectory | None,
    max_seconds: float | None,
    *,
    dry_run: bool,
) -> tuple[SearchAnswer, Path] | None:
    """The answer and its run, a new one unless there is one to resume; None of a dry run."""
    from planecast.results import RunDirectory, collect_manifest
    from planecast.search.run import check_question

    manifest = collect_manifest(question.engine, question.scenario.traffic.seed)
    tester, question, manifest = _tester(question, root, manifest)
    check_question(question)
    if dry_run:
        _print_plan(question, tester)
        return None
    try:
        run = run or RunDirectory.create(root, "search", question.scenario.name)
        return _searched(run, question, tester, manifest, max_seconds), run.path
    finally:
        tester.close()


def _print_plan(question: Question, tester: Tester) -> None:
    """What is asked, and every process that a repetition starts."""
    from planecast.cli.shared.dry_run import print_process
    from planecast.search.measured import MeasuredTester

    most = min(question.link_pps, question.max_pps or question.link_pps)
    typer.echo(
        f"# {question.method} on {tester.dataplane}: trials of {question.trial_seconds:g} s at "
        f"{most / 1e6:.4g} Mpps at the most, {question.repetitions} to "
        f"{question.most_repetitions} repetitions"
    )
    if not isinstance(tester, MeasuredTester):
        typer.echo("# nothing is started: the simulator answers")
        return
    planned = tester.planned()
    if not planned:
        typer.echo("# nothing is started: what forwards, and what sends, is there already")
    for process in planned:
        typer.echo("")
        print_process(process, question.repetitions)


def _searched(
    run: RunDirectory,
    question: Question,
    tester: Tester,
    manifest: Manifest,
    max_seconds: float | None,
) -> SearchAnswer:
    """Searches, and keeps every trial and the answer in the run."""
    from planecast.dataplanes.polls import RX
    from planecast.results.between_runs import rate_notes
    from planecast.search.journal import JOURNAL, Journal
    from planecast.search.measured import MeasuredTester
    from planecast.search.question import QUESTION
    from planecast.search.run import search as answer_of
    from planecast.search.session import Session
    from planecast.search.simulated import SimulatedTester
    from planecast.search.without_ports import without_ports

    deadline = float("inf") if max_seconds is None else time.monotonic() + max_seconds
    with (
        resume_hint(run),
        run,
        Journal(run.path / JOURNAL) as journal,
        progress_bar("searching") as progress,
    ):
        run.write_aside(QUESTION, question)
        try:

            def closing(words: str) -> None:
                total = max(question.repetitions, session.repetition + 1)
                progress(session.done, total, words)

            session = Session(tester, journal, question.trial_seconds, deadline, closing)
            watched = tester if isinstance(tester, MeasuredTester) else None
            share = tester.model_share if isinstance(tester, SimulatedTester) else 0.0
            answer = answer_of(question, session, manifest, watched, model_share=share)
            notes = (*answer.notes, *rate_notes(run, answer))
            observed = answer.telemetry
            if RX not in answer.second_opinion:  # its ports were not timed in the search itself
                observed = without_ports(observed, question.scenario, run.path.parent)
            answer = answer.model_copy(update={"notes": notes, "telemetry": observed})
        finally:
            if journal.trials:
                run.write_trials(journal.columns())
        run.write_result(answer)
    return answer


def _resumed(run: RunDirectory) -> Question:
    """The question of a run. Raises InputError when it has none."""
    from planecast.scenario.read_file import read_model
    from planecast.search.question import QUESTION, Question

    return read_model(run.path / QUESTION, Question, "the question")


def _tester(
    question: Question, root: Path, manifest: Manifest
) -> tuple[Tester, Question, Manifest]:
    """The engine as a tester; the question, with its calibration and where the model says to begin;
    the manifest, with the calibration that the answer rests on."""
    from planecast.cli.shared.calibration import calibration_of
    from planecast.search.prediction import predicted_pps
    from planecast.search.simulated import SimulatedTester, refuse_method

    if question.engine == "simulate":
        refuse_method(question.method)
    model, begins = None, False
    if question.engine == "simulate" or question.calibration is not None:
        begins = question.method == "mlr" and question.calibration is not None
        chosen = calibration_of(question.calibration, root, kind=question.scenario.forwards)
        model = chosen.model
        manifest = manifest.model_copy(update={"calibration": chosen.basis})
        # A search that is resumed continues with the same one.
        named = question.calibration or chosen.basis.run
        question = question.model_copy(update={"calibration": named})
    if question.expect_pps is None and model is not None and begins:
        expected = predicted_pps(question.scenario, model, manifest)
        question = question.model_copy(update={"expect_pps": expected})
    if question.engine == "simulate":
        assert model is not None
        return SimulatedTester(question.scenario, model, manifest), question, manifest
    from planecast.search.measured import MeasuredTester

    return MeasuredTester(question.scenario, question.generator_cpu), question, manifest
