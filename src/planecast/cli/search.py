"""``planecast search SCENARIO``: the highest loads that a data plane takes."""

from __future__ import annotations

import time
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal

import typer

from planecast.cli.options import (
    FormatOption,
    OutputOption,
    RunsOption,
    SeedOption,
    SetOption,
    overrides,
)
from planecast.cli.output import emit
from planecast.cli.progress import progress_bar
from planecast.errors import InputError

if TYPE_CHECKING:
    from planecast.results import Manifest, RunDirectory
    from planecast.search.question import Question
    from planecast.search.tester import Tester

MethodName = Literal[
    "mlr", "rfc2544", "guided", "back-to-back", "loss-curve", "latency", "soak", "mrr"
]
EngineName = Literal["measure", "simulate"]

_PUBLISHED_TRIAL_S = 20.0
_SHORT_TRIAL_S = 0.02
"""Short trials are either undisturbed or visibly not, also on a machine that is shared."""


def register(app: typer.Typer) -> None:
    """Add the verb to `app`."""
    app.command()(search)


def search(
    scenario: Annotated[
        Path | None,
        typer.Argument(metavar="SCENARIO", help="A scenario's YAML file.", show_default=False),
    ] = None,
    method: Annotated[
        MethodName,
        typer.Option(
            "--method",
            help="mlr: NDR and PDR by MLRsearch. guided: the same, from a prediction on. rfc2544: "
            "binary search. back-to-back: RFC 9004. loss-curve, latency (at 10, 50 and 90 % of the "
            "throughput), soak, mrr (what comes back at the highest load).",
        ),
    ] = "mlr",
    engine: Annotated[
        EngineName, typer.Option("--engine", help="Real packets, or the simulator's.")
    ] = "measure",
    trial_seconds: Annotated[
        float | None,
        typer.Option(
            "--trial-seconds",
            min=0.0001,
            max=86400,
            help="How long a trial sends. Default: 0.02; rfc2544: 20.",
            show_default=False,
        ),
    ] = None,
    repetitions: Annotated[
        int,
        typer.Option(
            "--repetitions", min=1, max=1000, help="Whole searches; the data plane starts anew."
        ),
    ] = 4,
    link_gbps: Annotated[
        float, typer.Option("--link-gbps", min=0.001, max=10_000, help="Rate of the link.")
    ] = 10.0,
    max_rate: Annotated[
        str | None,
        typer.Option("--max-rate", metavar="RATE", help="No trial goes above this: 5Mpps."),
    ] = None,
    start: Annotated[
        float,
        typer.Option("--start", min=0.001, max=100, help="rfc2544: percent of the highest load."),
    ] = 10.0,
    trials: Annotated[
        int | None,
        typer.Option(
            "--trials",
            min=1,
            max=1000,
            help="Trials that a bound (mlr: 21) or a step (else 8) rests on.",
            show_default=False,
        ),
    ] = None,
    loss: Annotated[
        str | None,
        typer.Option(
            "--loss",
            metavar="SHARE",
            help="rfc2544: share to lose less than. Default: 0.01%. soak: the target. "
            "Default: 1e-7.",
            show_default=False,
        ),
    ] = None,
    exceed: Annotated[
        str | None,
        typer.Option(
            "--exceed",
            metavar="SHARE",
            help="Share of a load's trials that may lose more. Default: mlr 50%, rfc2544 none.",
            show_default=False,
        ),
    ] = None,
    expect: Annotated[
        str | None,
        typer.Option(
            "--expect",
            metavar="LOW..HIGH",
            help="The predicted rate: mlr and guided begin there. Such as 5.8Mpps..6.4Mpps.",
            show_default=False,
        ),
    ] = None,
    rate: Annotated[
        str | None,
        typer.Option("--rate", metavar="RATE", help="latency, soak: the rate; else searched."),
    ] = None,
    soak_seconds: Annotated[
        float, typer.Option("--soak-seconds", min=0.001, max=1e7, help="Length of a soak.")
    ] = 1800.0,
    calibration: Annotated[
        str | None,
        typer.Option(
            "--calibration",
            metavar="RUN",
            help="simulate: what the model is calibrated by. measure: predicts where to begin.",
        ),
    ] = None,
    cpu: Annotated[
        int | None, typer.Option("--generator-cpu", min=0, help="CPU that sends.")
    ] = None,
    telemetry: Annotated[
        str,
        typer.Option(
            "--telemetry",
            metavar="WHAT",
            help="What looks at the found rates, after the search: auto, none, or some of cycles, "
            "perf, callgrind, singlestep, dpdk.",
        ),
    ] = "auto",
    max_seconds: Annotated[
        float | None,
        typer.Option("--max-seconds", min=0.001, help="Stops then; --resume goes on."),
    ] = None,
    resume: Annotated[
        str | None,
        typer.Option("--resume", metavar="RUN", help="Go on with a search that was stopped."),
    ] = None,
    settings: SetOption = None,
    seed: SeedOption = None,
    runs: RunsOption = None,
    form: FormatOption = None,
    output: OutputOption = None,
) -> None:
    """Search the highest loads that lose no more than a goal allows, or ask what they cost.

    Whole searches are repeated, each on a data plane that is started anew. Every trial is kept as
    it ends: a search that was stopped, however, goes on with --resume.
    """
    from planecast.results import RunDirectory, collect_manifest, find_run, runs_folder
    from planecast.search.question import Question
    from planecast.search.run import check_question

    root = runs_folder(runs)
    if resume is not None:
        if scenario is not None:
            raise InputError("a search goes on with its own scenario", f"--resume {resume}")
        run = find_run(resume, root)
        question = _resumed(run)
    else:
        if scenario is None:
            raise InputError("no scenario is named", "search", "name a file, or use --resume RUN")
        from planecast.scenario import load_scenario

        question = Question(
            method=method,
            engine=engine,
            scenario=load_scenario(scenario, overrides(settings, seed)),
            repetitions=repetitions,
            trial_seconds=trial_seconds
            or (_PUBLISHED_TRIAL_S if method == "rfc2544" else _SHORT_TRIAL_S),
            link_gbps=link_gbps,
            max_pps=_rate(max_rate, "--max-rate"),
            start_share=start / 100,
            rate_pps=_rate(rate, "--rate"),
            soak_seconds=soak_seconds,
            generator_cpu=cpu,
            calibration=calibration,
            telemetry=telemetry,
            expect_pps=_range(expect),
            **_shares(method, trials, loss, exceed),
        )
        run = None
    manifest = collect_manifest(question.engine, question.scenario.traffic.seed)
    tester, question = _tester(question, root, manifest)
    check_question(question)
    try:
        if run is None:
            run = RunDirectory.create(root, "search", question.scenario.name)
        deadline = float("inf") if max_seconds is None else time.monotonic() + max_seconds
        _search(run, question, tester, manifest, deadline, form, output)
    finally:
        tester.close()


def _search(
    run: RunDirectory,
    question: Question,
    tester: Tester,
    manifest: Manifest,
    deadline: float,
    form: Any,
    output: Path | None,
) -> None:
    from planecast.cli.search_sheet import search_sheet
    from planecast.search.journal import JOURNAL, Journal
    from planecast.search.measured import MeasuredTester
    from planecast.search.question import QUESTION
    from planecast.search.run import search as answer_of
    from planecast.search.session import Session

    run.write_json(QUESTION, question)
    with run, Journal(run.path / JOURNAL) as journal, progress_bar("searching") as progress:
        try:

            def closing(words: str) -> None:
                progress(session.repetition, question.repetitions, words)

            session = Session(tester, journal, question.trial_seconds, deadline, closing)
            watched = tester if isinstance(tester, MeasuredTester) else None
            answer = answer_of(question, session, manifest, watched)
        finally:
            if journal.trials:
                run.write_trials(journal.columns())
        run.write_result(answer)
    emit(search_sheet(answer, run.path), form, output)


def _resumed(run: RunDirectory) -> Question:
    """The question of a run. Raises InputError when it has none."""
    from planecast.search.question import QUESTION, Question

    path = run.path / QUESTION
    if not path.is_file():
        raise InputError("this run is no search", str(run.path), "name a run of planecast search")
    if not run.partial:
        raise InputError("this search is complete", str(run.path), "read its result.json")
    try:
        return Question.model_validate_json(path.read_text(encoding="utf-8"))
    except (OSError, ValueError) as error:
        first = str(error).splitlines()[0]
        raise InputError(f"can't read the question: {first}", str(path)) from None


def _tester(question: Question, root: Path, manifest: Manifest) -> tuple[Tester, Question]:
    """The engine as a tester; and the question, with where the model says to begin."""
    from planecast.cli.calibration_run import calibration_of
    from planecast.search.prediction import predicted_pps
    from planecast.search.simulated import SimulatedTester

    model = None
    if question.engine == "simulate" or question.calibration is not None:
        model = calibration_of(question.calibration, root)
    guided = question.method == "guided" or (question.method == "mlr" and question.calibration)
    if question.expect_pps is None and model is not None and guided:
        expected = predicted_pps(question.scenario, model, manifest)
        question = question.model_copy(update={"expect_pps": expected})
    if question.engine == "simulate":
        assert model is not None
        return SimulatedTester(question.scenario, model, manifest), question
    from planecast.search.measured import MeasuredTester

    return MeasuredTester(question.scenario, question.generator_cpu), question


def _rate(text: str | None, option: str) -> float | None:
    from planecast.scenario.units import parse_rate_pps

    if text is None:
        return None
    try:
        pps = parse_rate_pps(text)
    except ValueError as error:
        raise InputError(str(error), option, "such as 5Mpps") from None
    if pps < 1:
        raise InputError(f"got '{text}'", option, "one packet a second is the least")
    return pps


def _range(text: str | None) -> tuple[float, float] | None:
    if text is None:
        return None
    low, dots, high = text.partition("..")
    ends = [_rate(end or None, "--expect") for end in (low, high)]
    if not dots or ends[0] is None or ends[1] is None or ends[0] > ends[1]:
        raise InputError(f"got '{text}'", "--expect", "say LOW..HIGH, such as 5.8Mpps..6.4Mpps")
    return ends[0], ends[1]


def _shares(
    method: str, trials: int | None, loss: str | None, exceed: str | None
) -> dict[str, Any]:
    """Keys of the question that mean something else for each method."""
    found: dict[str, Any] = {}
    if trials is not None:
        found["goal_trials" if method == "mlr" else "step_trials"] = trials
    if loss is not None:
        if method in ("mlr", "guided", "mrr"):
            raise InputError(f"{method} has loss goals of its own", "--loss", "leave it out")
        found["loss_target" if method == "soak" else "loss"] = _share(loss, "--loss")
    if exceed is not None:
        found["exceed"] = _share(exceed, "--exceed", zero=True)
    return found


def _share(text: str, option: str, *, zero: bool = False) -> float:
    try:
        share = float(text.strip().removesuffix("%")) / (100 if text.strip().endswith("%") else 1)
    except ValueError:
        share = -1.0
    if not (0 if zero else 1e-12) <= share < 1:
        raise InputError(f"got '{text}'", option, "say a share such as 0.01% or 1e-7")
    return share
