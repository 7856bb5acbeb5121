"""``planecast explore [SCENARIO|RUN]``: a local what-if page."""

from __future__ import annotations

import os
import sys
from typing import Annotated

import typer

from planecast.cli.shared.calibration import CalibrationOption
from planecast.cli.shared.options import RunsOption, SetOption, overrides
from planecast.extras import extra_library

_WITHOUT = "ask on the command line: planecast predict, planecast sweep"


def explore(
    what: Annotated[
        str | None,
        typer.Argument(
            metavar="[SCENARIO|RUN]",
            help="A scenario's YAML file, or a run whose scenario and measured points are taken. "
            "Default: the function or program of the latest calibration.",
            show_default=False,
        ),
    ] = None,
    calibration: CalibrationOption = None,
    settings: SetOption = None,
    port: Annotated[
        int,
        typer.Option(
            "--port", min=0, max=65535, help="Where the page listens on this host; 0: any."
        ),
    ] = 0,
    opened: Annotated[
        bool | None,
        typer.Option(
            "--open/--no-browser",
            help="Open the page in the browser, or print its address only. Default: open it where "
            "a desktop is.",
            show_default=False,
        ),
    ] = None,
    runs: RunsOption = None,
) -> None:
    """A page that answers while you move sliders: rate, cycles by stage and cause, what limits.

    It runs on this host alone until Ctrl-C: it listens on the loopback address, behind a token in
    the address that is printed, and asks nobody else for anything.
    """
    for library in ("starlette", "uvicorn"):
        extra_library(library, "explore", "planecast explore", _WITHOUT)
    from planecast.explore.begin import session_of
    from planecast.explore.server import Listening, serve
    from planecast.results import runs_folder

    session = session_of(what, overrides(settings), calibration, runs_folder(runs))
    session.chosen(session.base.forwards)  # no page without an answer
    listening = Listening(port)
    typer.echo(listening.address)
    sys.stdout.flush()
    typer.echo("Ctrl-C ends it", err=True)
    if opened if opened is not None else _desktop():
        import webbrowser

        webbrowser.open(listening.address)
    serve(session, listening)


def _desktop() -> bool:
    """Whether a browser would open a window, not take the terminal."""
    return sys.stdout.isatty() and any(os.environ.get(n) for n in ("DISPLAY", "WAYLAND_DISPLAY"))
