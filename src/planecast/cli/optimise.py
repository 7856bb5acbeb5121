"""``planecast optimise SCENARIO``: the cheapest placement or machine that meets a target."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any, Literal

import typer

from planecast.cli.calibration_run import CalibrationOption, basis_notes, calibration_of
from planecast.cli.measure import ScenarioArgument
from planecast.cli.options import FormatOption, OutputOption, RunsOption, SetOption, overrides
from planecast.cli.output import Column, Sheet, emit, estimate_text
from planecast.cli.progress import progress_bar
from planecast.errors import InputError, RunError

if TYPE_CHECKING:
    from planecast.sweep.optimise import Candidate, Found, Target

Percentile = Literal["p50", "p90", "p99", "p99.9", "mean", "max"]

_COLUMNS = (
    Column("rank", "", number=True),
    Column("configuration", "configuration"),
    Column("cost", "cost", number=True),
    Column("throughput_pps", "Mpps at most", number=True),
    Column("loss", "loss", number=True),
    Column("latency_ns", "latency, ns", number=True),
)


def register(app: typer.Typer) -> None:
    """Add the verb to `app`."""
    app.command()(optimise)


def optimise(
    scenario: ScenarioArgument,
    rate: Annotated[str, typer.Option("--rate", metavar="PPS", help="To forward: 5Mpps.")],
    vary: Annotated[
        list[str],
        typer.Option(
            "--vary",
            metavar="KEY=…",
            help="What may change: KEY=V,V… or KEY=LOW:HIGH, keys of a scenario or "
            "machine.llc_size and the like, factors over the calibrated machine. Repeatable.",
        ),
    ],
    cost: Annotated[
        list[str] | None,
        typer.Option(
            "--cost",
            metavar="KEY=PRICE",
            help="Price of each unit, or KEY=VALUE:PRICE,… Repeatable. Default: an lcore costs 1.",
        ),
    ] = None,
    loss: Annotated[
        float | None,
        typer.Option("--loss", min=0, max=1, help="Share of packets that may be lost at the rate."),
    ] = None,
    latency: Annotated[
        str | None,
        typer.Option("--latency", metavar="TIME", help="At most, at the rate: 20us."),
    ] = None,
    percentile: Annotated[Percentile, typer.Option("--percentile", help="Of the latency.")] = "p99",
    trials: Annotated[int, typer.Option("--trials", min=1, max=100_000, help="At most.")] = 200,
    runners_up: Annotated[int, typer.Option("--runners-up", min=0, max=1000)] = 4,
    calibration: CalibrationOption = None,
    settings: SetOption = None,
    seed: Annotated[int, typer.Option("--seed", min=0, help="Of the search.")] = 1,
    runs: RunsOption = None,
    form: FormatOption = None,
    output: OutputOption = None,
) -> None:
    """The cheapest placement or machine that meets a rate, a loss and a latency.

    The low end of the closed form's 95 % interval has to reach the rate; loss and latency are
    simulated at it.
    """
    from planecast.results import RunDirectory, collect_manifest, runs_folder
    from planecast.scenario import load_scenario
    from planecast.scenario.units import parse_duration_s, parse_rate_pps
    from planecast.sweep import Job, Plan, parse_axis
    from planecast.sweep.optimise import Target, parse_price
    from planecast.sweep.optimise import optimise as search

    wanted = Target(
        rate_pps=_parsed(parse_rate_pps, rate, "--rate"),
        loss=loss,
        latency_ns=None
        if latency is None
        else 1e9 * _parsed(parse_duration_s, latency, "--latency"),
        percentile=percentile,
    )
    prices = [parse_price(text) for text in cost or ["placement.lcores=1"]]
    base = load_scenario(scenario, overrides(settings))
    axes = [parse_axis(text) for text in vary]
    root = runs_folder(runs)
    chosen = calibration_of(calibration, root, kind=base.workload.kind)
    job = Job(
        plan=Plan.of(base, axes, "lhs", trials, seed),
        calibration=chosen.model,
        engine="simulate",
        precision=0.02,
        batch=1,
        manifest=collect_manifest("optimise", seed, calibration=chosen.basis),
    )
    with RunDirectory.create(root, "optimise", base.name) as run:
        with progress_bar("searching") as progress:
            found = search(job, prices, wanted, trials, progress)
        shown = found.best[: 1 + runners_up]
        if not shown:
            raise RunError(_missed(found, wanted), rate, "allow more, or vary more")
        run.write_result([r for c in shown if (r := c.timed or c.rate) is not None])
    emit(_sheet(shown, found, wanted, str(run.path)), form, output)


def _parsed(parse: Any, text: str, option: str) -> float:
    try:
        value = float(parse(text))
    except ValueError as error:
        raise InputError(str(error), option) from None
    if value <= 0:
        raise InputError(f"got '{text}'", option, "say more than 0")
    return value


def _missed(found: Found, target: Target) -> str:
    nearest = found.nearest
    if nearest.refused:
        return f"none of {found.tried} configurations could be asked: {nearest.refused}"
    parts = [f"{part} by {100 * gap:.1f} %" for part, gap in nearest.gaps.items() if gap > 0]
    return (
        f"none of {found.tried} configurations meets the target; the nearest, {_label(nearest)}, "
        f"misses {' and '.join(parts)}"
    )


def _label(candidate: Candidate) -> str:
    from planecast.scenario import point_label

    return point_label(candidate.point)


def _sheet(shown: Any, found: Found, target: Target, run: str) -> Sheet:
    from planecast.sweep.answer import loss_of

    rows, cells = [], []
    for rank, candidate in enumerate(shown, 1):
        timed = candidate.timed
        latency = None if timed is None else timed.latency_ns.get(target.percentile)
        lost = None if timed is None else loss_of(timed)
        row = {
            "rank": rank,
            "configuration": _label(candidate),
            "cost": candidate.cost,
            "throughput_pps": candidate.rate.throughput_pps.value,
            "loss": lost,
            "latency_ns": None if latency is None else latency.value,
        }
        rows.append(row)
        cells.append(
            {
                "rank": str(rank),
                "configuration": _label(candidate),
                "cost": f"{candidate.cost:g}",
                "throughput_pps": estimate_text(candidate.rate.throughput_pps, 1e6),
                "loss": "" if lost is None else f"{100 * lost:.3f} %",
                "latency_ns": estimate_text(latency),
            }
        )
    of = "" if found.possible is None else f" of {found.possible}"
    meet = f"{found.tried}{of} configurations tried, {len(found.best)} meet the target"
    beyond = sorted({n for c in shown for n in c.rate.notes if "calibrated" in n})
    document = {
        "tried": found.tried,
        "possible": found.possible,
        "meet": len(found.best),
        "target": vars(target),
        "candidates": [row | {"point": dict(c.point)} for row, c in zip(rows, shown, strict=True)],
        "run": run,
    }
    rates = [candidate.rate.throughput_pps for candidate in shown]
    notes = [meet, *beyond, *basis_notes(shown[0].rate.manifest, rates), f"run: {run}"]
    return Sheet(_COLUMNS, rows, cells, document, notes=notes)
