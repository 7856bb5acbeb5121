"""SIGTERM acts as Ctrl-C: what was started is ended, what was changed is restored."""

from __future__ import annotations

import atexit
import signal
import sys
import threading
from contextlib import suppress
from typing import Any, NoReturn

_AGAIN_S = 0.01


class Terminated(KeyboardInterrupt):
    """Of SIGTERM. Once a KeyboardInterrupt itself has left an `exec`, such as a dataclass's in a
    module that is being imported, Python ends by SIGINT, whatever the exit code."""


def interrupt_on_sigterm() -> list[int]:
    """From now on SIGTERM interrupts; and an interrupt that came where nothing can be raised, in a
    finaliser or a callback, comes again a moment later instead of being lost.

    The list holds the signal once it has come.
    """
    came: list[int] = []

    def interrupt(number: int, _: object) -> NoReturn:
        signal.signal(number, signal.SIG_IGN)  # cleaning up is not to be interrupted again
        came.append(number)
        raise Terminated

    with suppress(ValueError):  # not the main thread
        if signal.getsignal(signal.SIGTERM) is signal.SIG_DFL:
            signal.signal(signal.SIGTERM, interrupt)
        sys.unraisablehook = _come_again
        atexit.register(signal.setitimer, signal.ITIMER_REAL, 0)
    return came


def _come_again(lost: Any) -> None:
    """Of `sys.unraisablehook`."""
    here = threading.current_thread() is threading.main_thread()
    if not here or not isinstance(lost.exc_value, KeyboardInterrupt):
        sys.__unraisablehook__(lost)
        return
    kind = type(lost.exc_value)

    def interrupt(number: int, _: object) -> NoReturn:
        signal.signal(number, signal.SIG_DFL)
        raise kind

    signal.signal(signal.SIGALRM, interrupt)
    signal.setitimer(signal.ITIMER_REAL, _AGAIN_S)
