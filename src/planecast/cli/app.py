"""``planecast``: the command line. Here is what all verbs share: options, errors, exit codes.

Exit codes: 0 done; 1 the run failed; 2 bad input; 3 something that the machine lacks; 130
interrupted; 143 ended by SIGTERM, which cleans up as Ctrl-C does. Whatever goes wrong is one
sentence on stderr, under it the last lines of a program that failed; ``PLANECAST_DEBUG=1`` adds the
traceback.
"""

from __future__ import annotations

import gc
import os
import sys
from types import ModuleType
from typing import Annotated, NoReturn

import typer

from planecast import __version__
from planecast.cli.interrupts import interrupt_on_sigterm
from planecast.cli.lazy import LazyGroup
from planecast.cli.streams import discard, open_streams, refused_output
from planecast.errors import EXIT_FAILED, EXIT_INTERRUPTED, EXIT_TERMINATED, PlanecastError

_LONGEST = 2000
"""Characters of a sentence on stderr."""

_YOUNG_OBJECTS = 200_000
"""So many more than there were are looked through for garbage; a start makes half as many."""

# pydantic would look through all installed packages for plugins at each start.
os.environ.setdefault("PYDANTIC_DISABLE_PLUGINS", "__all__")
# Even so its module of plugins imports what it would look with, `importlib.metadata`.
_no_plugins = ModuleType("pydantic.plugin._loader")
_no_plugins.__dict__["get_plugins"] = tuple
sys.modules.setdefault(_no_plugins.__name__, _no_plugins)

app = typer.Typer(
    cls=LazyGroup,
    name="planecast",
    help="Measures, explains and predicts the performance of software network data planes.",
    no_args_is_help=True,
    pretty_exceptions_enable=False,
    rich_markup_mode=None,  # plain text: Rich and what it imports take as long as all else
    context_settings={"help_option_names": ["-h", "--help"]},
)


def _show_version(wanted: bool) -> None:
    if wanted:
        typer.echo(f"planecast {__version__}")
        raise typer.Exit


@app.callback()
def _all_verbs(
    verbose: Annotated[
        bool, typer.Option("--verbose", "-v", help="Log to stderr what is being done.")
    ] = False,
    version: Annotated[
        bool,
        typer.Option("--version", callback=_show_version, is_eager=True, help="Print the version."),
    ] = False,
) -> None:
    import logging  # which the help does without

    del version  # its callback has ended the program
    logging.basicConfig(
        stream=sys.stderr,
        level=logging.INFO if verbose else logging.WARNING,
        format="planecast: %(message)s",
        force=True,
    )


def main() -> NoReturn:
    """The program. Never shows a traceback unless ``PLANECAST_DEBUG=1``."""
    open_streams()
    # Matrices here are small: threads of the linear algebra would only spin (0.43 s of CPU time
    # for one `predict`, 0.36 s without).
    os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
    # What a start makes stays: to look through it for garbage takes 5 % of a `predict`.
    gc.set_threshold(_YOUNG_OBJECTS)
    terminated = interrupt_on_sigterm()
    try:
        _run()
    except SystemExit as end:
        if end.code == EXIT_INTERRUPTED:  # typer has turned Ctrl-C into this already
            _end_interrupted(terminated)
        raise
    except KeyboardInterrupt:
        _end_interrupted(terminated)
    except PlanecastError as error:
        _traceback()
        _say(str(error))
        for line in error.said:
            print(f"  {line[:_LONGEST]}", file=sys.stderr)
        sys.exit(error.exit_code)
    except BrokenPipeError:
        # The reader (head, less) has gone; Python would complain again when it closes stdout.
        discard(sys.stdout)
        sys.exit(EXIT_FAILED)
    except Exception as error:  # noqa: BLE001  the user gets a sentence, whatever happens
        _traceback()
        refused = refused_output(error) if isinstance(error, OSError) else None
        if refused is not None:
            discard(sys.stdout)
        _say(str(refused or _mistake(error)))
        sys.exit(EXIT_FAILED)
    sys.exit(0)


def _run() -> None:
    """The verb; its answer is out when it ends."""
    try:
        # Modules stay: the end would look through them for garbage once more.
        app(prog_name="planecast", obj=gc.freeze)
    except SystemExit:
        sys.stdout.flush()
        raise


def _mistake(error: Exception) -> str:
    reason = str(error).partition("\n")[0]
    return (
        f"{type(error).__name__}: {reason}; this is a mistake in planecast: "
        "run it again with PLANECAST_DEBUG=1 and report what it prints"
    )


def _end_interrupted(terminated: list[int]) -> NoReturn:
    _say("ended by SIGTERM" if terminated else "interrupted")
    sys.exit(EXIT_TERMINATED if terminated else EXIT_INTERRUPTED)


def _say(sentence: str) -> None:
    if len(sentence) > _LONGEST:  # somebody typed a number of 200,000 digits
        sentence = f"{sentence[: _LONGEST // 2]} … {sentence[-_LONGEST // 2 :]}"
    print(f"planecast: {sentence}", file=sys.stderr)


def _traceback() -> None:
    if os.environ.get("PLANECAST_DEBUG") == "1":
        import traceback

        traceback.print_exc(file=sys.stderr)


if __name__ == "__main__":
    main()
