"""Imports run downwards only, in the order of ARCHITECTURE.md: read from every file's imports."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path

import pytest

LEVELS = (
    {"errors", "extras", "native", "cleanup", "progress", "cache_line"},
    {"json_process", "process"},
    {"catalog", "host"},
    {"scenario"},
    {"results"},
    {"topdown", "workload"},
    {"dataplanes", "generators", "instruments"},
    {"machine"},
    {"model"},
    {"engines"},
    {"explain", "partition", "calibrate", "study", "search", "sweep", "reproduce"},
    {"report"},
    {"explore"},
    {"cli"},
    {"__main__"},
)
"""The rooms from the ground up. A room imports from lower levels; rooms on one level may import
each other as long as there is no circle."""

LEVEL_OF = {room: level for level, rooms in enumerate(LEVELS) for room in rooms}


def room_of(module: str) -> str | None:
    """The room of ``planecast.<room>…``; None for the package itself."""
    parts = module.split(".")
    return parts[1] if len(parts) > 1 else None


def imports(source: str, module: str, is_package: bool) -> Iterator[tuple[int, str]]:
    """Line and full name of everything of planecast that a file imports, at any depth."""
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.Import):
            yield from ((node.lineno, alias.name) for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            base = node.module or ""
            if node.level:
                above = module.split(".")
                above = above[: len(above) - node.level + is_package]
                base = ".".join([*above, *([base] if base else [])])
            if base == "planecast":
                yield from ((node.lineno, f"planecast.{alias.name}") for alias in node.names)
            else:
                yield node.lineno, base


def edges(package: Path) -> Iterator[tuple[str, str, str]]:
    """(importing room, imported room, ``file:line``) of every import between rooms."""
    for file in sorted(package.rglob("*.py")):
        parts = file.relative_to(package.parent).with_suffix("").parts
        is_package = parts[-1] == "__init__"
        module = ".".join(parts[:-1] if is_package else parts)
        room = room_of(module)
        for line, name in imports(file.read_text(encoding="utf-8"), module, is_package):
            target = room_of(name) if name.split(".")[0] == "planecast" else None
            if room and target and target != room and not target.startswith("__"):
                yield room, target, f"{file.relative_to(package.parent)}:{line}"


def violations(package: Path) -> list[str]:
    """Every import that points upwards or into a circle, in words."""
    found = []
    peers: dict[str, set[str]] = {}
    for room, target, place in edges(package):
        unknown = {room, target} - LEVEL_OF.keys()
        if unknown:
            found.append(f"{place}: no level is known for {', '.join(unknown)}")
        elif LEVEL_OF[target] > LEVEL_OF[room]:
            found.append(f"{place}: {room} imports {target}, which lies above it")
        elif LEVEL_OF[target] == LEVEL_OF[room]:
            peers.setdefault(room, set()).add(target)
    found += [f"{room} imports itself round a circle" for room in peers if _circle(room, peers)]
    return found


def _circle(start: str, peers: dict[str, set[str]]) -> bool:
    reached, fresh = set[str](), set(peers[start])
    while fresh:
        reached |= fresh
        fresh = {target for room in fresh for target in peers.get(room, ())} - reached
    return start in reached


def test_imports_run_downwards(repository: Path) -> None:
    assert violations(repository / "src" / "planecast") == []


@pytest.mark.parametrize(
    ("file", "text", "fragment"),
    [
        ("scenario/a.py", "from planecast.results import x", "lies above"),
        ("scenario/a.py", "from ..cli.app import x", "lies above"),
        ("scenario/__init__.py", "from ..cli import app", "lies above"),
        ("errors.py", "def f():\n    import planecast.cli", "lies above"),
        ("results/a.py", "from planecast import report", "lies above"),
        ("attic/a.py", "from planecast import errors", "no level"),
    ],
)
def test_an_import_upwards_is_found(tmp_path: Path, file: str, text: str, fragment: str) -> None:
    path = tmp_path / "planecast" / file
    path.parent.mkdir(parents=True)
    path.write_text(text)
    (found,) = violations(tmp_path / "planecast")
    assert fragment in found


def test_a_circle_of_peers_is_found(tmp_path: Path) -> None:
    for room, other in (("study", "calibrate"), ("calibrate", "search"), ("search", "study")):
        path = tmp_path / "planecast" / room / "a.py"
        path.parent.mkdir(parents=True)
        path.write_text(f"from planecast.{other} import x")
    assert len(violations(tmp_path / "planecast")) == 3
