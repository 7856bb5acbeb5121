"""What a reader can read in a report, word by word, against the stored text.

After a change that is meant: PLANECAST_WRITE_GOLDEN=1 pytest tests/report/test_golden.py
"""

from __future__ import annotations

import os
import re
from collections.abc import Sequence
from html.parser import HTMLParser
from pathlib import Path

import numpy as np
import pytest

from planecast.report import report_html
from planecast.results import LoadCurve, Result, ResultSet, SearchAnswer, Validation

_LINES = {"h1", "h2", "h3", "p", "li", "tr", "pre", "a", "section", "title"}
_MARKS = {"h1": "# ", "h2": "## ", "h3": "### ", "li": "- "}
_VOID = {"meta", "br", "img"}


class Outline(HTMLParser):
    """The text of a page: a line a heading, paragraph or table row; tags must be closed."""

    def __init__(self) -> None:
        super().__init__()
        self.lines = [""]
        self.open: list[str] = []

    def handle_starttag(self, tag: str, attrs: Sequence[tuple[str, str | None]]) -> None:
        if tag in _VOID:
            return
        self.open.append(tag)
        if tag in _LINES:
            self.lines.append(_MARKS.get(tag, ""))
        elif tag in ("td", "th"):
            self.lines[-1] += " | "
        elif dict(attrs).get("class") == "plot":
            self.lines.append(f"[figure {dict(attrs)['id']}]")

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag

    def handle_data(self, data: str) -> None:
        if self.open and self.open[-1] not in ("script", "style"):
            self.lines[-1] += re.sub(r"\s+", " ", data)

    def text(self) -> str:
        assert self.open == []
        kept = (re.sub(r"  +", " ", line).strip(" |") for line in self.lines)
        return "\n".join(line for line in kept if line) + "\n"


def check(name: str, html: str, repository: Path) -> None:
    outline = Outline()
    outline.feed(html)
    golden = repository / "tests" / "golden" / "report" / f"{name}.txt"
    if os.environ.get("PLANECAST_WRITE_GOLDEN") == "1":
        golden.parent.mkdir(parents=True, exist_ok=True)
        golden.write_text(outline.text(), encoding="utf-8")
    assert outline.text() == golden.read_text(encoding="utf-8")


def test_a_validation(validation: Validation, repository: Path) -> None:
    check("validation", report_html(validation), repository)


def test_a_load_curve(load_curve: LoadCurve, repository: Path) -> None:
    check("load-curve", report_html(load_curve), repository)


def test_a_search(
    search_answer: SearchAnswer, search_trials: dict[str, np.ndarray], repository: Path
) -> None:
    check("search", report_html(search_answer, trials=search_trials), repository)


@pytest.mark.parametrize("count", [1, 5])
def test_results(results: list[Result], repository: Path, count: int) -> None:
    content = ResultSet(results=tuple(results[:count]))
    check(f"results-{count}", report_html(content), repository)
