"""Manifest: what made a result, so that somebody else can make it again."""

from __future__ import annotations

import functools
import os
import platform
import re
import shlex
import sys
from collections.abc import Mapping
from datetime import UTC, datetime
from pathlib import Path

from planecast.host import Root
from planecast.native import native_folder
from planecast.results.basis import Basis
from planecast.scenario.model import Noun

_SAME_HOST = ("cpu", "cpu_id", "cpus")
"""Facts that two runs on one host have in common; a kernel is updated, memory is added."""
_PACKAGES = ("planecast", "numpy", "scipy", "pydantic", "duckdb")


class Manifest(Noun):
    """The command, the seed, the machine and the versions behind a result."""

    command: str
    """The command line, quoted for a shell."""
    seed: int
    """Seed of everything random in it."""
    started_at: str
    """When it began: UTC, ISO 8601, to the second."""
    host: dict[str, str | int | float]
    """The machine: CPU by name and by vendor, family and model, how many, memory, kernel,
    hypervisor."""
    versions: dict[str, str]
    """Versions of planecast and of what it rests on."""
    engine: str
    """What answered: measure, solve, simulate."""
    calibration: Basis | None = None
    """The calibration that the answer rests on; None where it rests on none, and in runs from
    before it was kept."""


def collect_manifest(
    engine: str, seed: int, command: str | None = None, calibration: Basis | None = None
) -> Manifest:
    """The manifest of a run that begins now on this machine.

    `command` is the command line that was typed; by default the one of this process. `calibration`
    is what the answer rests on.
    """
    return Manifest(
        command=command or typed_command(),
        seed=seed,
        started_at=datetime.now(UTC).strftime("%Y-%m-%dT%H:%M:%SZ"),
        host=host_facts(),
        versions=versions(),
        engine=engine,
        calibration=calibration,
    )


def typed_command() -> str:
    """This process's command line, its program by name alone."""
    return shlex.join([Path(sys.argv[0]).name or "python", *sys.argv[1:]])


def host_facts(root: Root | None = None) -> dict[str, str | int | float]:
    """What a reader wants to know about the machine; by default the one we run on."""
    return dict(_own_facts() if root is None else _facts(root))


@functools.cache
def _own_facts() -> dict[str, str | int | float]:
    """They stay while a command runs: one that looks a calibration up compares every run's."""
    return _facts(Root())


def _facts(root: Root) -> dict[str, str | int | float]:
    models = root.cpuinfo("model name")
    memory = re.search(r"^MemTotal:\s+(\d+) kB", root.text("proc/meminfo"), re.MULTILINE)
    return {
        "cpu": models[0] if models else platform.machine(),
        "cpu_id": root.cpu_id(),
        "cpus": len(models) or (os.cpu_count() or 1),
        "memory_bytes": int(memory[1]) * 1024 if memory else 0,
        "kernel": root.text("proc/sys/kernel/osrelease") or platform.release(),
        "virtual": "yes" if "hypervisor" in root.cpu_flags() else "no",
    }


def same_host(host: Mapping[str, object], other: Mapping[str, object] | None = None) -> bool:
    """Whether facts are of the machine of the `other` facts; by default, of the one we run on."""
    there = host_facts() if other is None else other
    return bool(host.get("cpu")) and all(
        host.get(key, there.get(key)) == there.get(key) for key in _SAME_HOST
    )


def versions() -> dict[str, str]:
    """Versions of planecast, Python, the numerical packages, the compiler and DPDK of the build."""
    found = {"python": platform.python_version()}
    folders = _dist_info()
    found |= {name: folders.get(name) or _version(name) for name in _PACKAGES}
    for line in Root(native_folder()).text("build.txt").splitlines():
        key, _, value = line.partition("=")
        if value:
            found[key] = value
    return found


def _dist_info() -> dict[str, str]:
    """Versions by package, as the names of their folders have them.

    To ask `importlib.metadata` imports the parsers of letters and archives: 3 % of a `predict`.
    """
    found = (one.stem for path in reversed(sys.path) for one in Path(path).glob("*.dist-info"))
    return dict(name.split("-") for name in found if name.count("-") == 1)


def _version(name: str) -> str:
    """That of a package that was installed otherwise."""
    from importlib import metadata

    try:
        return metadata.version(name)
    except metadata.PackageNotFoundError:
        return "not installed"
