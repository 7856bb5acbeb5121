"""Runs that were stopped: how they are resumed with ``--resume``, what may be given with it; and
where lies what the others had measured."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from planecast.cli.shared.option_rules import ANSWER, Alone
from planecast.errors import InputError

if TYPE_CHECKING:
    from planecast.results import RunDirectory

ResumeOption = Annotated[
    str | None,
    typer.Option("--resume", metavar="RUN", help="Resume a run that was stopped."),
]


def only_resumes(verb: str, *allowed: str) -> Alone:
    """The rule of ``--resume``: no option with it that would change the question; `allowed` are
    those that say how it is resumed."""
    why = f"a {verb} continues with its own parameters"
    return Alone("--runs", *ANSWER, *allowed, why=why)


def resumed_run(verb: str, name: str, root: Path, *, asked: str) -> RunDirectory:
    """The run that ``--resume`` names: one of this verb, which keeps its question in the file
    `asked`. Raises InputError for another one, and for one with nothing to resume.
    """
    from planecast.results import find_run

    run = find_run(name, root)
    if not (run.path / asked).is_file():
        raise InputError(
            f"the run is not a {verb}", str(run.path), f"name a run of planecast {verb}"
        )
    if run.failed:
        raise InputError(f"this {verb} failed before it had a result", str(run.path), "ask again")
    if not run.partial:
        raise InputError(f"this {verb} is complete", str(run.path), "read its result.json")
    return run


@contextmanager
def resume_hint(run: RunDirectory) -> Iterator[None]:
    """Around a run's work: when it is stopped, a hint says how to resume it."""
    with _hint(run, f"stopped; continue with --resume {run.path.name}"):
        yield


@contextmanager
def kept_hint(run: RunDirectory) -> Iterator[None]:
    """Around the work of a run that can't be resumed: when it is stopped, a hint says where what it
    has is kept."""
    with _hint(run, f"stopped; what was measured until then is kept in {run.path}"):
        yield


@contextmanager
def _hint(run: RunDirectory, sentence: str) -> Iterator[None]:
    try:
        yield
    except InputError:
        raise  # it would end there again
    except BaseException:
        if run.partial and run.begun:
            print(f"planecast: {sentence}", file=sys.stderr)
        raise
