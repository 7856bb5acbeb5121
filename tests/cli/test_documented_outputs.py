"""Pages with outputs: every command there, with the output that stands below it.

After a change that is meant: PLANECAST_WRITE_GOLDEN=1 pytest tests/cli/test_documented_outputs.py
"""

from __future__ import annotations

import os
import re
import shlex
import shutil
from pathlib import Path

import pytest
from tests.cli.conftest import Run

_EXAMPLE = re.compile(r"```sh\nplanecast ([^\n]*)\n```\n\n```text\n(.*?)```", re.DOTALL)
_OF_THE_TEST = re.compile(
    r"\d+ (minute|hour|day)s? old|, this host|\(?latest, of another host\)?"
    r"|\(?latest of this host\)?|run: runs/\S+"
)
"""What depends on when and where the page is tested."""
_NUMBER = re.compile(r"-?\d[\d,]*\.?\d*")


COUNTS = {"how-to/explain": 3, "how-to/explain-search": 1, "tutorials/what-if": 4}
"""Examples of each page."""


@pytest.fixture
def folder(repository: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The folder that the pages start from, as it is in a clone."""
    here = tmp_path / "docs" / "examples" / "explain"
    shutil.copytree(repository / "docs/examples/explain/runs", here / "runs")
    (tmp_path / "scenarios").symlink_to(repository / "scenarios")
    monkeypatch.chdir(here)
    monkeypatch.setenv("COLUMNS", "80")


@pytest.mark.parametrize("page", COUNTS)
def test_documented_examples(run: Run, folder: None, repository: Path, page: str) -> None:
    path = repository / "docs" / f"{page}.md"
    text = path.read_text()
    examples = _EXAMPLE.findall(text)
    assert len(examples) == COUNTS[page]
    for command, stored in examples:
        answer = run(*shlex.split(command))
        assert answer.code == 0, answer.err
        if os.environ.get("PLANECAST_WRITE_GOLDEN") == "1":
            text = text.replace(_shown(command, stored), _shown(command, answer.out))
            path.write_text(text)
            continue
        assert words(answer.out) == words(stored)
        # Another CPU adds up in another order, and a fit's figures are good to three digits.
        assert numbers(answer.out) == pytest.approx(numbers(stored), rel=0.02, abs=0.05)


def _shown(command: str, output: str) -> str:
    return f"{command}\n```\n\n```text\n{output}"


def words(text: str) -> list[str]:
    """The text without its numbers, without the lines that its tables' widths set, and without
    whether the machine that it was recorded on is this one."""
    plain = _OF_THE_TEST.sub("", text.replace("─", ""))
    return _NUMBER.sub("#", plain).split()


def numbers(text: str) -> list[float]:
    return [float(found.replace(",", "")) for found in _NUMBER.findall(_OF_THE_TEST.sub("", text))]
