"""docs/how-to/explain.md: every command there, with the output that stands below it.

After a change that is meant: PLANECAST_WRITE_GOLDEN=1 pytest tests/cli/verbs/explain/test_docs.py
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
_AGE = re.compile(r"\d+ (minute|hour|day)s? old|, this host|\(?latest, of another host\)?")
"""What depends on when and where the page is tested."""
_NUMBER = re.compile(r"-?\d[\d,]*\.?\d*")


def test_documented_examples(
    run: Run, repository: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("COLUMNS", "80")
    shutil.copytree(repository / "docs/examples/explain/runs", tmp_path / "runs")
    page = repository / "docs/how-to/explain.md"
    text = page.read_text()
    examples = _EXAMPLE.findall(text)
    assert len(examples) == 3
    for command, stored in examples:
        answer = run(*shlex.split(command))
        assert answer.code == 0, answer.err
        if os.environ.get("PLANECAST_WRITE_GOLDEN") == "1":
            text = text.replace(f"{command}\n```\n\n```text\n{stored}", _with(command, answer.out))
            page.write_text(text)
            continue
        assert words(answer.out) == words(stored)
        # Another CPU adds up in another order, and a fit's figures are good to three digits.
        assert numbers(answer.out) == pytest.approx(numbers(stored), rel=0.02, abs=0.05)


def _with(command: str, output: str) -> str:
    return f"{command}\n```\n\n```text\n{output}"


def words(text: str) -> list[str]:
    """The text without its numbers, without the lines that its tables' widths set, and without
    whether the machine that it was recorded on is this one."""
    plain = text.replace("─", "").replace(", this host", "")
    return _NUMBER.sub("#", _AGE.sub("", plain)).split()


def numbers(text: str) -> list[float]:
    return [float(found.replace(",", "")) for found in _NUMBER.findall(_AGE.sub("", text))]
