"""Count: runs ``perf stat`` over CPUs that a data plane is busy on, and reads what it counted."""

from __future__ import annotations

import shutil
import subprocess
from dataclasses import dataclass
from pathlib import Path

from planecast.cleanup import private_folder
from planecast.errors import MissingError, RunError
from planecast.host.counters import hardware_counters
from planecast.instruments.recorded import Recording, read_recording
from planecast.topdown import Definition
from planecast.topdown.event_names import perf_event

_FORBIDDEN = ("paranoid", "permission", "not permitted", "access to performance monitoring")
_UNKNOWN = ("event syntax error", "unknown event", "parser error", "bad event")
_GRACE_S = 30


@dataclass(frozen=True)
class CountRequest:
    """What is to be counted."""

    cpus: tuple[int, ...]
    """CPUs, each counted by itself."""
    groups: tuple[tuple[str, ...], ...]
    """Events of the definition, a group each."""
    seconds: float = 5.0
    """How long."""
    rounds: int = 5
    """Into how many rounds that is divided: their scatter gives the intervals."""


def perf_command(definition: Definition, request: CountRequest, file: Path) -> list[str]:
    """The command line that counts into `file`, a JSON object a line."""
    from planecast.scenario.cpus import format_cpus

    groups = []
    for events in request.groups:
        asked = [perf_event(definition, event) for event in events]
        groups.append("{" + ",".join(text for text in asked if text) + "}")
    # perf refuses rounds below 10 ms
    interval_ms = max(int(1000 * request.seconds / request.rounds), 10)
    return [
        "perf", "stat", "-j", "-A", "-C", format_cpus(request.cpus), "-I", str(interval_ms),
        "-o", str(file), "-e", ",".join(groups), "--", "sleep", f"{request.seconds:g}",
    ]  # fmt: skip


def count_events(definition: Definition, request: CountRequest) -> Recording:
    """What `request` asks for.

    Raises MissingError when perf isn't there, isn't allowed to count or finds the counters hidden;
    RunError when it fails for another reason.
    """
    program = shutil.which("perf")
    if program is None:
        raise MissingError("perf is not installed", what_to_do="apt-get install linux-perf")
    with private_folder() as folder:
        file = Path(folder) / "counts.json"
        command = [program, *perf_command(definition, request, file)[1:]]
        try:
            done = subprocess.run(
                command,
                capture_output=True,
                text=True,
                check=False,
                timeout=request.seconds + _GRACE_S,
            )
        except subprocess.TimeoutExpired as error:
            raise RunError(f"perf did not end within {error.timeout:.0f} s") from None
        said = done.stderr + (file.read_text(errors="replace") if file.exists() else "")
        if done.returncode != 0:
            raise _failure(said, done.returncode)
        recording = read_recording(file)
    if recording.counts and all("not supported" in c.reason for c in recording.counts):
        raise _hidden()
    return recording


def _hidden() -> MissingError:
    return MissingError(
        "this machine's counters are hidden",
        what_to_do="ask for a machine with vPMU or for bare metal; planecast explain RUN needs "
        "no counters",
    )


def _failure(said: str, code: int) -> MissingError | RunError:
    """What perf's words mean."""
    lines = [line.strip() for line in said.splitlines() if line.strip()]
    plain = said.lower()
    if any(word in plain for word in _FORBIDDEN):
        return MissingError(
            "perf is not allowed to count on CPUs",
            what_to_do="sudo sysctl kernel.perf_event_paranoid=0, or run as root",
        )
    if any(word in plain for word in _UNKNOWN) and hardware_counters() == "hidden":
        return _hidden()  # perf knows the events of the processors that it sees
    if any(word in plain for word in _UNKNOWN):
        named = next((line for line in lines if "'" in line), lines[0])
        return MissingError(
            f"this perf doesn't know an event: {named[:200]}",
            what_to_do="install the perf of this kernel, or count less with --level 1",
        )
    return RunError(f"perf failed: {lines[-1][:200] if lines else f'it ended with {code}'}")
