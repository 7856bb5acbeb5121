"""Options that several verbs share, defined once."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Annotated, Any, Literal

import typer

from planecast.cli.shared.output_files import Written
from planecast.errors import InputError
from planecast.scenario import parse_set, parse_vary

Format = Literal["table", "csv", "json", "parquet"]


def check_writable(path: Path, shown: str) -> None:
    """Check before the work, not after it, that a file can be written there.

    Raises InputError for a folder and for a file in a folder that isn't there, RunError for what
    the disk refuses.
    """
    import errno

    from planecast.results.atomic import disk_error, written_through

    try:
        if path.is_dir():
            raise InputError("this is a folder", shown, "name a file")
        target = path.resolve() if path.is_symlink() else path
    except (OSError, RuntimeError) as error:  # a name too long, a loop of links
        reason = getattr(error, "strerror", None) or "a loop of links"
        raise InputError(f"can't write: {reason}", shown, "name another file") from None
    if not written_through(path) and not target.parent.is_dir():
        raise InputError(f"there is no folder {target.parent}", shown, "make it first")
    if not os.access(path if written_through(path) else target.parent, os.W_OK):
        raise disk_error(errno.EACCES, os.strerror(errno.EACCES), path)


def checked_output(parameter: typer.CallbackParam, output: Path | None) -> Path | None:
    """The file that an option names, if it can be written: see `check_writable`."""
    if output is not None:
        check_writable(output, f"{parameter.opts[-1]} {output}")
    return output


SetOption = Annotated[
    list[str] | None,
    typer.Option(
        "--set", metavar="KEY=VALUE", help="Change one key, such as traffic.flows=64Ki; repeatable."
    ),
]
VaryOption = Annotated[
    list[str] | None,
    typer.Option(
        "--vary",
        metavar="KEY=V,V…",
        help="Try several values of a key; several --vary give every combination.",
    ),
]
FormatOption = Annotated[
    Format | None,
    typer.Option(
        "--format",
        help="How the answer is written; by default as the name after -o ends, else a table.",
        show_default=False,
    ),
]
OutputOption = Annotated[
    Path | None,
    typer.Option(
        "--output",
        "-o",
        metavar="FILE",
        help="Write the answer to a file.",
        callback=checked_output,
    ),
    Written(),
]
RunsOption = Annotated[
    Path | None,
    typer.Option(
        "--runs", metavar="DIR", help="Folder of all runs; else $PLANECAST_RUNS, else runs."
    ),
]
SeedOption = Annotated[
    int | None,
    typer.Option(
        "--seed",
        min=0,
        max=2**32 - 1,
        help="Seed of everything random; by default the scenario's.",
    ),
]
PatienceOption = Annotated[
    float,
    typer.Option(
        "--patience",
        min=0,
        max=86400,
        help="At most so many seconds more, while the machine is too disturbed for an estimate.",
    ),
]
DryRunOption = Annotated[
    bool, typer.Option("--dry-run", help="Print the commands it would run, and end.")
]


def parsed(
    parse: Callable[[str], float],
    text: str,
    option: str,
    wanted: str = "give more than 0",
    *,
    least: float = sys.float_info.min,
    most: float = sys.float_info.max,
) -> float:
    """The number that was typed after an option. Raises InputError with what is `wanted`, for what
    `parse` refuses and for what lies outside of `least` and `most`."""
    try:
        value = float(parse(text))
    except ValueError as error:
        raise InputError(str(error), option, wanted) from None
    if not least <= value <= most:
        raise InputError(f"got '{text}'", option, wanted)
    return value


def overrides(settings: list[str] | None, seed: int | None = None) -> dict[str, Any]:
    """The dotted keys of every ``--set``, and ``--seed`` as ``traffic.seed``.

    Raises InputError for one that isn't KEY=VALUE, and for a key that is set twice.
    """
    found: dict[str, Any] = {} if seed is None else {"traffic.seed": seed}
    for text in settings or []:
        key, value = parse_set(text)
        if key in found:
            raise InputError(f"{key} is set twice", f"--set {text}", "keep one of the two")
        found[key] = value
    return found


def variations(varied: list[str] | None) -> dict[str, list[Any]]:
    """The dotted keys of every ``--vary`` with their values."""
    found: dict[str, list[Any]] = {}
    for text in varied or []:
        key, values = parse_vary(text)
        if key in found:
            raise InputError(f"{key} varies twice", f"--vary {text}", "list all values in one")
        found[key] = values
    return found
