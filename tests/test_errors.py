"""What an error keeps of a program that failed."""

from __future__ import annotations

import pytest

from planecast.errors import LAST_LINES, last_words


@pytest.mark.parametrize(
    ("code", "text", "shown", "words"),
    [
        (1, "the pool is empty\n", "the pool is empty", ()),
        (1, "", "", ()),
        (7, "", "", ("exit status 7; it wrote nothing",)),
        (-9, "a\n\nb\n", "", ("ended by signal 9; it wrote last:", "a", "b")),
        (1, "EAL: a\nfailed: b\n", "b", ("exit status 1; it wrote last:", "EAL: a", "failed: b")),
    ],
)
def test_how_it_ended_and_what_it_wrote(
    code: int, text: str, shown: str, words: tuple[str, ...]
) -> None:
    assert last_words(code, text, shown) == words


def test_no_more_than_the_last_lines_are_kept() -> None:
    text = "".join(f"line {number}\n" for number in range(100))
    assert last_words(2, text)[1:] == tuple(f"line {n}" for n in range(100 - LAST_LINES, 100))
