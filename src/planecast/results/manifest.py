"""Manifest: what made a result, so that somebody else can make it again."""

from __future__ import annotations

import os
import platform
import shlex
import sys
from collections.abc import Mapping
from datetime import UTC, datetime
from importlib import metadata
from pathlib import Path

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


def host_facts(root: Path = Path("/")) -> dict[str, str | int | float]:
    """What a reader wants to know about the machine; `root` holds its proc and sys."""
    cpuinfo = _text(root / "proc/cpuinfo")
    models = [
        line.partition(":")[2].strip() for line in cpuinfo.splitlines() if "model name" in line
    ]
    memory = next(
        (
            line.split()[1]
            for line in _text(root / "proc/meminfo").splitlines()
            if "MemTotal" in line
        ),
        "0",
    )
    flags = next((line for line in cpuinfo.splitlines() if line.startswith("flags")), "")
    return {
        "cpu": models[0] if models else platform.machine(),
        "cpu_id": _cpu_id(cpuinfo),
        "cpus": len(models) or (os.cpu_count() or 1),
        "memory_bytes": int(memory) * 1024,
        "kernel": _text(root / "proc/sys/kernel/osrelease").strip() or platform.release(),
        "virtual": "yes" if " hypervisor" in flags else "no",
    }


def same_host(host: Mapping[str, object]) -> bool:
    """Whether these facts are of the machine that we run on."""
    here = host_facts()
    return bool(host.get("cpu")) and all(
        host.get(key, here[key]) == here[key] for key in _SAME_HOST
    )


def _cpu_id(cpuinfo: str) -> str:
    """Vendor, family and model of the first CPU: ``GenuineIntel-6-143``; empty if not reported."""
    pairs = (line.partition(":") for line in reversed(cpuinfo.splitlines()))
    facts = {key.strip(): value.strip() for key, _, value in pairs}
    parts = [facts.get(key, "") for key in ("vendor_id", "cpu family", "model")]
    return "-".join(parts) if all(parts) else ""


def versions() -> dict[str, str]:
    """Versions of planecast, Python, the numerical packages, the compiler and DPDK of the build."""
    found = {"python": platform.python_version()}
    for name in _PACKAGES:
        try:
            found[name] = metadata.version(name)
        except metadata.PackageNotFoundError:
            found[name] = "not installed"
    for line in _text(native_folder() / "build.txt").splitlines():
        key, _, value = line.partition("=")
        if value:
            found[key] = value
    return found


def _text(path: Path) -> str:
    try:
        return path.read_text(encoding="utf-8", errors="replace")
    except OSError:
        return ""
