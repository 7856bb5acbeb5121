"""``planecast doctor``: what this machine can measure, what disturbs it, how to fix it."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from planecast.cli.shared.option_rules import ANSWER, Alone
from planecast.cli.shared.options import Format, FormatOption, OutputOption, RunsOption
from planecast.cli.shared.output import emit
from planecast.cli.tables.sheet import Column, Sheet
from planecast.errors import InputError, RunError

if TYPE_CHECKING:
    from planecast.host import Check, Root
    from planecast.host.settings import Change

_COLUMNS = (
    Column("what", "what"),
    Column("state", "state"),
    Column("found", "found"),
    Column("meaning", "what it means"),
    Column("fix"),
    Column("source"),
)
_CHANGES = (
    Column("path", "setting"),
    Column("before", "was"),
    Column("after", "is"),
    Column("refused", "refused"),
)


RootOption = Annotated[
    Path, typer.Option("--root", metavar="DIR", help="Read proc and sys under this folder.")
]
SampleOption = Annotated[
    float, typer.Option("--sample", min=0.0, max=60.0, help="Seconds to watch stolen time for.")
]
ProbeOption = Annotated[
    bool,
    typer.Option(
        "--probe", help="Measure memory's latency and bandwidth too; 20 seconds on all CPUs."
    ),
]
ApplyOption = Annotated[
    bool, typer.Option("--apply", help="Change what can be changed while it runs; needs root.")
]
UndoOption = Annotated[
    bool,
    typer.Option("--undo", help="Write back all that --apply changed; needs root."),
    Alone("--root", *ANSWER, why="--undo restores everything"),
]
OnlyOption = Annotated[
    list[str] | None,
    typer.Option("--only", metavar="WHAT", help="This row alone, for --apply too; repeatable."),
]


def doctor(
    root: RootOption = Path("/"),
    sample: SampleOption = 1.0,
    probe: ProbeOption = False,
    apply: ApplyOption = False,
    undo: UndoOption = False,
    only: OnlyOption = None,
    runs: RunsOption = None,
    form: FormatOption = None,
    output: OutputOption = None,
) -> None:
    """What this machine can measure, what disturbs it, how to fix it.

    good: as measuring wants it. limits: measuring works, less well. missing: something can't be
    done without it. note: good to know. Nothing is changed without --apply; what was there before
    is recorded first, so that --undo restores it, after a crash too.
    """
    from planecast.host import Root, examine
    from planecast.host import settings as host_settings
    from planecast.instruments.core_to_core import check_core_to_core
    from planecast.results import runs_folder

    if not root.is_dir():
        raise InputError("there is no such folder", f"--root {root}", "name a file system's root")
    machine = Root(root.resolve())
    if undo:
        _emit_changes(host_settings.undo(machine), "nothing was changed", form, output)
        return
    looked = [
        *examine(machine, runs_folder(runs), sample),
        *check_core_to_core(machine),
        *_memory_speed(machine, probe),
    ]
    as_root = machine.live and os.geteuid() == 0
    checks = [_for_root(check) if as_root else check for check in _picked(looked, only)]
    if apply:
        wanted = [setting for check in checks for setting in check.settings]
        made = host_settings.apply(machine, wanted)
        _emit_changes(made, "no setting can be improved while the machine runs", form, output)
        return
    rows = [_row(check) for check in checks]
    # Under the table and not in it: a command that is folded into a column can't be copied.
    fixes = [f"{check.what}: {check.fix}" for check in checks if check.fix]
    counts = {
        state: sum(check.state == state for check in checks) for state in ("limits", "missing")
    }
    notes = [f"{counts['missing']} missing, {counts['limits']} limits"]
    changed = host_settings.recorded(machine)
    if changed:
        notes.append(f"{len(changed)} settings are changed; planecast doctor --undo restores them")
    if any(check.settings for check in checks):
        rows_of = ", ".join(check.what for check in checks if check.settings)
        words = "planecast doctor --apply" if as_root else "sudo planecast doctor --apply"
        notes.append(f"{words} would change: {rows_of}")
    notes += ["", "How to fix it:", *fixes] if fixes else []
    emit(Sheet(_COLUMNS, rows, {"checks": rows}, notes=notes), form, output)


def _memory_speed(machine: Root, probe: bool) -> Iterator[Check]:
    """Measured when asked to. Raises InputError for a machine that isn't this one."""
    from planecast.instruments.memory_speed import check_memory_speed, measured_speed

    speed = None
    if probe:
        from planecast.instruments.probe import probe_machine

        if not machine.live:
            raise InputError("another machine can't be measured from here", "--probe with --root")
        speed = measured_speed(probe_machine(), sorted(os.sched_getaffinity(0)))
    yield from check_memory_speed(machine, speed)


def _for_root(check: Check) -> Check:
    """Root needs no sudo, and a container has none."""
    return check._replace(fix=check.fix.replace("sudo ", ""))


def _row(check: Check) -> dict[str, Any]:
    return check._asdict() | {"settings": [setting._asdict() for setting in check.settings]}


def _picked(checks: list[Check], only: list[str] | None) -> list[Check]:
    """The rows that were asked for. Raises InputError for one that there isn't."""
    if not only:
        return checks
    names = [check.what for check in checks]
    unknown = next((name for name in only if name not in names), None)
    if unknown is not None:
        raise InputError(
            f"there is no row '{unknown}'", "--only", f"the rows are {', '.join(names)}"
        )
    return [check for check in checks if check.what in only]


def _emit_changes(
    changes: list[Change], nothing: str, form: Format | None, output: Path | None
) -> None:
    """Prints what was changed. Raises RunError when the system refused something."""
    emit(Sheet.of(_CHANGES, changes, notes=() if changes else (nothing,)), form, output)
    refused = [change for change in changes if change.refused]
    if refused:
        raise RunError(
            f"{len(refused)} of {len(changes)} settings were refused: {refused[0].refused}",
            f"/{refused[0].path}",
            "use sudo; some kernels and virtual machines do not allow it",
        )
