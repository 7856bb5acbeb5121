"""What a person reads when something can't be done, and the exit code that goes with it.

Bottom of the import order: every room raises these, and only ``planecast.cli`` prints them.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pydantic import ValidationError

EXIT_FAILED = 1
EXIT_BAD_INPUT = 2
EXIT_MISSING = 3
EXIT_INTERRUPTED = 130
EXIT_TERMINATED = 143


class PlanecastError(Exception):
    """A failure that is explained: what is wrong, where, and what to do next.

    ``str()`` of it is the one sentence that a person reads: ``where: what; what_to_do``.
    """

    exit_code = EXIT_FAILED

    def __init__(
        self, what: str, where: str = "", what_to_do: str = "", said: tuple[str, ...] = ()
    ) -> None:
        self.what = what
        """What is wrong, without the place."""
        self.where = where
        """``file:line``, an option, a program: where it is wrong. Empty when it is everywhere."""
        self.what_to_do = what_to_do
        """What the reader can do about it. Empty when ``what`` says it already."""
        self.said = said
        """Of a program that failed: how it ended, and the last lines that it wrote."""
        super().__init__(what, where, what_to_do)

    def __str__(self) -> str:
        place = f"{self.where}: " if self.where else ""
        advice = f"; {self.what_to_do}" if self.what_to_do else ""
        return f"{place}{self.what}{advice}"


def first_refusal(error: ValidationError) -> str:
    """The first thing that a model of pydantic refused, as ``place: reason``; the reason alone of
    what is no JSON."""
    first = error.errors()[0]
    return ": ".join(filter(None, (".".join(map(str, first["loc"])), first["msg"])))


LAST_LINES = 20
"""Lines of a program that failed which a person is shown, and which its run keeps."""


def last_words(code: int | None, text: str, shown: str = "") -> tuple[str, ...]:
    """How a program ended (None: it still ran) and the last lines of what it wrote, for an error's
    `said`.

    Empty when the error's own sentence, `shown`, has all of it: one line, and the code 1.
    """
    lines = [line.rstrip() for line in text.splitlines() if line.strip()][-LAST_LINES:]
    if code == EXIT_FAILED and (not lines or (len(lines) == 1 and shown and shown in lines[0])):
        return ()
    if code is None:
        how = "it still ran"
    else:
        how = f"ended by signal {-code}" if code < 0 else f"exit status {code}"
    return (f"{how}; it wrote {'last:' if lines else 'nothing'}", *lines)


class InputError(PlanecastError):
    """What was asked for is wrong: a file, an option, a value (exit code 2)."""

    exit_code = EXIT_BAD_INPUT


class MissingError(PlanecastError):
    """This machine lacks what the request needs: a program, a library, a counter (exit code 3)."""

    exit_code = EXIT_MISSING


class RunError(PlanecastError):
    """The request was good and the run failed: a full disk, a program that died (exit code 1)."""

    exit_code = EXIT_FAILED
