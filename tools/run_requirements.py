"""Prints what planecast is built and runs with, a line each: dependencies of pyproject.toml, those
of some extras, and those of the build."""

from __future__ import annotations

import tomllib
from pathlib import Path

PROJECT = Path(__file__).parent.parent / "pyproject.toml"
EXTRAS = ("explore", "optimise")
"""The small ones of those that are for one machine."""


def requirements() -> list[str]:
    """Requirements as pip reads them."""
    described = tomllib.loads(PROJECT.read_text())
    project = described["project"]
    extras = [one for name in EXTRAS for one in project["optional-dependencies"][name]]
    return [*project["dependencies"], *extras, *described["build-system"]["requires"]]


if __name__ == "__main__":
    print("\n".join(requirements()))
