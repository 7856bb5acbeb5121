"""``planecast explain RUN``: where the cycles go, what limits, what to try next."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from planecast.cli.shared.calibration import CalibrationOption
from planecast.cli.shared.option_rules import Excludes
from planecast.cli.shared.options import Format, FormatOption, OutputOption, RunsOption
from planecast.cli.shared.output import emit, page_path, write_page
from planecast.cli.shared.output_files import Page
from planecast.cli.verbs.explain.flame import (
    ClassesOption,
    FlameOption,
    classes_sheet,
    write_flame,
)
from planecast.cli.verbs.explain.options import (
    NOT_OF_A_RUN,
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
)


def explain(
    run: Annotated[
        str,
        typer.Argument(
            metavar="[RUN]",
            help="A run's folder or result.json, its name under the runs folder, or latest; "
            "#2: 2nd result.",
        ),
        Excludes(*NOT_OF_A_RUN),
    ] = "latest",
    against: Annotated[
        str | None,
        typer.Option(
            "--against",
            metavar="RUN|FILE|ROW",
            help="Another run, another recording (with --from) or a published row: which nodes of "
            "the tree moved beyond their intervals, from this one (A) to that one (B).",
            show_default=False,
        ),
        Excludes("--published list"),
    ] = None,
    calibration: Annotated[CalibrationOption, Excludes(*NOT_OF_A_RUN)] = None,
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
    runs: Annotated[RunsOption, Excludes(*NOT_OF_A_RUN)] = None,
    form: FormatOption = None,
    output: Annotated[
        OutputOption, Page(unless=("--events", "--published list", "--classes"))
    ] = None,
) -> None:
    """Where a packet's cycles go, what limits the data plane, how sure that is, what to try.

    Without counters, causes come from counted instructions and the calibrated model; --from
    explains counters that another tool has recorded. With -o FILE.html the answer is a page with
    figures that opens offline.
    """
    if flame is not None:
        write_flame(flame, packets, output)
        return
    if classes:
        emit(classes_sheet(seconds), form, output)
        return
    typed = CounterOptions(
        against, recorded, count, level, seconds, published, events, arch, smt, packets, pps,
        tuple(place or ()), frame_bytes, cores, machine,
    )  # fmt: skip
    if not _explain_counters(typed, form, output):
        from planecast.cli.shared.explain_run import answer_run

        answer_run(run, against, calibration, runs, form, output)


def _explain_counters(typed: CounterOptions, form: Format | None, output: Path | None) -> bool:
    """Answers what was asked about counters; False when nothing was."""
    from planecast.cli.verbs.explain.counters import counter_answer, events_sheet, published_sheet

    if typed.published == "list":
        emit(published_sheet(), form, output)
        return True
    answer, page = counter_answer(typed), page_path(form, output)
    if typed.events is not None:
        emit(events_sheet(typed.events), form, output)
    elif answer is None:
        return False
    elif page is not None:
        write_page(page, answer.html())
    else:
        emit(answer.sheet(), form, output)
    return True
