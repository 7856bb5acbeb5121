"""Any command."""

from __future__ import annotations

from typing import Literal

from planecast.scenario.dataplanes.hosted import Mapped
from planecast.scenario.dataplanes.linked import Chained
from planecast.scenario.dataplanes.packets import Addressed


class Command(Chained, Mapped, Addressed):
    """Any program, started as `command` says."""

    kind: Literal["command"]
    """Any program."""
    command: str
    """What is started, without a shell. {in} and {out} stand for the sockets (or interfaces) of the
    two links, {in_role} and {out_role} for its side of each, {in_eal} and {out_eal} for the whole
    argument of a DPDK program, {ring} for the logarithm of their ring sizes, {cpu} for the CPU that
    forwards, {main_cpu} for one that may sleep, {folder} for an empty folder, {tcp_port} for a free
    TCP port. Relative paths are those of the folder that planecast is started in."""
    ready: str | None = None
    """Words in its output that say it is up: no packet comes before. null: a search tries until
    packets come through, ``planecast dataplane`` can't know, and what counts and measures sends
    packets as soon as its first port is up."""

    @property
    def subject(self) -> str:
        """The command itself, and what packets it gets where these are not the usual ones."""
        changed = self.packets.changed()
        return f"command {self.command}" + (f" with {changed}" if changed else "")
