"""``planecast measure SCENARIO``: forwards packets and measures."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from planecast.cli.shared.measuring import measured_into
from planecast.cli.shared.options import (
    DryRunOption,
    Format,
    FormatOption,
    OutputOption,
    PatienceOption,
    RunsOption,
    SeedOption,
    SetOption,
    VaryOption,
    overrides,
    variations,
)
from planecast.cli.shared.output import chosen_format, emit
from planecast.cli.shared.output_files import Page
from planecast.cli.shared.resume import kept_hint
from planecast.cli.shared.scenarios import ScenarioArgument, scenarios_of, with_note

if TYPE_CHECKING:
    from planecast.scenario import Scenario

SecondsOption = Annotated[
    float, typer.Option("--seconds", min=1, max=86400, help="Time to measure for, over all points.")
]
RestartsOption = Annotated[
    int,
    typer.Option("--restarts", min=1, max=1000, help="Times that the data plane is restarted."),
]
CoreMarkOption = Annotated[
    Path | None,
    typer.Option(
        "--coremark",
        metavar="PROGRAM",
        help="With a compute scenario: your CoreMark binary; its score is noted in the answer.",
    ),
]
ExplainOption = Annotated[
    bool,
    typer.Option(
        "--explain",
        help="Then say where the cycles went, what limits and what to try: planecast explain.",
    ),
]


EalArgument = Annotated[
    list[str] | None,
    typer.Argument(
        metavar="[-- EAL ARGUMENTS]",
        help="Passed to EAL of planecast's own data plane.",
        show_default=False,
    ),
]


def measure(
    scenario: ScenarioArgument,
    eal: EalArgument = None,
    settings: SetOption = None,
    vary: VaryOption = None,
    seconds: SecondsOption = 20.0,
    restarts: RestartsOption = 3,
    patience: PatienceOption = 20.0,
    seed: SeedOption = None,
    runs: RunsOption = None,
    form: FormatOption = None,
    output: Annotated[OutputOption, Page("--explain")] = None,
    dry_run: DryRunOption = False,
    coremark: CoreMarkOption = None,
    explain: ExplainOption = False,
) -> None:
    """Forward packets and measure: cycles a packet with interval, by stage.

    Several points (--vary) are interleaved in one run, so that they can be compared. The raw
    trials are kept in the run's folder.
    """
    from planecast.cli.shared.dry_run import print_plan
    from planecast.cli.tables.results import results_sheet
    from planecast.results import RunDirectory, collect_manifest, runs_folder
    from planecast.results.between_runs import state_notes
    from planecast.scenario.study import Budget

    base, labels, scenarios = scenarios_of(scenario, overrides(settings, seed), variations(vary))
    if eal:
        _refuse_other_eal(scenarios)
    if explain:
        one_explanation(scenarios, form, output)
    budget = Budget(seconds=seconds, restarts=restarts, patience=patience)
    if dry_run:
        print_plan(scenarios, budget, eal or [])
        return
    score = coremark_note(coremark, scenarios) if coremark else None
    manifest = collect_manifest("measure", base.traffic.seed)
    run = RunDirectory.create(runs_folder(runs), "measure", base.name)
    with kept_hint(run), run:
        results, _ = measured_into(run, scenarios, labels, budget, manifest, eal=eal or ())
        if score:
            results = [with_note(result, score) for result in results]
        notes = state_notes(run, results)
        results = [
            with_note(one, note) if note else one for one, note in zip(results, notes, strict=True)
        ]
        run.write_result(results)
    if not explain or printed_for_people(form, output):
        emit(results_sheet(results, labels, run.path), form, output)
    if explain:
        from planecast.cli.shared.explain_run import answer_run

        for number in range(1, len(results) + 1):
            answer_run(f"{run.path}#{number}", None, None, runs, form, output)


def _refuse_other_eal(scenarios: list[Scenario]) -> None:
    """Raises InputError for arguments of EAL where a program of others is measured."""
    from planecast.errors import InputError
    from planecast.scenario.dataplane import OWN

    other = next((one.dataplane.kind for one in scenarios if one.dataplane.kind != OWN), None)
    if other is not None:
        raise InputError(
            f"they are for EAL of planecast's own data plane, and {other} is measured",
            "-- EAL ARGUMENTS",
            "leave them out",
        )


def printed_for_people(form: Format | None, output: Path | None) -> bool:
    """Whether the answer is a table on the terminal, which another may follow."""
    return output is None and chosen_format(form, output) == "table"


def one_explanation(scenarios: list[Scenario], form: Format | None, output: Path | None) -> None:
    """Raises InputError for explanations of several points that would have to be one file."""
    from planecast.errors import InputError

    if len(scenarios) > 1 and not printed_for_people(form, output):
        raise InputError(
            f"a file holds one explanation, and there are {len(scenarios)} points",
            "--explain",
            "measure first, then planecast explain RUN#1 -o FILE for each that matters",
        )


def coremark_note(program: Path, scenarios: list[Scenario]) -> str:
    """Runs CoreMark on the scenario's first CPU; what is noted of it. Raises InputError for
    scenarios that don't measure the compute reference, and as run_coremark does."""
    from planecast.errors import InputError
    from planecast.instruments.coremark import run_coremark
    from planecast.scenario.host_cpus import cpus_here

    if any(scenario.forwards != "compute" for scenario in scenarios):
        raise InputError(
            "CoreMark belongs to the compute reference alone",
            "--coremark",
            "leave it out, or measure scenarios/compute.yaml",
        )
    cpu = cpus_here(scenarios[0])[0]
    score = run_coremark(program, cpu)
    built = ", ".join(part for part in (score.compiler, score.flags) if part)
    return (
        f"CoreMark ({program}{', ' + built if built else ''}) made {score.iterations_per_s:,.1f} "
        f"iterations a second in {score.seconds:.1f} s on CPU {cpu}: other iterations than the "
        "compute reference's"
    )
