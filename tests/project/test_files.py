"""The project's own files agree with each other."""

from __future__ import annotations

import re
import subprocess
import sys
import tomllib
from importlib import metadata
from pathlib import Path

from planecast import __version__


def names(requirements: list[str]) -> set[str]:
    return {normal(re.split(r"[<>=!~\[ ;]", text, maxsplit=1)[0]) for text in requirements}


def normal(name: str) -> str:
    return re.sub(r"[-_.]+", "-", name).lower()


def pins(repository: Path) -> dict[str, str]:
    lines = (repository / "constraints.txt").read_text().splitlines()
    wanted = [line for line in lines if line and not line.startswith("#")]
    return {normal(line.split("==")[0]): line.split("==")[1] for line in wanted}


def test_every_dependency_is_pinned(repository: Path) -> None:
    project = tomllib.loads((repository / "pyproject.toml").read_text())
    wanted = names(project["project"]["dependencies"])
    wanted |= names(project["project"]["optional-dependencies"]["dev"])
    wanted |= names(project["build-system"]["requires"])
    assert wanted - pins(repository).keys() == set()


def test_what_the_pins_need_is_pinned(repository: Path) -> None:
    pinned = pins(repository)
    missing = set()
    for name in pinned:
        for requirement in metadata.requires(name) or []:
            # A requirement with a marker is for other systems, versions or an extra.
            if ";" not in requirement and not names([requirement]) <= pinned.keys():
                missing.add(f"{name} needs {requirement}")
    assert missing == set()


def test_constraints_hold_names_and_versions_only(repository: Path) -> None:
    for line in (repository / "constraints.txt").read_text().splitlines():
        assert re.fullmatch(r"#.*|[A-Za-z0-9_.-]+==[A-Za-z0-9.]+", line), line


def test_one_version(repository: Path) -> None:
    project = tomllib.loads((repository / "pyproject.toml").read_text())
    assert project["project"]["version"] == __version__
    assert f"## {__version__}" in (repository / "CHANGELOG.md").read_text()


def test_the_set_up_of_the_demo_installs_what_runs_at_pinned_versions(repository: Path) -> None:
    def printed(*words: str) -> set[str]:
        program = [sys.executable, repository / "tools" / "run_requirements.py", *words]
        ran = subprocess.run(program, capture_output=True, check=True, text=True)
        return names(ran.stdout.splitlines())

    described = tomllib.loads((repository / "pyproject.toml").read_text())
    assert names(described["project"]["dependencies"]) < printed() < pins(repository).keys()
    assert printed().isdisjoint({"pytest", "mypy", "mkdocs"})
    assert printed("build") == names(described["build-system"]["requires"])
