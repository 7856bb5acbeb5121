"""Progress of long work: a bar on stderr; where that is no terminal, lines with ``--verbose``.

Both say how much is done, about how long it takes still, and what is being done now.
"""

from __future__ import annotations

import logging
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager

from planecast.progress import Progress

LINE_EVERY_S = 2.0
"""In a log."""
PACE_AFTER_S = 2.0
"""What is done before that says nothing of the pace: it was remembered."""
_BAR_COLUMNS = 16
"""Of the bar: it keeps its place while the words behind it change."""
_log = logging.getLogger(__name__)


class TimeLeft:
    """How long work takes still, from the pace up to the last that was done: while nothing is, the
    answer stays."""

    def __init__(self) -> None:
        self._began = time.monotonic()
        self._first: float | None = None
        self._done, self._total, self._elapsed = 0.0, 0.0, 0.0

    def update(self, done: float, total: float) -> None:
        """The progress. Work that was resumed begins with some of it done."""
        if self._first is None:
            self._first = done
        if done > self._done:
            self._elapsed = time.monotonic() - self._began
        self._done, self._total = done, total

    def __str__(self) -> str:
        """``about 1:05 left``; ``0:12 so far`` where no pace is known yet, and at the end."""
        new = self._done - (self._first or 0.0)
        if self._elapsed < PACE_AFTER_S or new <= 0 or self._done >= self._total:
            return f"{_clock(time.monotonic() - self._began)} so far"
        return f"about {_clock(self._elapsed * (self._total - self._done) / new)} left"


def _clock(seconds: float) -> str:
    minutes, rest = divmod(round(seconds), 60)
    hours, minutes = divmod(minutes, 60)
    return f"{hours}:{minutes:02}:{rest:02}" if hours else f"{minutes}:{rest:02}"


@contextmanager
def progress_bar(title: str) -> Iterator[Progress]:
    """A bar named `title`; the block calls what it is given as the work proceeds."""
    if not sys.stderr.isatty():
        yield _lines(title)
        return
    from rich.console import Console
    from rich.progress import BarColumn, TextColumn
    from rich.progress import Progress as Bar
    from rich.table import Column

    columns = (
        TextColumn("{task.fields[title]}"),
        BarColumn(_BAR_COLUMNS),
        TextColumn("{task.percentage:3.0f} %"),
        TextColumn("{task.fields[left]}"),
        TextColumn(
            "{task.description}",
            markup=False,
            table_column=Column(no_wrap=True, overflow="ellipsis", ratio=1),
        ),
    )
    left = TimeLeft()
    with Bar(*columns, console=Console(stderr=True), transient=True, expand=True) as bar:
        task = bar.add_task("", title=title, total=None, left=left)

        def say(done: float, total: float, words: str) -> None:
            left.update(done, total)
            bar.update(task, completed=done, total=total, description=words)

        yield say


def _lines(title: str) -> Progress:
    """A line now and then, for whoever reads the log of a program that nobody watches."""
    last, left = float("-inf"), TimeLeft()

    def say(done: float, total: float, words: str) -> None:
        nonlocal last
        left.update(done, total)
        now = time.monotonic()
        if now >= last + LINE_EVERY_S:
            last = now
            share = 100 * done / total if total else 0
            _log.info("%s: %.0f %%, %s, %s", title, share, str(left), words)

    return say
