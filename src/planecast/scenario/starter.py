"""The first scenario of somebody who wants to measure a data plane of their own, as YAML text."""

from __future__ import annotations

import shlex
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import PurePath
from typing import Literal

from planecast.errors import InputError

StarterKind = Literal["testpmd", "l3fwd", "ovs", "vpp", "command"]

TITLES: dict[StarterKind, str] = {
    "testpmd": "testpmd, DPDK's own test application",
    "l3fwd": "l3fwd, DPDK's example of a router",
    "ovs": "Open vSwitch with DPDK",
    "vpp": "VPP, a layer 2 cross-connect",
    "command": "a DPDK program of yours, by its command line",
}
"""What can be asked for, and what it is."""

_PORTS = ("--lcores", "0@{main_cpu},1@{cpu}", "{in_eal}", "{out_eal}", "--no-pci")
NO_LARGE_PAGES = ("--no-huge", "-m", "512", "--no-shconf")
"""EAL's options for memory of 4 KiB pages."""
_OURS = {
    "-l": 1, "-c": 1, "--lcores": 1, "--main-lcore": 1, "--master-lcore": 1, "-a": 1, "--allow": 1,
    "-w": 1, "-b": 1, "--block": 1, "--vdev": 1, "--file-prefix": 1, "--no-pci": 0,
}  # fmt: skip
"""EAL's options that say where it runs and between which ports, and how many words each has after
it."""


@dataclass(frozen=True)
class Starter:
    """What the questions were answered with."""

    kind: StarterKind
    frame_bytes: int = 64
    flows: int = 3125
    program: str | None = None
    """Path of the binary; None: where it is usually found."""
    command: str | None = None
    """command: the command line, as it is typed without planecast."""
    large_pages: bool = False
    """Whether 2 MiB pages are reserved, which a program of others needs or has to do without."""

    @property
    def text(self) -> str:
        """The file. Raises InputError for a command line that can't be read."""
        lines = [
            f"# {TITLES[self.kind][0].upper()}{TITLES[self.kind][1:]}.",
            "# Made by planecast init; planecast schema scenario has all keys.",
            f"name: {self.kind if self.kind != 'command' else 'mine'}",
            "machine: host",
            "",
            "dataplane:",
            f"  kind: {self.kind}",
            *self._dataplane(),
            "",
            "traffic:",
            f"  frame_bytes: {self.frame_bytes}",
            f"  flows: {self.flows}",
            "  seed: 1",
            "",
            "placement:",
            "  lcores: 1          # how many forward; cpus: 2 would say on which",
            "  rx_ring: 1024",
            "  tx_ring: 1024",
        ]
        return "\n".join(lines) + "\n"

    def _dataplane(self) -> list[str]:
        lines = {
            "testpmd": ["  mode: io           # mac and macswap write addresses"],
            "vpp": ["  graph: l2xc        # or l2patch, l2bridge, ip4 or ip6"],
        }.get(self.kind, [])
        if self.kind == "command":
            command = placed_command(self.command or "", large_pages=self.large_pages)
            lines = [
                "  # {…} are planecast's ports and CPUs; a brace of your own is doubled.",
                f"  command: {_quoted(command)}",
                "  # For a program with routes, rules or a MAC address of its own:",
                "  # packets: {destination: 11.0.0.1, destination_step: 0.0.0.1}",
            ]
        if self.program is not None:
            lines = [*lines, f"  program: {_quoted(self.program)}"]
        return lines


_NO_FLUSH = "--no-flush-rx"
"""testpmd throws away what its ports hold when it starts: packets that it was meant to forward."""


def placed_command(typed: str, *, large_pages: bool) -> str:
    """A DPDK program's command line with planecast's CPUs and ports in place of its own.

    One that has ``{in_eal}`` or ``{in}`` is taken as it is. Raises InputError for one that is empty
    or whose quotes don't match.
    """
    try:
        words = shlex.split(typed)
    except ValueError as error:
        raise InputError(f"can't read the command line: {error}", "--command") from None
    if not words:
        raise InputError("there is no command line", "--command", "write it as you type it")
    if "{in" in typed:
        return typed
    end = words.index("--") if "--" in words else len(words)
    kept = _without_ours(words[1:end])
    pages = () if large_pages or "--no-huge" in kept or "--in-memory" in kept else NO_LARGE_PAGES
    ours = (*_PORTS, *pages)
    after = words[end:]
    if PurePath(words[0]).name.endswith("testpmd") and _NO_FLUSH not in after:
        after = [*(after or ["--"]), _NO_FLUSH]
    own = [_escaped(word) for word in (words[0], *kept, *after)]
    return " ".join([own[0], *ours, *own[1:]])


def _escaped(word: str) -> str:
    """Quoted for a shell's reader, its braces doubled, which stand for nothing then."""
    return shlex.quote(word.replace("{", "{{").replace("}", "}}"))


def _without_ours(words: Sequence[str]) -> list[str]:
    """EAL's words without those that say where it runs and between which ports."""
    found: list[str] = []
    skip = 0
    for word in words:
        if skip:
            skip -= 1
            continue
        name, joined, _ = word.partition("=")
        if name in _OURS:
            skip = 0 if joined else _OURS[name]
        elif word[:2] in _OURS and not word.startswith("--"):
            continue  # -l0-1
        else:
            found.append(word)
    return found


def _quoted(text: str) -> str:
    """As a YAML value on one line."""
    return "'" + text.replace("'", "''") + "'"


def next_commands(path: str) -> tuple[str, str, str]:
    """The three commands to type then."""
    file = shlex.quote(path)
    return (f"planecast measure {file}", f"planecast search {file}", "planecast report latest")
