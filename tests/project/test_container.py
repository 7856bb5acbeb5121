"""The container image: what its file names is there, and it builds where a builder works."""

from __future__ import annotations

import re
import shutil
import subprocess
from pathlib import Path

import pytest

REPOSITORY = Path(__file__).parent.parent.parent
CONTAINERFILE = REPOSITORY / "Containerfile"
_BUILDERS = (("podman", "build"), ("buildah", "bud"), ("docker", "build"))


def builder() -> list[str] | None:
    """The first builder that is here and answers; docker's client alone builds nothing."""
    for name, verb in _BUILDERS:
        program = shutil.which(name)
        if program is None:
            continue
        asked = subprocess.run([program, "info"], capture_output=True, timeout=60, check=False)
        if asked.returncode == 0:
            return [program, verb]
    return None


def test_what_it_copies_is_there() -> None:
    text = CONTAINERFILE.read_text(encoding="utf-8")
    sources = re.findall(r"^COPY (?!--from)(\S+)", text, re.MULTILINE)
    assert {"constraints.txt", "scenarios", "studies"} <= set(sources)
    assert all((REPOSITORY / source).exists() for source in sources)


def test_its_packages_are_those_of_the_set_up() -> None:
    """What is compiled with there is what `tools/setup.sh run` compiles with here."""
    setup = re.search(r"^packages=\(([^)]*)\)", (REPOSITORY / "tools/setup.sh").read_text(), re.M)
    assert setup is not None
    build, _, run = CONTAINERFILE.read_text(encoding="utf-8").partition("COPY --from=build")
    build, _, last = build.rpartition("FROM ")
    assert run
    assert set(setup[1].split()) - {"dpdk"} <= set(re.findall(r"[a-z0-9-]+", build))
    # callgrind counts what `calibrate` and `validate` need; testpmd is in dpdk.
    assert {"python3", "dpdk", "valgrind"} <= set(re.findall(r"[a-z0-9-]+", last))


@pytest.mark.slow
def test_it_builds_and_answers(tmp_path: Path) -> None:
    found = builder()
    if found is None:
        pytest.skip("no podman, buildah or docker that works is here")
    name = "planecast-test"
    built = subprocess.run(
        [*found, "-f", str(CONTAINERFILE), "-t", name, str(REPOSITORY)],
        capture_output=True,
        text=True,
        check=False,
    )
    if "toomanyrequests" in built.stderr or "no such host" in built.stderr:
        pytest.skip("the base image can't be fetched from here")
    assert built.returncode == 0, built.stderr[-2000:]
    if found[0].endswith("buildah"):
        return
    try:
        answer = subprocess.run(
            [found[0], "run", "--rm", name, "--version"], capture_output=True, text=True, check=True
        )
        assert answer.stdout.startswith("planecast ")
    finally:
        subprocess.run([found[0], "rmi", "-f", name], capture_output=True, check=False)
