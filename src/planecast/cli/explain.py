"""``planecast explain RUN``: where the cycles go, what limits, what to try next."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from planecast.cli.calibration_run import CalibrationOption
from planecast.cli.explain_counters import (
    ArchOption,
    CoresOption,
    CounterOptions,
    CountOption,
    EventsOption,
    FrameOption,
    FromOption,
    LevelOption,
    MachineOption,
    PacketsOption,
    PlaceOption,
    PpsOption,
    PublishedOption,
    SecondsOption,
    SmtOption,
    counter_sheet,
)
from planecast.cli.explain_other import (
    ClassesOption,
    FlameOption,
    classes_sheet,
    write_flame,
)
from planecast.cli.options import Format, FormatOption, OutputOption, RunsOption
from planecast.cli.output import chosen_format, emit


def register(app: typer.Typer) -> None:
    """Add the verb to `app`."""
    app.command()(explain)


def explain(
    run: Annotated[
        str,
        typer.Argument(
            metavar="[RUN]",
            help="A run's folder or result.json, its name under the runs folder, or latest; "
            "#2: 2nd result.",
        ),
    ] = "latest",
    against: Annotated[
        str | None,
        typer.Option(
            "--against",
            metavar="RUN",
            help="Another run: which nodes of the tree moved beyond their intervals, from this run "
            "(A) to that one (B).",
            show_default=False,
        ),
    ] = None,
    calibration: CalibrationOption = None,
    recorded: FromOption = None,
    count: CountOption = None,
    level: LevelOption = 2,
    seconds: SecondsOption = 5.0,
    published: PublishedOption = None,
    events: EventsOption = None,
    arch: ArchOption = None,
    smt: SmtOption = None,
    packets: PacketsOption = None,
    pps: PpsOption = None,
    place: PlaceOption = None,
    frame_bytes: FrameOption = 64,
    cores: CoresOption = None,
    machine: MachineOption = None,
    flame: FlameOption = None,
    classes: ClassesOption = False,
    runs: RunsOption = None,
    form: FormatOption = None,
    output: OutputOption = None,
) -> None:
    """Where a packet's cycles go, what limits the data plane, how sure that is, what to try.

    Without counters, causes come from counted instructions and the calibrated model; --from
    explains counters that another tool has recorded. With -o FILE.html the answer about a run is a
    page with figures that opens offline.
    """
    if flame is not None:
        write_flame(flame, packets, output)
        return
    if classes:
        emit(classes_sheet(seconds), form, output)
        return
    people = chosen_format(form, output) == "table"
    typed = CounterOptions(
        against, recorded, count, level, seconds, published, events, arch, smt, packets, pps,
        tuple(place or ()), frame_bytes, cores, machine,
    )  # fmt: skip
    sheet = counter_sheet(typed, people=people, output=output)
    if sheet is not None:
        emit(sheet, form, output)
    else:
        _explain_run(run, against, calibration, runs, form, output)


def _explain_run(
    run: str,
    against: str | None,
    calibration: str | None,
    runs: Path | None,
    form: Format | None,
    output: Path | None,
) -> None:
    from planecast.cli.explain_run import explain_run, write_page
    from planecast.cli.explanation_sheet import difference_sheet, explanation_sheet
    from planecast.explain import compare_explanations
    from planecast.results import runs_folder

    root = runs_folder(runs)
    found, model = explain_run(run, root, calibration)
    moved = None
    if against is not None:
        other, its_model = explain_run(against, root, calibration)
        moved = compare_explanations(found, other, model if model == its_model else None)
    if output is not None and form is None and output.suffix.lower() == ".html":
        write_page(output, found, moved)
        return
    people = chosen_format(form, output) == "table"
    if moved is not None:
        emit(difference_sheet(moved, people=people), form, output)
    else:
        emit(explanation_sheet(found, people=people), form, output)
