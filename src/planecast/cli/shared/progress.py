"""Progress of long work: a bar on stderr; where that is no terminal, lines with ``--verbose``."""

from __future__ import annotations

import logging
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager

from planecast.progress import Progress

LINE_EVERY_S = 2.0
"""In a log."""
_log = logging.getLogger(__name__)


@contextmanager
def progress_bar(title: str) -> Iterator[Progress]:
    """A bar named `title`; the block calls what it is given as the work proceeds."""
    if not sys.stderr.isatty():
        yield _lines(title)
        return
    from rich.console import Console
    from rich.progress import BarColumn, TextColumn, TimeRemainingColumn
    from rich.progress import Progress as Bar

    columns = (
        TextColumn("{task.fields[title]}"),
        BarColumn(),
        TextColumn("{task.percentage:3.0f} %"),
        TimeRemainingColumn(),
        TextColumn("{task.description}"),
    )
    with Bar(*columns, console=Console(stderr=True), transient=True) as bar:
        task = bar.add_task("", title=title, total=None)
        yield lambda done, total, words: bar.update(
            task, completed=done, total=total, description=words
        )


def _lines(title: str) -> Progress:
    """A line now and then, for whoever reads the log of a program that nobody watches."""
    last = float("-inf")

    def say(done: float, total: float, words: str) -> None:
        nonlocal last
        now = time.monotonic()
        if now >= last + LINE_EVERY_S:
            last = now
            _log.info("%s: %.0f %%, %s", title, 100 * done / total if total else 0, words)

    return say
