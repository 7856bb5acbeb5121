"""Classes of service through Intel's pqos (package intel-cmt-cat), for who uses it already.

pqos has all classes always, by number; a group ``planecast-2`` here is its class 2, and one that
has CPUs is somebody's. It has no schemata: what ``pqos -s`` says is put into their form, and back
into ``pqos -e`` and ``pqos -a``. Sources: pqos's manual page, and what versions 1 to 24 print: COS
has become CLOS, a socket may be called otherwise on AMD's parts.
"""

from __future__ import annotations

import re
import shutil
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field

from planecast.errors import MissingError, RunError
from planecast.host.rdt import EIGHTHS, BandwidthAllocation, CacheAllocation, Rdt
from planecast.partition.export_commands import PREFIX
from planecast.partition.record import Backend
from planecast.partition.schemata import Schemata, parse_schemata
from planecast.scenario.cpus import format_cpus, parse_cpus

_TIMEOUT_S = 30.0
_PLACE = re.compile(r"definitions for \D*(\d+):")
_WAYS = re.compile(r"L3CA CL?OS(\d+) => MASK (0x[0-9a-fA-F]+)")
_APART = re.compile(r"L3CA CL?OS\d+ => (?:DATA|CODE)")
_BANDWIDTH = re.compile(r"\bMBA CL?OS(\d+) => (\d+)")
_CORE = re.compile(r"Core (\d+),.*=> CL?OS(\d+)")
_L3_DETAILS = re.compile(r"L3 CAT details:.*#CL?OS=(\d+), #ways=(\d+).*bit-mask (0x[0-9a-fA-F]+)")
_MBA_DETAILS = re.compile(r"MBA details: #CL?OS=(\d+).*step=(\d+)")


@dataclass
class _Said:
    """What ``pqos -s`` said."""

    classes: dict[int, Schemata] = field(default_factory=dict)
    cpus: dict[int, list[int]] = field(default_factory=dict)

    def record(self, number: int, resource: str, domain: int, value: int) -> None:
        self.classes.setdefault(number, {}).setdefault(resource, {})[domain] = value


class Pqos:
    """Runs pqos. What it said is remembered until something is changed."""

    backend: Backend = "pqos"

    def __init__(self, program: str = "pqos") -> None:
        self._program = program
        self._said: _Said | None = None

    def check(self) -> None:
        """Raises MissingError without the program, or where it can't work."""
        if shutil.which(self._program) is None:
            raise MissingError(
                "there is no pqos", self._program, "apt-get install intel-cmt-cat, or use resctrl"
            )
        try:
            said = self._now()
        except RunError as error:
            raise MissingError(
                error.what, error.where, "pqos needs root and a CPU with RDT"
            ) from None
        if not any(said.classes.values()):
            raise MissingError("pqos reports nothing to divide", f"{self._program} -s", "")

    def offer(self) -> Rdt:
        """What there is to divide, where the kernel doesn't report. Raises RunError."""
        text = self._run("-s", "-v")
        domains = tuple(sorted({int(number) for number in _PLACE.findall(text)}))
        l3, band = _L3_DETAILS.search(text), _MBA_DETAILS.search(text)
        caches: tuple[CacheAllocation, ...] = ()
        limit = None
        if l3:
            classes, ways, shared = int(l3[1]), int(l3[2]), int(l3[3], 16)
            caches = (CacheAllocation("L3", (1 << ways) - 1, 1, classes, shared, False, domains),)
        if band:
            step = int(band[2])
            most = max([100, *(int(value) for _, value in _BANDWIDTH.findall(text))])
            unit = "percent" if most == 100 else EIGHTHS  # AMD's, which no class exceeds
            limit = BandwidthAllocation("MB", step, step, most, int(band[1]), unit, domains)
        return Rdt((), True, caches, limit)

    @contextmanager
    def locked(self) -> Iterator[None]:
        """pqos locks each of its own runs; between them nothing can."""
        yield

    def groups(self) -> list[str]:
        """All classes."""
        return [_group(number) for number in sorted(self._now().classes)]

    def taken(self) -> list[str]:
        """Classes that have CPUs."""
        return [
            _group(number) for number, cpus in sorted(self._now().cpus.items()) if number and cpus
        ]

    def read(self, group: str, name: str) -> str:
        """A class in the form of resctrl's file."""
        number, said = _number(group), self._now()
        if number not in said.classes:
            raise RunError(f"pqos has no class {number}", f"{self._program} -s")
        if name == "cpus_list":
            return format_cpus(said.cpus.get(number, [])) + "\n"
        return _schemata_text(said.classes[number])

    def write(self, group: str, name: str, text: str) -> None:
        """Sets a class's ways and bandwidth, or gives it CPUs."""
        number = _number(group)
        if name == "cpus_list":
            self._give(number, parse_cpus(text.strip()))
            return
        wanted = parse_schemata(text)
        for resource, key, form in (("L3", "llc", "#x"), ("MB", "mba", "d")):
            if wanted.get(resource):
                parts = "".join(
                    f"{key}@{domain}:{number}={value:{form}};"
                    for domain, value in sorted(wanted[resource].items())
                )
                self._change("-e", parts)

    def make(self, group: str) -> None:
        """Classes are there always."""

    def remove(self, group: str) -> None:
        """Gives the class's CPUs back to class 0."""
        own = self._now().cpus.get(_number(group), [])
        if own:
            self._give(0, own)

    def place(self, group: str, name: str) -> str:
        """The command that reported it."""
        return f"{self._program} -s, class {_number(group)}"

    def _give(self, number: int, cpus: list[int] | tuple[int, ...]) -> None:
        self._change("-a", f"llc:{number}={','.join(map(str, cpus))}")

    def _change(self, option: str, what: str) -> None:
        self._said = None
        self._run(option, what)

    def _now(self) -> _Said:
        if self._said is None:
            self._said = parse_shown(self._run("-s"))
        return self._said

    def _run(self, *words: str) -> str:
        command = [self._program, *words]
        try:
            done = subprocess.run(
                command, capture_output=True, text=True, timeout=_TIMEOUT_S, check=False
            )
        except (OSError, subprocess.TimeoutExpired) as error:
            raise RunError(f"pqos can't be run: {error}", " ".join(command)) from None
        if done.returncode != 0:
            lines = (done.stderr or done.stdout).strip().splitlines()
            raise RunError(
                f"pqos refused: {lines[-1] if lines else f'exit code {done.returncode}'}",
                " ".join(command),
            )
        return done.stdout


def parse_shown(text: str) -> _Said:
    """What ``pqos -s`` printed. Raises RunError where code and data are apart (CDP)."""
    if _APART.search(text):
        raise RunError(
            "code and data have ways of their own (CDP)", "pqos -s", "pqos -R l3cdp-off, or resctrl"
        )
    said = _Said()
    domain = 0
    for line in text.splitlines():
        if found := _PLACE.search(line):
            domain = int(found[1])
        elif found := _WAYS.search(line):
            said.record(int(found[1]), "L3", domain, int(found[2], 16))
        elif found := _BANDWIDTH.search(line):
            said.record(int(found[1]), "MB", domain, int(found[2]))
        elif found := _CORE.search(line):
            said.cpus.setdefault(int(found[2]), []).append(int(found[1]))
    return said


def _schemata_text(schemata: Schemata) -> str:
    lines = []
    for resource, form in (("L3", "x"), ("MB", "d")):
        if resource in schemata:
            values = (f"{d}={value:{form}}" for d, value in sorted(schemata[resource].items()))
            lines.append(f"{resource}:{';'.join(values)}")
    return "\n".join(lines) + "\n"


def _group(number: int) -> str:
    return f"{PREFIX}-{number}" if number else ""


def _number(group: str) -> int:
    return int(group.rpartition("-")[2]) if group else 0
