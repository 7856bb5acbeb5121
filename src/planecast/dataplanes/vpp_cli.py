"""VPP's command line: vppctl, asked command by command, every reply read.

vppctl ends with code 0 whatever VPP replies, so an error is known by its reply alone: a command
that configures replies nothing, or the name of the interface that it made.
"""

from __future__ import annotations

import re
import shutil
import subprocess
import time
from collections.abc import Callable, Sequence
from pathlib import Path

from planecast.errors import MissingError, RunError

NAME = "VPP"
PACKAGE = "install VPP (FD.io has packages), or name the binary (dataplane.program)"
_CALL_TIMEOUT_S = 120.0
"""Of one call; a file of 131,072 stations takes 13 s."""
_START_TIMEOUT_S = 60.0
_POLL_S = 0.02
_MADE = re.compile(r"memif\d+/\d+|pg\d+|bridge-domain \d+")
"""What a command replies that made something."""
_ERROR = re.compile(
    r"^(?:[a-z0-9 -]+: )?(?:unknown input|unknown command|no sub-commands)\b.*", re.M
)
_PREFIX = re.compile(r"^vpp\[\d+\]: ")
"""Before what VPP writes to its own output."""


class VppCli:
    """The command line of one VPP process."""

    def __init__(
        self, program: Path, socket: Path, check: Callable[[], None], said: Callable[[], str]
    ) -> None:
        """`program` is VPP's own path: vppctl is looked for next to it, then in PATH. `check`
        raises RunError when VPP has ended; `said` is what VPP has written to its output.

        Raises MissingError without vppctl."""
        self._program = vppctl_of(program)
        self._socket = socket
        self._check = check
        self._said = said

    def wait(self) -> str:
        """Waits until VPP answers; its version. Raises RunError when it ends, or never answers."""
        until = time.monotonic() + _START_TIMEOUT_S
        last = "there is no socket"
        while time.monotonic() < until:
            self._check()
            if self._socket.exists():
                done = self._run("show version")
                if done.returncode == 0 and done.stdout.startswith("vpp "):
                    return done.stdout.strip()
                last = _first_line(done.stderr) or _first_line(done.stdout) or last
            time.sleep(_POLL_S)
        raise RunError(
            f"its command line does not answer after {_START_TIMEOUT_S:.0f} s: {last}", NAME
        )

    def configure(self, command: str) -> None:
        """One command that changes something. Raises RunError with what VPP replied."""
        reply = self._asked(command)
        if reply and not _MADE.fullmatch(reply):
            raise RunError(_first_line(reply), f"{NAME}: {command}")

    def show(self, *commands: str) -> str:
        """The replies to some commands, read as one so that no time passes between them; of all
        but the last, no arguments may follow the words given, for VPP reads on to the next line.

        Raises RunError for a command that VPP doesn't know."""
        reply = self._asked("\n".join(commands))
        error = _ERROR.search(reply)
        if error is not None:
            raise RunError(error[0].strip(), f"{NAME}: {'; '.join(commands)}")
        return reply

    def execute(self, file: Path, commands: Sequence[str]) -> None:
        """Many commands that change something, from a file. Raises RunError for the first that
        VPP refuses: its reason is in VPP's own output."""
        file.write_text("".join(f"{command}\n" for command in commands), encoding="ascii")
        before = len(self._said())
        reply = self._asked(f"exec {file}")
        if reply:
            reason = _PREFIX.sub("", _first_line(self._said()[before:]))
            raise RunError(reason or _first_line(reply), f"{NAME}: {file.name}")

    def _asked(self, command: str) -> str:
        done = self._run(command)
        if done.returncode != 0:
            self._check()
            raise RunError(_first_line(done.stderr or done.stdout), f"{NAME}: {command}")
        return done.stdout.strip()

    def _run(self, command: str) -> subprocess.CompletedProcess[str]:
        try:
            return subprocess.run(
                [self._program, "-s", str(self._socket), command],
                stdin=subprocess.DEVNULL,  # a pipe that ends kills vppctl (SIGPIPE)
                capture_output=True,
                text=True,
                errors="replace",
                timeout=_CALL_TIMEOUT_S,
                check=False,
            )
        except subprocess.TimeoutExpired:
            self._check()
            raise RunError(
                f"no reply after {_CALL_TIMEOUT_S:.0f} s", f"{NAME}: {command}"
            ) from None


def vppctl_of(program: Path) -> str:
    """vppctl next to VPP's binary, else in PATH. Raises MissingError."""
    nearby = [str(path.parent / "vppctl") for path in (program, program.resolve())]
    found = next(filter(None, map(shutil.which, [*nearby, "vppctl"])), None)
    if found is None:
        raise MissingError(f"there is no vppctl next to {program} nor in PATH", NAME, PACKAGE)
    return found


def _first_line(text: str) -> str:
    return next((line.strip()[:200] for line in text.splitlines() if line.strip()), "")
