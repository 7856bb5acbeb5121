"""What the package imports is what pip installs with it: an installation from its own metadata
must not lack what a developer's environment has."""

from __future__ import annotations

import ast
import re
import sys
import tomllib
from collections.abc import Iterator
from importlib.metadata import (
    PackageNotFoundError,
    distribution,
    packages_distributions,
    requires,
)
from pathlib import Path

import pytest
from packaging.specifiers import SpecifierSet

_OF_TREX = {"trex", "scapy"}
"""What TRex's client brings in a folder of its own, which it puts on the path."""
_NAME = re.compile(r"[A-Za-z0-9._-]+")


def plain(requirement: str) -> str:
    """The distribution that a requirement names, as they are compared."""
    found = _NAME.match(requirement)
    assert found is not None
    return re.sub(r"[-_.]+", "-", found[0]).lower()


def with_theirs(names: set[str]) -> set[str]:
    """Distributions and all that these need."""
    known: set[str] = set()
    open_names = set(names)
    while open_names:
        name = open_names.pop()
        known.add(name)
        try:
            needed = requires(name) or []
        except PackageNotFoundError:
            continue
        open_names |= {plain(one) for one in needed if "extra ==" not in one} - known
    return known


def imported(package: Path) -> Iterator[tuple[str, str]]:
    """Each module of others that the package imports, and where."""
    for file in sorted(package.rglob("*.py")):
        for node in ast.walk(ast.parse(file.read_text(encoding="utf-8"))):
            names: list[str] = []
            if isinstance(node, ast.Import):
                names = [alias.name for alias in node.names]
            elif isinstance(node, ast.ImportFrom) and node.level == 0 and node.module:
                names = [node.module]
            for name in {one.partition(".")[0] for one in names}:
                if name != "planecast" and name not in sys.stdlib_module_names:
                    yield name, f"{file.relative_to(package)}:{node.lineno}"


@pytest.fixture
def declared(repository: Path) -> dict[str, set[str]]:
    """Distributions by the extra that installs them; those that always come stand under ""."""
    text = (repository / "pyproject.toml").read_text(encoding="utf-8")
    project = tomllib.loads(text)["project"]
    extras = {**project["optional-dependencies"], "": project["dependencies"]}
    return {name: {plain(one) for one in listed} for name, listed in extras.items()}


def test_what_is_imported_is_declared(repository: Path, declared: dict[str, set[str]]) -> None:
    for_users = set().union(*(names for extra, names in declared.items() if extra != "dev"))
    known = with_theirs(for_users)
    owners = packages_distributions()
    missing = [
        f"{where} imports {module}"
        for module, where in imported(repository / "src" / "planecast")
        if module not in _OF_TREX and not {plain(one) for one in owners.get(module, [])} & known
    ]
    assert missing == []


def test_every_extra_is_tested_with(declared: dict[str, set[str]]) -> None:
    wanted = set().union(*(names for extra, names in declared.items() if extra not in {"", "trex"}))
    assert wanted <= declared["dev"]


def test_every_pinned_package_takes_the_oldest_python_that_we_take(repository: Path) -> None:
    project = tomllib.loads((repository / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    oldest = project["requires-python"].removeprefix(">=") + ".0"
    refusing = []
    for line in (repository / "constraints.txt").read_text(encoding="utf-8").splitlines():
        if line.startswith("#"):
            continue
        asked = distribution(plain(line)).metadata.get("Requires-Python", "")
        if oldest not in SpecifierSet(asked):
            refusing.append(f"{line} asks for Python {asked}")
    assert refusing == []
