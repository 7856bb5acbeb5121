"""``planecast doctor``: what this machine can measure, what disturbs it, how to fix it."""

from __future__ import annotations

from dataclasses import asdict
from pathlib import Path
from typing import Annotated

import typer

from planecast.cli.options import FormatOption, OutputOption, RunsOption
from planecast.cli.output import Column, Sheet, chosen_format, emit
from planecast.errors import InputError

_COLUMNS = (
    Column("what", "what"),
    Column("state", "state"),
    Column("found", "found"),
    Column("meaning", "what it means"),
    Column("fix", "how to better it"),
)


def register(app: typer.Typer) -> None:
    """Add the verb to `app`."""
    app.command()(doctor)


def doctor(
    root: Annotated[
        Path, typer.Option("--root", metavar="DIR", help="Read proc and sys under this folder.")
    ] = Path("/"),
    sample: Annotated[
        float, typer.Option("--sample", min=0.0, max=60.0, help="Seconds to watch stolen time for.")
    ] = 1.0,
    runs: RunsOption = None,
    form: FormatOption = None,
    output: OutputOption = None,
) -> None:
    """What this machine can measure, what disturbs it, how to fix it.

    good: as measuring wants it. limits: measuring works, less well. missing: something can't be
    done without it. note: good to know.
    """
    from planecast.host import Root, examine
    from planecast.results import runs_folder

    if not root.is_dir():
        raise InputError("there is no such folder", f"--root {root}", "name a file system's root")
    checks = list(examine(Root(root.resolve()), runs_folder(runs), sample))
    rows = [asdict(check) for check in checks]
    # Under the table and not in it: a command that is folded into a column can't be copied.
    fixes = [f"{check.what}: {check.fix}" for check in checks if check.fix]
    counts = {
        state: sum(check.state == state for check in checks) for state in ("limits", "missing")
    }
    notes = [f"{counts['missing']} missing, {counts['limits']} limits"]
    notes += ["", "How to better it:", *fixes] if fixes else []
    columns = [column for column in _COLUMNS if column.key != "fix"]
    if chosen_format(form, output) != "table":
        columns = list(_COLUMNS)
    emit(Sheet(columns, rows, document={"checks": rows}, notes=notes), form, output)
