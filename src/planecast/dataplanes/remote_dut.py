"""RemoteDut: programs under test on another host: `planecast dataplane` there, asked over OpenSSH.

The host starts and ends its programs itself, as it would for its own generator; between the two go
the scenario, and a line for each question. When the connection is gone the host's input ends, and
with it everything there, however we ended. Rejected: each program by an ssh of its own, which would
have files, environments and ends to manage over the net, program by program.
"""

from __future__ import annotations

import json
import shutil
from collections.abc import Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any

from planecast import __version__
from planecast.dataplanes.dut import Dut
from planecast.dataplanes.dut_factory import title_of
from planecast.dataplanes.port import Port
from planecast.errors import InputError, MissingError, RunError
from planecast.json_process import JsonProcess
from planecast.process import Planned
from planecast.results.estimate import Estimate
from planecast.scenario.scenario import Scenario

BOOT = Path("/proc/sys/kernel/random/boot_id")
"""Which machine this is, and since when: memory is shared within one alone."""
_CONNECT_S = 10
_ANSWER_S = 60.0
_END_S = 20.0
_NOT_FOUND, _SSH_FAILED = 127, 255
"""Exit codes of a shell that finds no such program, and of ssh itself."""


class RemoteDut(JsonProcess, Dut):
    """The programs under test on the scenario's host."""

    def __init__(self, scenario: Scenario) -> None:
        wanted = scenario.started
        assert wanted.host is not None
        self._host = wanted.host
        self._wanted = wanted
        there = scenario.model_copy(
            update={
                "dataplane": wanted.model_copy(
                    update={"host": None, "ssh_config": None, "host_planecast": "planecast"}
                )
            }
        )
        super().__init__("planecast", f"planecast on {wanted.host}", there.model_dump_json())
        self.name = title_of(scenario)

    def planned(self, folder: Path) -> list[Planned]:
        """How that host is asked; which processes it starts is its affair."""
        return [Planned(tuple(self._command(self._path(), Path())), "input", self._configuration)]

    def check(self) -> None:
        """Raises RunError when a program there has ended, with its last words."""
        self._asked("check")

    def counters(self) -> Mapping[str, int]:
        """What the programs' DPDK ports have counted. Raises RunError."""
        return {name: int(count) for name, count in self._asked("ports")["ports"].items()}

    def begin_opinion(self) -> None:
        """From now on the programs count for `opinion`."""
        self._asked("begin")

    def opinion(self) -> Mapping[str, Estimate]:
        """What they say of themselves since then."""
        return {
            name: Estimate.model_validate(estimate)
            for name, estimate in self._asked("opinion")["opinion"].items()
        }

    def _start(self) -> None:
        """Raises as `JsonProcess` does, and InputError for links that don't reach there."""
        super()._start()
        sends, receives = (Port.model_validate(port) for port in self.ready["ends"])
        self.ports = (sends, receives)
        self.before = tuple(self.ready["before"])
        if self.ready["version"] != __version__:
            raise RunError(
                f"planecast {self.ready['version']} is there, {__version__} here",
                self._host,
                "install the same on both",
            )
        here = BOOT.read_text(encoding="ascii").strip() if BOOT.exists() else ""
        if self._wanted.ports != "named" and self.ready["boot"] != here:
            raise InputError(
                f"links of {self._wanted.ports} do not leave the machine, and {self._host} is "
                "another one",
                "dataplane.ports",
                "take named, with devices of both hosts that a cable joins",
            )

    def stop(self) -> None:
        """Ends the input there, and waits until everything has ended."""
        process = self._process
        if process is not None and process.pid is not None:
            with suppress(OSError):
                process.stdin.close()
            process.ended(_END_S)
        super().stop()

    def _path(self) -> Path:
        ssh = shutil.which("ssh")
        if ssh is None:
            raise MissingError("ssh is not installed", "PATH", "apt-get install openssh-client")
        config = self._wanted.ssh_config
        if config is not None and not Path(config).is_file():
            raise InputError(f"there is no file {config}", "dataplane.ssh_config")
        return Path(ssh)

    def _command(self, program: Path, configuration: Path) -> list[str]:
        """Nobody is asked for a password: this may run at night."""
        own = ("-F", self._wanted.ssh_config) if self._wanted.ssh_config else ()
        options = ("-T", "-o", "BatchMode=yes", "-o", f"ConnectTimeout={_CONNECT_S}")
        there = (self._wanted.host_planecast, "dataplane", "-")
        return [str(program), *own, *options, "--", self._host, *there]

    def _launch(self, program: Path) -> None:
        super()._launch(program)
        self.say(self._configuration)

    def _asked(self, question: str) -> dict[str, Any]:
        answer = self.ask(question, _ANSWER_S)
        if "error" in answer:
            raise RunError(answer["error"], self._host)
        return answer

    def _failure(self) -> Exception:
        """ssh's own failures distinguished from those of planecast there."""
        error = super()._failure()
        code = None if self._process is None else self._process.ended()
        if code == _SSH_FAILED:
            return RunError(_reason(error), f"ssh {self._host}", "try it in a terminal")
        if code == _NOT_FOUND:
            return MissingError(
                f"{self._wanted.host_planecast} is not there",
                self._host,
                "install planecast on that host, or give its path (dataplane.host_planecast)",
            )
        if isinstance(error, InputError | MissingError | RunError):
            return type(error)(error.what, self._host, error.what_to_do)
        return error


def _reason(error: Exception) -> str:
    what = error.what if isinstance(error, RunError) else str(error)
    return what.strip().rstrip(".")


def ready_line(ports: Sequence[Port], before: Sequence[str], note: str = "") -> str:
    """What the host says once its programs are up; `note` says what of that is not known."""
    boot = BOOT.read_text(encoding="ascii").strip() if BOOT.exists() else ""
    ready: dict[str, Any] = {
        "ends": [port.model_dump() for port in ports],
        "before": list(before),
        "boot": boot,
        "version": __version__,
    }
    if note:
        ready["note"] = note
    return json.dumps({"ready": ready})
