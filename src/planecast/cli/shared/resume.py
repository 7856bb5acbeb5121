"""Runs that were stopped: how they are resumed with ``--resume``, what may be given with it; and
where lies what the others had measured."""

from __future__ import annotations

import sys
from collections.abc import Collection, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from planecast.errors import InputError

if TYPE_CHECKING:
    from planecast.results import RunDirectory

ResumeOption = Annotated[
    str | None,
    typer.Option("--resume", metavar="RUN", help="Resume a run that was stopped."),
]

_OF_THE_ANSWER = ("resume", "runs", "form", "output")
"""Parameters that say where the run is and how its answer is written."""


def resumed_run(
    context: typer.Context, name: str, root: Path, *, asked: str, allowed: Collection[str]
) -> RunDirectory:
    """The run that ``--resume`` names: one of this verb, which keeps its question in the file
    `asked`. Raises InputError for another one, for one with nothing to resume, and for options that
    would change the question; `allowed` are those that say only how it is resumed.
    """
    from planecast.results import find_run

    verb = str(context.info_name)
    _refuse_others(context, verb, allowed)
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


def _refuse_others(context: typer.Context, verb: str, allowed: Collection[str]) -> None:
    for parameter in context.command.params:
        name = str(parameter.name)
        source = context.get_parameter_source(name)
        given = source is not None and source.name == "COMMANDLINE"
        if given and name not in (*_OF_THE_ANSWER, *allowed):
            raise InputError(
                f"a {verb} continues with its own parameters",
                max(parameter.opts, key=len),
                "leave it out with --resume",
            )


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
