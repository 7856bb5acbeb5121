"""Prints what pip is to install, a line each: with `build` what planecast is built with, else what
it runs with, dependencies of pyproject.toml and those of some extras."""

from __future__ import annotations

import sys
import tomllib
from pathlib import Path

PROJECT = Path(__file__).parent.parent / "pyproject.toml"
EXTRAS = ("explore", "optimise")
"""The small ones of those that are for one machine."""


def requirements(*, build: bool) -> list[str]:
    """Requirements as pip reads them."""
    described = tomllib.loads(PROJECT.read_text())
    if build:
        return list(described["build-system"]["requires"])
    project = described["project"]
    extras = [one for name in EXTRAS for one in project["optional-dependencies"][name]]
    return [*project["dependencies"], *extras]


if __name__ == "__main__":
    print("\n".join(requirements(build=sys.argv[1:] == ["build"])))
