#!/usr/bin/env python3
"""Finds words that readers stumble over, in documents, code, strings and names.

    tools/plain_words.py [FILE…]     all files of the repository by default

Prints ``FILE:LINE: word: what to write instead``, and ends with 1 if there is any. Names are looked
at by their parts: `told_so` is found, `retold` is not.
"""

from __future__ import annotations

import re
import subprocess
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path

INSTEAD = {
    "anew": "again",
    "as far": "where, at a distance of",
    "behind the back": "without its knowledge",
    "beside": "next to, with, against, in addition to",
    "besides": "in addition",
    "company": "neighbour",
    "dear": "expensive",
    "dearer": "more expensive",
    "dearest": "most expensive",
    "for want of": "because there is no",
    "freely": "free-running",
    "go on": "continue",
    "goes on": "continues",
    "heed": "use",
    "heeds": "uses",
    "how far": "by how much, the distance",
    "in vain": "without a hit, an empty poll",
    "meanwhile": "at the same time, during it",
    "nobody chose": "drawn at random, not set",
    "owns up": "includes",
    "spared": "saved",
    "stands elsewhere": "is another, is at another place",
    "stranger": "user, another process",
    "taken away": "preempted, removed",
    "tell": "report, show, distinguish",
    "tells": "reports, shows, distinguishes",
    "to be had": "available",
    "told": "reported, given, known",
    "went on": "continued",
}
"""Each word, and what to write in its place."""

EXCEPTIONS = {
    "tools/plain_words.py",
    "tests/project/test_plain_words.py",
    "LICENSE",
    "constraints.txt",
}
"""Files that hold these words by their nature."""
_TEXTS = {
    ".c", ".cpp", ".css", ".h", ".hpp", ".html", ".j2", ".js", ".md", ".py", ".pyi", ".sh", ".toml",
    ".txt", ".yaml", ".yml", "",
}  # fmt: skip
_WORD = re.compile(
    r"(?<![A-Za-z])("
    + "|".join(word.replace(" ", r"[ _]") for word in sorted(INSTEAD, key=len, reverse=True))
    + r")(?![A-Za-z])",
    re.IGNORECASE,
)


def found(text: str) -> Iterator[tuple[int, str]]:
    """Line and word of each place in a text."""
    for number, line in enumerate(text.splitlines(), 1):
        for match in _WORD.finditer(line):
            yield number, match.group(1).lower().replace("_", " ")


def tracked() -> list[str]:
    """The files of the repository that are looked at."""
    listed = subprocess.run(["git", "ls-files"], capture_output=True, text=True, check=True)
    return [name for name in listed.stdout.splitlines() if not name.startswith("docs/examples/")]


def main(names: Sequence[str]) -> int:
    """The program; its exit code."""
    bad = 0
    for name in names or tracked():
        path = Path(name)
        if name in EXCEPTIONS or path.suffix not in _TEXTS or not path.is_file():
            continue
        for line, word in found(path.read_text(encoding="utf-8", errors="replace")):
            print(f"{name}:{line}: {word}: say {INSTEAD[word]}")
            bad += 1
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
