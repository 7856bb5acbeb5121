"""Probing this machine: runs planecast-probe once a boot, and remembers the answer."""

from __future__ import annotations

import hashlib
import platform
from datetime import UTC, datetime
from pathlib import Path

from planecast.host import Root
from planecast.instruments.core_to_core import ping_pong_now
from planecast.instruments.disk_cache import cache_folder, recall, remember
from planecast.instruments.host_state import HostState, read_state
from planecast.instruments.machine_probe import MachineProbe
from planecast.instruments.probe_output import parse_output
from planecast.instruments.probe_process import probe_words, run_probe
from planecast.instruments.probe_reading import read_probe

SECONDS = 12.0
STATE_SECONDS = 3.0
_VERSION = 6  # of what is remembered; raised when MachineProbe changes


def probe_machine(
    *, fresh: bool = False, seconds: float = SECONDS, cpu: int | None = None
) -> MachineProbe:
    """This machine's caches, memory and cores, as measured, with the host's state of that time.

    Remembered for this host, boot and CPU in the user's cache folder; `fresh` measures again, for
    `seconds` and two more (1 to 600). `cpu` is the last one allowed unless named. Raises
    MissingError when the program is not built, RunError when it fails.
    """
    kept = _cache_file(cpu)
    if not fresh:
        known = recall(kept, MachineProbe)
        if known is not None:
            return known
    probe = read_probe(
        parse_output(run_probe(probe_command(seconds, cpu), _longest(seconds))),
        probed_at=datetime.now(UTC).strftime("%Y-%m-%dT%H:%M:%SZ"),
    )
    probe = probe.model_copy(update={"state": probe_state(probe.cpu)})
    remember(kept, probe)
    return probe


def probe_state(cpu: int | None = None) -> HostState:
    """What this host's other tenants change, measured now: two to three seconds; never remembered.

    Raises MissingError when the program is not built, RunError when it fails.
    """
    words = probe_words("--state", *_on(cpu))
    before = None if cpu is None else ping_pong_now(cpu)
    found = read_state(run_probe(words, _longest(STATE_SECONDS)))
    ways = [way.ns for way in (before, ping_pong_now(found.cpu)) if way is not None]
    return found.model_copy(update={"handoff_ns": max(ways, default=None)})


def probe_command(seconds: float = SECONDS, cpu: int | None = None) -> list[str]:
    """The command that measures. Raises MissingError when the program is not built."""
    return probe_words("--seconds", seconds, *_on(cpu))


def _on(cpu: int | None) -> tuple[object, ...]:
    return () if cpu is None else ("--cpu", cpu)


def _longest(seconds: float) -> float:
    return 3 * seconds + 120


def host_id() -> str:
    """A digest that stays with this host: of its machine id, or of its name when it has none."""
    text = Root().text("etc/machine-id") or platform.node()
    return hashlib.sha256(f"planecast {text}".encode()).hexdigest()[:16]


def boot_id() -> str:
    """What the kernel calls this boot; ``unknown`` when it doesn't report."""
    return Root().boot_id() or "unknown"


def _cache_file(cpu: int | None) -> Path:
    which = "any" if cpu is None else str(cpu)
    return cache_folder() / f"probe-{_VERSION}-{host_id()}-{boot_id()}-{which}.json"
