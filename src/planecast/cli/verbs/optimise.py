"""``planecast optimise SCENARIO``: the cheapest placement or machine that meets a target."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Annotated, Literal, get_args

import typer

from planecast.cli.shared.calibration import CalibrationOption, job_of, model_question
from planecast.cli.shared.measuring import measured_into
from planecast.cli.shared.option_rules import Excludes, Needs
from planecast.cli.shared.options import (
    FormatOption,
    OutputOption,
    RunsOption,
    SetOption,
    parsed,
)
from planecast.cli.shared.output import emit
from planecast.cli.shared.progress import progress_bar
from planecast.cli.shared.scenarios import ScenarioArgument
from planecast.errors import InputError, MissingError, PlanecastError, RunError

if TYPE_CHECKING:
    from planecast.results import RunDirectory
    from planecast.scenario import Scenario
    from planecast.study.calibration_run import Chosen
    from planecast.sweep import Job
    from planecast.sweep.confirm import Confirmation, Measurer
    from planecast.sweep.optimise import Found, Target

Percentile = Literal["p50", "p90", "p99", "p99.9", "mean", "max"]

RESTARTS = 4
"""Starts of a confirmed configuration's process: where pages lie differs between them."""


VaryOption = Annotated[
    list[str],
    typer.Option(
        "--vary",
        metavar="KEY=…",
        help="What may change: KEY=V,V… or KEY=LOW:HIGH, keys of a scenario or "
        "machine.llc_size and the like, factors over the calibrated machine. Repeatable.",
    ),
]
CostOption = Annotated[
    list[str] | None,
    typer.Option(
        "--cost",
        metavar="KEY=PRICE",
        help="Price of each unit, or KEY=VALUE:PRICE,… Repeatable. Default: an lcore costs 1.",
    ),
]
LossOption = Annotated[
    float | None,
    typer.Option("--loss", min=0, max=1, help="Share of packets that may be lost at the rate."),
]
LatencyOption = Annotated[
    str | None,
    typer.Option("--latency", metavar="TIME", help="At most, at the rate: 20us."),
]
PercentileOption = Annotated[
    Percentile,
    typer.Option(
        "--percentile",
        metavar="NAME",  # as wide as its values, it would cut names of options
        help=f"Of the latency: {', '.join(get_args(Percentile))}.",
    ),
    Needs("--latency"),
]
WantsConfirmationOption = Annotated[
    bool | None,
    typer.Option(
        "--confirm/--no-confirm",
        help="Measure the best few on this machine, interleaved, and rank by that. Default: "
        "where the calibration is of this host and the data plane is built.",
        show_default=False,
    ),
]
ConfirmBestOption = Annotated[
    int,
    typer.Option("--confirm-best", min=1, max=100, help="How many are measured."),
    Excludes("--no-confirm"),
]
ConfirmSecondsOption = Annotated[
    float,
    typer.Option("--seconds", min=1, max=3600, help="Time to measure each of them for."),
    Excludes("--no-confirm"),
]


def optimise(
    scenario: ScenarioArgument,
    rate: Annotated[str, typer.Option("--rate", metavar="PPS", help="To forward: 5Mpps.")],
    vary: VaryOption,
    cost: CostOption = None,
    loss: LossOption = None,
    latency: LatencyOption = None,
    percentile: PercentileOption = "p99",
    trials: Annotated[int, typer.Option("--trials", min=1, max=100_000, help="At most.")] = 200,
    runners_up: Annotated[int, typer.Option("--runners-up", min=0, max=1000)] = 4,
    wants_confirmation: WantsConfirmationOption = None,
    confirm_best: ConfirmBestOption = 3,
    confirm_seconds: ConfirmSecondsOption = 4.0,
    calibration: CalibrationOption = None,
    settings: SetOption = None,
    seed: Annotated[int, typer.Option("--seed", min=0, help="Of the search.")] = 1,
    runs: RunsOption = None,
    form: FormatOption = None,
    output: OutputOption = None,
) -> None:
    """The cheapest placement or machine that meets a rate, a loss and a latency.

    The low end of the closed form's 95 % interval has to reach the rate; loss and latency are
    simulated at it. The best few are then measured, for the best of many predictions is often one
    that errs in its favour: those that are measured to miss the rate rank last.
    """
    from planecast.cli.tables.optimise import optimise_sheet
    from planecast.results import RunDirectory
    from planecast.sweep import Plan, parse_axis
    from planecast.sweep.confirm import confirm, unconfirmed
    from planecast.sweep.optimise import optimise as search
    from planecast.sweep.optimise import parse_price

    wanted = _target(rate, loss, latency, percentile)
    prices = [parse_price(text) for text in cost or ["placement.lcores=1"]]
    axes = [parse_axis(text) for text in vary]
    base, root, chosen = model_question(scenario, settings, calibration, runs, axes)
    plan = Plan.of(base, axes, "lhs", trials, seed)
    job = job_of(plan, chosen, "simulate", made_by="optimise", precision=0.02)
    why_not = _why_not_confirmed(wants_confirmation, chosen, base)
    with RunDirectory.create(root, "optimise", base.name) as run:
        with progress_bar("searching") as progress:
            found = search(job, prices, wanted, trials, progress)
        if not found.best:
            raise _missed(found, rate)
        after = unconfirmed(job, found.best)
        if not why_not:
            measurer = _measurer(job, run, confirm_seconds)
            try:
                after = confirm(job, found.best, wanted.rate_pps, confirm_best, measurer)
            except MissingError as missing:
                if wants_confirmation:
                    raise
                why_not = missing.what
        shown = after.ranked[: max(1 + runners_up, len(after.measured))]
        run.write_result([result for one in shown for result in one.results])
        _refuse_refuted(after)
    emit(optimise_sheet(shown, after, found, wanted, why_not, run.path), form, output)


def _target(rate: str, loss: float | None, latency: str | None, percentile: Percentile) -> Target:
    from planecast.scenario.units import parse_duration_s, parse_rate_pps
    from planecast.sweep.optimise import Target

    longest = None if latency is None else parsed(parse_duration_s, latency, "--latency")
    return Target(
        rate_pps=parsed(parse_rate_pps, rate, "--rate"),
        loss=loss,
        latency_ns=None if longest is None else 1e9 * longest,
        percentile=percentile,
    )


def _why_not_confirmed(wanted: bool | None, chosen: Chosen, base: Scenario) -> str:
    """Why nothing is measured; empty where the best few are to be. Raises InputError and
    MissingError where a person asked for what can't be done."""
    from planecast.native import native_program
    from planecast.scenario.dataplane import OWN

    if wanted is False:
        return "--no-confirm"
    try:
        if not chosen.basis.this_host:
            raise InputError("the calibration is of another machine", "--confirm")
        if base.dataplane.kind == OWN:
            native_program("planecast-dataplane")
    except (InputError, MissingError) as error:
        if wanted:
            raise
        return error.what
    return ""


def _measurer(job: Job, run: RunDirectory, seconds: float) -> Measurer:
    """Measures interleaved, and keeps the raw trials with the run."""
    from planecast.results import Result, collect_manifest
    from planecast.scenario.study import Budget
    from planecast.sweep.confirm import Measurer, check_here

    def measured(asked: Sequence[Scenario]) -> Sequence[Result]:
        budget = Budget(seconds=seconds * len(asked), restarts=RESTARTS, patience=seconds)
        labels = [f"candidate {number}" for number in range(1, len(asked) + 1)]
        manifest = collect_manifest("measure", job.manifest.seed)
        results, _ = measured_into(run, asked, labels, budget, manifest, title="confirming")
        return results

    return Measurer(measured, check_here)


def _refuse_refuted(after: Confirmation) -> None:
    """Raises RunError where all that meets the target by prediction is measured to miss it."""
    if all(one.verdict == "refuted" for one in after.ranked):
        raise RunError(
            f"none of the {len(after.ranked)} configurations that were predicted to meet the rate "
            "does: all were measured",
            "optimise",
            "calibrate again (planecast calibrate), vary more, or see them with --no-confirm",
        )


def _missed(found: Found, rate: str) -> PlanecastError:
    from planecast.cli.tables.optimise import label_of

    nearest = found.nearest
    if nearest.refused:  # which any other would be nearer than
        why = f"the first: {nearest.refused}"
        return InputError(f"all {found.tried} configurations were refused", "--vary", why)
    parts = [f"{part} by {100 * gap:.1f} %" for part, gap in nearest.gaps.items() if gap > 0]
    return RunError(
        f"none of {found.tried} configurations meets the target; the nearest, {label_of(nearest)}, "
        f"misses {' and '.join(parts)}",
        rate,
        "allow more, or vary more",
    )
