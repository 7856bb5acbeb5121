"""The rooms of the command line: a verb imports shared and tables, no other verb; shared imports
tables; tables import neither."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from tests.project.test_imports import imports

CLI = "planecast.cli"


def part_of(module: str) -> tuple[str, ...]:
    """``("verbs", "measure")``, ``("shared",)`` or ``("tables",)`` of a module below the CLI."""
    parts = tuple(module.split(".")[2:])
    return parts[:2] if parts[:1] == ("verbs",) else parts[:1]


def allowed(own: tuple[str, ...], target: tuple[str, ...]) -> bool:
    """Whether a module of one part may import one of another."""
    below = {"verbs": {"shared", "tables"}, "shared": {"tables"}, "tables": set[str]()}
    return target == own or target[0] in below[own[0]]


def violations(package: Path) -> Iterator[str]:
    """Every import of the command line that points up or aside, as ``file:line: what``."""
    for file in sorted((package / "cli").glob("*/**/*.py")):
        parts = file.relative_to(package.parent).with_suffix("").parts
        is_package = parts[-1] == "__init__"
        module = ".".join(parts[:-1] if is_package else parts)
        for line, name in imports(file.read_text(encoding="utf-8"), module, is_package):
            target = part_of(name) if name.startswith(f"{CLI}.") else ()
            if target and not allowed(part_of(module), target):
                yield f"{file.relative_to(package.parent)}:{line}: {module} imports {name}"


def test_no_verb_imports_a_verb(repository: Path) -> None:
    assert list(violations(repository / "src" / "planecast")) == []


@pytest.mark.parametrize(
    ("file", "text", "found"),
    [
        ("verbs/a.py", "from planecast.cli.verbs.b import x", 1),
        ("verbs/a/c.py", "def f():\n    from planecast.cli.verbs.b.c import x", 1),
        ("verbs/a/c.py", "from planecast.cli.verbs.a.d import x", 0),
        ("verbs/a.py", "from planecast.cli.shared.output import emit", 0),
        ("shared/a.py", "from planecast.cli.verbs.b import x", 1),
        ("tables/a.py", "from planecast.cli.shared.output import x", 1),
        ("tables/a.py", "from planecast.cli.tables.sheet import Sheet", 0),
    ],
)
def test_an_import_of_another_verb_is_found(
    tmp_path: Path, file: str, text: str, found: int
) -> None:
    path = tmp_path / "planecast" / "cli" / file
    path.parent.mkdir(parents=True)
    path.write_text(text)
    assert len(list(violations(tmp_path / "planecast"))) == found
