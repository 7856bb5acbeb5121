"""Words that readers stumble over are in no document, string or name."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest


def check(repository: Path, *files: Path) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "tools/plain_words.py", *map(str, files)],
        cwd=repository,
        capture_output=True,
        text=True,
        check=False,
    )


def test_the_repository_is_free_of_them(repository: Path) -> None:
    found = check(repository)
    assert (found.returncode, found.stdout) == (0, "")


@pytest.mark.parametrize(
    ("text", "word"),
    [
        ("nobody told us\n", "told"),
        ("def what_was_told() -> None: ...\n", "told"),
        ("_TOLD = 3\n", "told"),
        ("the dearest stage\n", "dearest"),
        ("it goes on\n", "goes on"),
        ("def test_it_goes_on() -> None: ...\n", "goes on"),
        ("As far as we know\n", "as far"),
        ("where a bridge stands elsewhere\n", "stands elsewhere"),
        ("dropped for want of room\n", "for want of"),
    ],
)
def test_one_is_found(repository: Path, tmp_path: Path, text: str, word: str) -> None:
    file = tmp_path / "a.py"
    file.write_text(f"first\n{text}")
    found = check(repository, file)
    assert found.returncode == 1
    assert found.stdout.startswith(f"{file}:2: {word}: say ")


@pytest.mark.parametrize("text", ["untolded", "besideness", "total", "headset", "telling"])
def test_other_words_are_left_alone(repository: Path, tmp_path: Path, text: str) -> None:
    file = tmp_path / "a.md"
    file.write_text(text)
    assert check(repository, file).returncode == 0
