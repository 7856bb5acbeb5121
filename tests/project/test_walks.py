"""The walks of docs/explanation, from a verb to native code: each file uses the next."""

from __future__ import annotations

import re
from pathlib import Path
from typing import NamedTuple

import pytest

LONGEST = 12
_ROW = re.compile(r"^\| (\d+) \| `([^`]+)` \|(?: (\d+) `([^`]+)`)? \|", re.MULTILINE)


class Step(NamedTuple):
    """A row of a walk's table."""

    number: int
    file: str
    caller: int | None
    text: str
    """What stands in the caller."""


def steps(page: str) -> list[Step]:
    return [
        Step(int(number), file, int(caller) if caller else None, text)
        for number, file, caller, text in _ROW.findall(page)
    ]


def broken(found: list[Step], repository: Path) -> list[str]:
    """What of a walk doesn't hold."""
    wrong = [step.file for step in found if not (repository / step.file).is_file()]
    files = {step.number: step.file for step in found}
    for step in found[1:]:
        caller = files.get(step.caller or 0)
        known = caller is not None and (repository / caller).is_file()
        text = (repository / caller).read_text(encoding="utf-8") if caller and known else ""
        if not step.text or step.text not in text:
            wrong.append(f"{caller} does not contain {step.text!r}")
    return wrong


@pytest.mark.parametrize("verb", ["measure", "predict"])
def test_a_walk_holds(repository: Path, verb: str) -> None:
    page = repository / f"docs/explanation/walk-of-{verb}.md"
    found = steps(page.read_text(encoding="utf-8"))
    assert [step.number for step in found] == list(range(1, len(found) + 1))
    assert found[0].file == "src/planecast/cli/app.py"
    assert found[1].file.startswith(f"src/planecast/cli/verbs/{verb}")
    assert any(step.file.startswith("native/") for step in found)
    assert len(found) <= LONGEST
    assert broken(found, repository) == []


def test_a_broken_walk_is_found(repository: Path) -> None:
    page = "| 1 | `Makefile` | | x |\n| 2 | `tools/lint.sh` | 1 `tools/absent` | x |\n"
    (wrong,) = broken(steps(page), repository)
    assert "tools/absent" in wrong
    page = "| 1 | `Makefile` | | x |\n| 2 | `tools/absent.sh` | 1 `test` | x |\n"
    assert broken(steps(page), repository) == ["tools/absent.sh"]
