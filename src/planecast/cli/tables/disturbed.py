"""The column of the share of trials that the machine disturbed."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from planecast.cli.tables.sheet import Column, percent


def disturbed_column(of: Callable[[Any], float | None]) -> Column:
    """The column of the shares that `of` gives for what a row is about."""
    return Column(
        "disturbed_share",
        "disturbed",
        number=True,
        form=percent("{:.0f} %"),
        absent="0 %",
        of=of,
    )
