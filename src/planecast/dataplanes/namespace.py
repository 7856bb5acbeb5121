"""A network namespace of our own, and pairs of virtual Ethernet in it.

It has no name: one process that sleeps holds it, and the programs that run in it do. When these
are gone, killed or not, the kernel takes it away with all of its interfaces: there is nothing to
put back. Rejected: `ip netns add`, which leaves a mount and needs root; interfaces in the machine's
own namespace, which its network manager would begin to configure.
"""

from __future__ import annotations

import os
import shutil
import subprocess
from pathlib import Path

from planecast.errors import InputError, MissingError, RunError
from planecast.process import Process, Started, pdeath_words, wait_until

_START_S = 60.0
_CALL_S = 30.0
_FCS_AND_HEADER_BYTES = 18
_LEAST_MTU = 1500
_INDEX_STEP = 2048
"""Between the numbers of interfaces. DPDK's AF_PACKET driver takes the process's number xor the
interface's for a group that no two interfaces of a namespace may share; programs that are started
together have numbers close to each other."""


class Namespace(Started):
    """A network namespace. Context manager; removes it on exit."""

    def __init__(self, folder: Path) -> None:
        """`folder` is a private one: what holds the namespace is noted there."""
        self._folder = folder
        self._holder: Process | None = None
        self._made = 0

    @property
    def words(self) -> tuple[str, ...]:
        """Words before a command that make it run in here; it is executed, so it keeps its
        number."""
        assert self._holder is not None
        return entering(str(self._holder.pid))

    def pair(self, name: str, frame_bytes: int) -> tuple[str, str]:
        """Two interfaces, each the other's end of the cable. Raises RunError."""
        one, other = f"{name}a", f"{name}b"
        mtu = max(frame_bytes - _FCS_AND_HEADER_BYTES, _LEAST_MTU)
        first, second = (_INDEX_STEP * (self._made + number) for number in (1, 2))
        self._made += 2
        add = (
            f"link add {one} index {first} mtu {mtu} type veth "
            f"peer name {other} index {second} mtu {mtu}"
        )
        lines = [add, *(f"link set {end} up" for end in (one, other))]
        self._run(_program("ip"), "-batch", "-", given="\n".join(lines) + "\n")
        return one, other

    def stop(self) -> None:
        """Lets it go."""
        if self._holder is not None:
            self._holder.stop()

    def _start(self) -> None:
        self._hold()
        # Solicitations of IPv6 would be packets that nobody sent.
        self._run("sh", "-c", "echo 1 > /proc/sys/net/ipv6/conf/default/disable_ipv6 || true")

    def _hold(self) -> None:
        """Raises MissingError when this user may not make one, or has not what it takes."""
        own_user = () if os.geteuid() == 0 else ("--user", "--map-root-user")
        holder = [_program("sleep"), "infinity"]
        # The kernel forgets who is to die with us when a user namespace is entered: so afterwards.
        words = [_program("unshare"), *own_user, "--net", "--", *pdeath_words("KILL"), *holder]
        self._holder = Process("unshare", words, self._folder / "unshare.said")
        self._holder.__enter__()
        try:
            late = RunError("it did not start", "unshare")
            wait_until(self._sleeps, _START_S, self._holder.check, late, step_s=0.005)
        except (RunError, InputError):
            said = self._holder.said().strip().splitlines() or ["it did not start"]
            raise MissingError(
                f"a network namespace can't be made: {said[-1].removeprefix('unshare: ')}",
                "dataplane.ports",
                "run it as root, or let users make namespaces (sysctl "
                "user.max_net_namespaces, user.max_user_namespaces)",
            ) from None

    def _sleeps(self) -> bool:
        """Whether unshare is through: its last step is to become the program that holds it."""
        assert self._holder is not None
        try:
            name = Path(f"/proc/{self._holder.pid}/comm").read_text(encoding="ascii")
        except OSError:
            return False
        return name.strip() == "sleep"

    def _run(self, *words: str, given: str = "") -> None:
        done = subprocess.run(
            [*self.words, *words],
            input=given,
            capture_output=True,
            text=True,
            timeout=_CALL_S,
            check=False,
        )
        if done.returncode != 0:
            said = done.stderr.strip().splitlines() or [f"it ended with code {done.returncode}"]
            raise RunError(f"{said[0]}", f"{Path(words[0]).name}, in a network namespace")


def entering(holder: str) -> tuple[str, ...]:
    """Words before a command that run it in the namespace of that process. Raises MissingError."""
    own_user = () if os.geteuid() == 0 else ("--user", "--preserve-credentials")
    return (_program("nsenter"), f"--target={holder}", *own_user, "--net", "--")


def _program(name: str) -> str:
    """Its path. Raises MissingError."""
    path = shutil.which(name) or shutil.which(name, path="/usr/sbin:/sbin:/usr/bin:/bin")
    if path is None:
        package = {"ip": "iproute2", "sleep": "coreutils"}.get(name, "util-linux")
        raise MissingError(f"{name} is not installed", "PATH", f"apt-get install {package}")
    return path
