"""Tables that a tool writes into a page, between two comments of its own."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

REPOSITORY = Path(__file__).parent.parent.parent


def write_table(page: Path, name: str, lines: Sequence[str]) -> None:
    """Puts `lines` between ``<!-- name: begin -->`` and ``<!-- name: end -->`` of a page.

    Raises ValueError for a page without these comments.
    """
    begin, end = f"<!-- {name}: begin -->\n", f"<!-- {name}: end -->\n"
    text = page.read_text(encoding="utf-8")
    before, found, rest = text.partition(begin)
    _, closed, after = rest.partition(end)
    if not (found and closed):
        raise ValueError(f"{page} has no place for the table {name}")
    table = "\n".join(lines)
    page.write_text(f"{before}{begin}{table}\n{end}{after}", encoding="utf-8")
