"""Files, classes and their members that the documents name are there.

Lab notes describe earlier states, and the changelog what is gone: neither is looked at.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

REPOSITORY = Path(__file__).parent.parent.parent
ROOTS = ("", "src", "src/planecast", "native", "tests")
"""Folders that a path in a document may begin in, in addition to the document's own."""
FOREIGN_FILES = {"rte_mbuf_dyn.h", "acl_run_avx512_common.h", "acl_run_sse.h"}
"""DPDK's."""
FOREIGN_CLASSES = {"HdrHistogram"}
_FILE = re.compile(r"`([\w./*-]*\w\.(?:py|c|h|cpp|hpp|sh|js|yaml))`")
_FOLDER = re.compile(r"`((?:src|native|tests|docs|tools|studies|scenarios)/[\w./*-]+)`")
_MEMBER = re.compile(r"`([A-Z][a-z]\w+)\.([a-z]\w+)(?:\([^`]*\))?`")


def documents() -> Iterator[tuple[Path, str]]:
    """Each document with its text."""
    for path in sorted([*REPOSITORY.glob("*.md"), *REPOSITORY.glob("docs/**/*.md")]):
        if path.name != "CHANGELOG.md" and "lab-notes" not in path.parts:
            yield path, path.read_text(encoding="utf-8")


def is_there(name: str, document: Path) -> bool:
    """Whether a file or folder of this name is where the document may mean it."""
    folders = [REPOSITORY / root for root in ROOTS] + [document.parent]
    if any(True for folder in folders for end in ("", ".*") for _ in folder.glob(name + end)):
        return True
    bare = "/" not in name and "*" not in name
    places = ("src", "native", "tests", "tools", "studies", "scenarios", "examples")
    return bare and any(True for place in places for _ in (REPOSITORY / place).rglob(name))


def test_named_files_are_there() -> None:
    absent = [
        f"{path.relative_to(REPOSITORY)}: {name}"
        for path, text in documents()
        for pattern in (_FILE, _FOLDER)
        for name in pattern.findall(text)
        if not (name in FOREIGN_FILES or name[0].isupper() or is_there(name, path))
    ]
    assert absent == []


def test_named_members_are_there() -> None:
    code = [path.read_text(encoding="utf-8") for path in (REPOSITORY / "src").rglob("*.py")]
    absent = []
    for path, text in documents():
        for owner, member in _MEMBER.findall(text):
            of_class = [one for one in code if re.search(rf"^class {owner}\b", one, re.MULTILINE)]
            named = re.compile(rf"\b{member}\b")
            if owner not in FOREIGN_CLASSES and not any(named.search(one) for one in of_class):
                absent.append(f"{path.relative_to(REPOSITORY)}: {owner}.{member}")
    assert absent == []
