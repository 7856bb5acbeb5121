"""The container image: what its file names is there, and it builds where a builder works."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
from pathlib import Path

import pytest

REPOSITORY = Path(__file__).parent.parent.parent
CONTAINERFILE = REPOSITORY / "Containerfile"
# Within a container there may be no mounts and no control groups: chroot needs neither.
_BUILDERS = (
    ("podman", ["build"]),
    ("buildah", ["bud", "--isolation", "chroot"]),
    ("docker", ["build"]),
)
# What the build takes from outside: the base image, packages of Debian, packages of Python.
_PROBE = """FROM debian:12-slim
ARG PIP_CERT=
RUN apt-get update \\
    && apt-get install -y --no-install-recommends python3-venv \\
    && python3 -m venv /tmp/v \\
    && /tmp/v/bin/pip download --no-deps -d /tmp scikit-build-core
"""


def _build(command: list[str], file: Path, name: str, context: Path) -> tuple[int, str]:
    """Exit status and the end of what was said; a proxy's certificates are mounted."""
    environment = {key: value for key, value in os.environ.items() if not key.startswith("PIP_")}
    proxy = os.environ.get("PIP_CERT")
    mounted = ["-v", f"{proxy}:/ca.crt:ro", "--build-arg", "PIP_CERT=/ca.crt"] if proxy else []
    built = subprocess.run(
        [*command, *mounted, "-f", str(file), "-t", name, str(context)],
        capture_output=True,
        text=True,
        check=False,
        env=environment,
    )
    return built.returncode, built.stderr[-2000:]


def builder(folder: Path) -> list[str] | None:
    """The first builder that is here and builds from a base image with packages from outside."""
    (folder / "Probe").write_text(_PROBE, encoding="utf-8")
    for name, verb in _BUILDERS:
        program = shutil.which(name)
        if program is None:
            continue
        command = [program, *verb]
        if _build(command, folder / "Probe", "planecast-probe", folder)[0] == 0:
            subprocess.run([program, "rmi", "-f", "planecast-probe"], check=False)
            return command
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
    found = builder(tmp_path)
    if found is None:
        pytest.skip("no podman, buildah or docker is here that builds with packages from outside")
    name = "planecast-test"
    status, said = _build(found, CONTAINERFILE, name, REPOSITORY)
    assert status == 0, said
    program = found[0]
    try:
        if program.endswith("buildah"):
            asked = ["from", name]
            made = subprocess.run([program, *asked], capture_output=True, text=True, check=True)
            inside = [program, "run", "--isolation", "chroot", made.stdout.strip(), "--"]
            run = [*inside, "planecast", "--version"]
        else:
            run = [program, "run", "--rm", name, "--version"]
        answer = subprocess.run(run, capture_output=True, text=True, check=True)
        assert answer.stdout.startswith("planecast ")
    finally:
        subprocess.run([program, "rmi", "-f", name], capture_output=True, check=False)
