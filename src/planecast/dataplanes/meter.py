"""The meter: asks a DPDK program of others for windows, from inside one of its ports.

``planecast-meter.so`` is loaded before the program and stands in a port's receive (or send)
function. Its windows are those of planecast's own data plane: as many packets, by the same clock,
with the same canaries before and after. Between trials the forwarding thread sleeps, so two
programs can take turns on one CPU.
"""

from __future__ import annotations

import json
import socket
import time
from collections.abc import Mapping
from pathlib import Path
from typing import Annotated, Any, Literal

from pydantic import BeforeValidator, ValidationError

from planecast.dataplanes.memory import Pages, pages_environment
from planecast.dataplanes.polls import Polls
from planecast.dataplanes.trial import Windows
from planecast.errors import RunError, first_refusal
from planecast.native import how_to_build, native_library
from planecast.scenario.model import Noun, listed
from planecast.workload.traced.rotation import Rotation

LIBRARY = "planecast-meter.so"
LIBRARIES = {"vpp": "planecast-meter-vpp.so"}
"""By kind of data plane, where it is another one."""
_MARGIN_S = 10.0
"""How much later than the trial's own limit an answer may come."""


class MeteredLcore(Noun):
    """What one trial found of a thread that polls a queue of the metered port."""

    cpu: int
    """Where the thread forwards."""
    edge_cycles: int = 0
    """TSC cycles of canaries and notes between windows, in polls that bring packets."""
    rotation: Rotation | None = None
    """If asked for."""
    windows: Windows
    """Its stages are rx, source (the frames that the meter makes), program and tx."""


class MeterAnswer(Noun):
    """What one trial found, by queue."""

    lcores: Annotated[tuple[MeteredLcore, ...], BeforeValidator(listed)]
    """They forward until the last one's windows are over."""


class PortStats(Noun):
    """What ethdev has counted of a port since its start."""

    rx_packets: int
    tx_packets: int
    rx_missed: int
    rx_errors: int
    tx_errors: int
    rx_no_buffer: int


class _Attached(Noun):
    tsc_hz: int
    dpdk: str


def meter_library(kind: str = "") -> Path:
    """The library's path, for a kind of data plane. Raises MissingError when it was not built."""
    return native_library(LIBRARIES.get(kind, LIBRARY))


class Meter:
    """The asking end. Give `environment` and `descriptor` to the process, then `attach`."""

    def __init__(self, pages: Pages, kind: str = "") -> None:
        """`pages`: how the memory of a program that runs with --no-huge is to lie; `kind`: of the
        data plane."""
        self._library = meter_library(kind)
        self._pages = pages
        self._ours, self._theirs = socket.socketpair()
        self._lines = self._ours.makefile("r", encoding="utf-8", errors="replace")
        self.attached: _Attached | None = None

    @property
    def descriptor(self) -> int:
        """The file descriptor that the process inherits."""
        return self._theirs.fileno()

    def environment(self) -> dict[str, str]:
        """What loads the meter, and says where it is asked."""
        return {
            "LD_PRELOAD": str(self._library),
            "PLANECAST_METER": str(self.descriptor),
            **pages_environment(self._pages),
        }

    def started(self) -> None:
        """The process has its end: with ours closed, it sees that we are gone."""
        self._theirs.close()

    def attach(self, port: int, side: Literal["rx", "tx"], out: int | None = None) -> str:
        """Puts the meter into a port; what is missing for that yet, empty when it is done. `out` is
        the port that packets leave by, if it is another."""
        leaving = port if out is None else out
        answer = self._ask(f"attach port={port} out={leaving} side={side}", _MARGIN_S)
        if "waiting" in answer:
            return str(answer["waiting"])
        self.attached = _Attached.model_validate(answer["attached"])
        return ""

    def trial(self, request: str, seconds: float = 10.0) -> MeterAnswer:
        """Warms up, measures and sends to sleep again, as a line of `trial_request` asks for.
        Raises RunError when it takes longer."""
        try:
            return MeterAnswer.model_validate(self._ask(request, seconds + _MARGIN_S))
        except ValidationError as error:
            raise _unreadable(error) from error

    def stats(self, port: int) -> PortStats:
        """What ethdev counts of a port."""
        try:
            return PortStats.model_validate(self._ask(f"stats port={port}", _MARGIN_S))
        except ValidationError as error:
            raise _unreadable(error) from error

    def watch(self, port: int, out: int) -> None:
        """From now on polls of a port that isn't metered are counted, while the program forwards to
        port `out`. Raises RunError for ports that aren't up and for one with several queues."""
        self._ask(f"watch port={port} out={out}", _MARGIN_S)

    def unwatch(self) -> Polls:
        """What was counted. Raises RunError when nothing was."""
        try:
            return Polls.model_validate(self._ask("unwatch", _MARGIN_S))
        except ValidationError as error:
            raise _unreadable(error) from error

    def release(self) -> None:
        """Lets it forward at full speed, unmeasured."""
        self._ask("release", _MARGIN_S)

    def idle(self) -> None:
        """Sends the forwarding thread to sleep."""
        self._ask("idle", _MARGIN_S)

    def close(self) -> None:
        """The program ends by itself when it notices."""
        self._lines.close()
        self._ours.close()
        self._theirs.close()

    def _ask(self, request: str, timeout_s: float) -> dict[str, Any]:
        self._ours.settimeout(timeout_s)
        try:
            self._ours.sendall(request.encode() + b"\n")
            line = self._lines.readline()
        except TimeoutError:
            raise RunError(f"the meter did not answer for {timeout_s:.0f} s") from None
        except OSError as error:
            raise RunError(f"the metered program is gone: {error.strerror}") from error
        if not line:
            raise RunError("the metered program is gone")
        return parse_answer(line)


def parse_answer(line: str) -> dict[str, Any]:
    """One line of the meter. Raises RunError for an error that it reports, and for what is none."""
    try:
        answer = json.loads(line)
    except ValueError:
        answer = None
    if not isinstance(answer, dict):
        raise RunError(
            f"the meter sent a malformed reply: {line.strip()[:80]}",
            what_to_do=f"build it again with {how_to_build()}",
        )
    if "error" in answer:
        raise RunError(f"the meter: {answer['error']}")
    return answer


def trial_request(
    windows: int,
    packets: int,
    warmup: int,
    seconds: float = 10.0,
    words: Mapping[str, object] | None = None,
) -> str:
    """The line that asks for a trial; `words` are more of it (native/meter/request.h)."""
    request = f"trial windows={windows} packets={packets} warmup={warmup} seconds={seconds:g}"
    return request + "".join(f" {name}={value}" for name, value in (words or {}).items())


def wait_attached(
    meter: Meter, port: int, side: Literal["rx", "tx"], deadline: float, out: int | None = None
) -> str:
    """Attaches as soon as the port is up; what was missing at `deadline` (monotonic), or empty."""
    while waiting := meter.attach(port, side, out):
        if time.monotonic() > deadline:
            return waiting
        time.sleep(0.02)
    return ""


def _unreadable(error: ValidationError) -> RunError:
    return RunError(
        f"the meter's answer can't be read: {first_refusal(error)}",
        what_to_do=f"build it again with {how_to_build()}",
    )
