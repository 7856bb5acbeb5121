"""Runs that were stopped: how they go on with ``--resume``, what may be said beside it; and where
lies what the others had measured."""

from __future__ import annotations

import sys
from collections.abc import Collection, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Annotated

import typer

from planecast.errors import InputError

if TYPE_CHECKING:
    from planecast.results import RunDirectory

ResumeOption = Annotated[
    str | None,
    typer.Option("--resume", metavar="RUN", help="Go on with a run that was stopped."),
]

_OF_THE_ANSWER = ("resume", "runs", "form", "output")
"""Parameters that say where the run is and how its answer is written."""


def refuse_beside_resume(context: typer.Context, verb: str, allowed: Collection[str] = ()) -> None:
    """A run that goes on asks what it asked: raises InputError for all that would ask anew.

    `allowed` are parameters of the verb that say only how it goes on.
    """
    for parameter in context.command.params:
        name = str(parameter.name)
        source = context.get_parameter_source(name)
        given = source is not None and source.name == "COMMANDLINE"
        if given and name not in (*_OF_THE_ANSWER, *allowed):
            raise InputError(
                f"a {verb} goes on with what it began with",
                max(parameter.opts, key=len),
                "leave it out beside --resume",
            )


@contextmanager
def told_how_to_go_on(run: RunDirectory) -> Iterator[None]:
    """Around a run's work: when it is stopped, a person is told how it goes on."""
    with _told(run, f"stopped; go on with --resume {run.path.name}"):
        yield


@contextmanager
def told_what_is_kept(run: RunDirectory) -> Iterator[None]:
    """Around the work of a run that can't go on: when it is stopped, a person is told where what it
    has is kept."""
    with _told(run, f"stopped; what was measured until then is kept in {run.path}"):
        yield


@contextmanager
def _told(run: RunDirectory, sentence: str) -> Iterator[None]:
    try:
        yield
    except InputError:
        raise  # it would end there again
    except BaseException:
        if run.partial and run.begun:
            print(f"planecast: {sentence}", file=sys.stderr)
        raise
