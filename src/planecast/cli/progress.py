"""Progress of long work: a bar on stderr, and none when stderr is no terminal."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import contextmanager

from planecast.progress import Progress


@contextmanager
def progress_bar(title: str) -> Iterator[Progress]:
    """A bar named `title`; the block calls what it is given as the work goes on."""
    if not sys.stderr.isatty():
        yield lambda done, total, words: None
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
