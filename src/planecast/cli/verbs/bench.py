"""``planecast bench A B``: which of two scenarios is faster, measured in turns on the same CPU."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from planecast.cli.shared.measuring import measured_into
from planecast.cli.shared.options import (
    DryRunOption,
    FormatOption,
    OutputOption,
    PatienceOption,
    RunsOption,
    SeedOption,
    SetOption,
    overrides,
)
from planecast.cli.shared.output import emit
from planecast.cli.shared.resume import kept_hint
from planecast.cli.tables.disturbed import disturbed_column
from planecast.cli.tables.sheet import Column, Sheet
from planecast.errors import InputError

if TYPE_CHECKING:
    from planecast.results import Estimate, Result
    from planecast.scenario import Scenario

_FILE = "A scenario's YAML file."
_COLUMNS = (
    Column("scenario", "scenario", of=lambda pair: pair[0]),
    Column(
        "throughput_pps",
        "Mpps",
        number=True,
        scale=1e6,
        ends=("throughput_pps_low", "throughput_pps_high"),
        of=lambda pair: pair[1].throughput_pps,
    ),
    Column(
        "cycles_per_packet",
        "TSC cycles/packet",
        number=True,
        ends=("cycles_per_packet_low", "cycles_per_packet_high"),
        of=lambda pair: pair[1].cycles_per_packet,
    ),
    Column("samples", "windows", True, of=lambda pair: pair[1].cycles_per_packet.samples),
    disturbed_column(lambda pair: pair[1].disturbed_share),
)


def bench(
    a: Annotated[str, typer.Argument(metavar="A", help=_FILE)],
    b: Annotated[str, typer.Argument(metavar="B", help=_FILE)],
    settings: SetOption = None,
    seconds: Annotated[
        float, typer.Option("--seconds", min=1, max=86400, help="Time to measure for.")
    ] = 24.0,
    pairs: Annotated[
        int,
        typer.Option(
            "--pairs", min=3, max=1000, help="Starts of both; each is a pair that is compared."
        ),
    ] = 8,
    patience: PatienceOption = 20.0,
    seed: SeedOption = None,
    runs: RunsOption = None,
    form: FormatOption = None,
    output: OutputOption = None,
    dry_run: DryRunOption = False,
) -> None:
    """Which of two scenarios is faster, and by how much: measured in turns on the same CPU.

    Each start of the processes is a pair, in which both take turns. The factor is the mean over the
    pairs, with its 95 % interval; where that has 1 in it, no difference was shown.
    """
    from planecast.cli.shared.dry_run import print_plan
    from planecast.engines.measure.pairs import paired_speed
    from planecast.results import RunDirectory, collect_manifest, runs_folder
    from planecast.scenario import load_scenario
    from planecast.scenario.study import Budget

    changes = overrides(settings, seed)
    both = [load_scenario(path, changes) for path in (a, b)]
    _refuse_other_cpus(both)
    names = _names(both, (a, b))
    budget = Budget(seconds=seconds, restarts=pairs, patience=patience)
    if dry_run:
        print_plan(both, budget)
        return
    run = RunDirectory.create(runs_folder(runs), "bench", "-".join(s.name for s in both)[:64])
    with kept_hint(run), run:
        manifest = collect_manifest("measure", both[0].traffic.seed)
        results, table = measured_into(run, both, names, budget, manifest)
        speed, disturbed = paired_speed(table.columns())
        answer = verdict(speed, names)
        said = [answer, *([disturbed] if disturbed else [])]
        run.write_result([r.model_copy(update={"notes": (*r.notes, *said)}) for r in results])
    emit(_sheet(results, names, speed, said, run.path), form, output)


def verdict(speed: Estimate, names: tuple[str, str]) -> str:
    """``A is 1.12 ± 0.02 times faster than B (…)``, or that no difference was shown; `speed` is the
    first one's over the second one's."""
    from planecast.results.compare import MARGIN

    if speed.low is None or speed.high is None:
        return (
            f"no difference was shown: {names[0]} was {speed.value:.3g} times as fast as "
            f"{names[1]} in {speed.samples} pairs, which are too few for an interval"
        )
    first, second = names
    value, low, high = speed.value, speed.low, speed.high
    if high < 1:
        first, second = second, first
        value, low, high = 1 / value, 1 / high, 1 / low
    digits = _digits((high - low) / 2)
    half = f"{(high - low) / 2:.{digits}f}"
    rests = f"(95 % interval {low:.{digits}f} to {high:.{digits}f}, {speed.samples} pairs)"
    if low > 1:
        return f"{first} is {value:.{digits}f} ± {half} times faster than {second} {rests}"
    same = low >= 1 / (1 + MARGIN) and high <= 1 + MARGIN
    return (
        f"no difference was shown: {first} is {value:.{digits}f} ± {half} times as fast as "
        f"{second} {rests}" + (f"; they are the same within {100 * MARGIN:g} %" if same else "")
    )


def _digits(half: float) -> int:
    """Decimals that show a half-width's first digit, at least two."""
    import math

    return 2 if half <= 0 else min(6, max(2, -math.floor(math.log10(half))))


def _refuse_other_cpus(both: list[Scenario]) -> None:
    """Raises InputError for scenarios on CPUs of which neither's are among the other's."""
    from planecast.scenario import format_cpus
    from planecast.scenario.host_cpus import cpus_here

    first, second = (set(cpus_here(scenario)) for scenario in both)
    if not (first <= second or second <= first):
        raise InputError(
            f"they would run on different CPUs, {format_cpus(first)} and {format_cpus(second)}, "
            "and a difference could be these",
            "placement.cpus",
            "name the same, or leave them out: --set placement.cpus=null",
        )


def _names(both: list[Scenario], paths: tuple[str, str]) -> tuple[str, str]:
    """What they are called: their names, else their files' if these differ, else A and B."""
    for first, second in (
        (both[0].name, both[1].name),
        (Path(paths[0]).stem, Path(paths[1]).stem),
        paths,
    ):
        if first != second:
            return first, second
    return "A", "B"


def _sheet(
    results: list[Result],
    names: tuple[str, str],
    speed: Estimate,
    said: list[str],
    run: Path,
) -> Sheet:
    sheet = Sheet.of(_COLUMNS, zip(names, results, strict=True))
    document = {
        "verdict": said[0],
        "faster": speed.model_dump(mode="json"),
        "scenarios": sheet.rows,
        "run": str(run),
    }
    notes = [
        f"{name}: {note}"
        for name, result in zip(names, results, strict=True)
        for note in result.notes
        if not note.startswith("pages of")
    ]
    foot = ["measured; 95 % intervals", f"run: {run}"]
    return replace(sheet, document=document, lead=said, notes=[*said[1:], *notes, *foot])
