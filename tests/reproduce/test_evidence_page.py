"""The page on what the figures prove has the figures that come out."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from planecast.reproduce import DOCUMENTS, reproduce

DATA = Path(os.environ.get("PLANECAST_SHARED_DATA", "../shared/data"))


def rows(repository: Path) -> dict[str, list[int]]:
    text = (repository / "docs/explanation/evidence.md").read_text(encoding="utf-8")
    cells = [line.strip("|").split("|") for line in text.splitlines() if line.startswith("| ")]
    return {row[0].strip(): [int(cell) for cell in row[1:]] for row in cells[1:]}


def test_every_document_has_a_row(repository: Path) -> None:
    assert set(rows(repository)) == set(DOCUMENTS)


@pytest.mark.parametrize("name", DOCUMENTS)
def test_a_row_says_what_comes_out(
    repository: Path, name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    if name in ("components", "rates"):
        if not DATA.is_dir():
            pytest.skip("no measurements of others")
        monkeypatch.setenv("PLANECAST_SHARED_DATA", str(DATA))
    found = reproduce(name)
    tests = found.marked("test")
    assert rows(repository)[name] == [
        sum(bool(one.within) for one in tests),
        len(tests),
        sum(one.alternative_within for one in tests),
        len(found.marked("weak")),
        len(found.marked("arithmetic")),
    ]
