"""The data plane on another host: this one, over an OpenSSH server of the test's own.

The server has a port, keys and accounts of its own. As root it wants a user and a folder that a
machine without it lacks: these it gets in a mount namespace. tools/setup.sh unpacks it, so that
no service is installed.
"""

from __future__ import annotations

import contextlib
import json
import os
import pwd
import shlex
import shutil
import socket
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from tests.engines.measure.conftest import comes_through, joined_testbed, tries

from planecast import __version__
from planecast.dataplanes.remote_dut import RemoteDut
from planecast.errors import InputError, MissingError, RunError
from planecast.native import native_folder
from planecast.scenario import Scenario, with_overrides

PLACES = ("/usr/sbin/sshd", "build/peers/openssh-server/usr/sbin/sshd")
ROOT = Path(__file__).parents[3]
SSHD = next((ROOT / place for place in PLACES if (ROOT / place).is_file()), None)
PLANECAST = Path(sys.executable).parent / "planecast"
USER = pwd.getpwuid(os.getuid())

needs_sshd = [
    pytest.mark.skipif(SSHD is None, reason="sshd is not here (tools/setup.sh dev unpacks it)"),
    pytest.mark.skipif(shutil.which("ssh") is None, reason="ssh is not installed (openssh-client)"),
    pytest.mark.skipif(not PLANECAST.is_file(), reason="planecast is not installed"),
]

SERVER = """\
Port {port}
ListenAddress 127.0.0.1
HostKey {folder}/host
AuthorizedKeysFile {folder}/user.pub
PidFile none
UsePAM no
StrictModes no
PermitRootLogin yes
SetEnv TMPDIR={rooms}
"""
CLIENT = """\
Host sut
    HostName 127.0.0.1
    Port {port}
    User {user}
    IdentityFile {folder}/user
    IdentitiesOnly yes
    UserKnownHostsFile {folder}/known
    StrictHostKeyChecking accept-new
Host nobody-answers
    HostName 127.0.0.1
    Port {unused}
"""
ACCOUNTS = """\
root:x:0:0:root:{home}:/bin/sh
sshd:x:65534:65534::/nonexistent:/bin/false
"""
IN_ITS_OWN_MOUNTS = """\
mount --bind {folder}/passwd /etc/passwd && mount --bind {folder}/shadow /etc/shadow &&
mount -t tmpfs none /run && mkdir /run/sshd && exec {sshd}
"""


@pytest.fixture
def ports() -> Iterator[list[int]]:
    """Two ports that the kernel gives nobody else. Nobody answers there, but who says SO_REUSEADDR,
    as sshd does, may listen."""
    with socket.socket() as one, socket.socket() as other:
        for held in (one, other):
            held.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            held.bind(("127.0.0.1", 0))
        yield [held.getsockname()[1] for held in (one, other)]


def server_command(folder: Path) -> list[str]:
    assert SSHD is not None
    libraries = ":".join(map(str, SSHD.parents[1].glob("lib/*-linux-*")))
    sshd = ["env", f"LD_LIBRARY_PATH={libraries}", str(SSHD)]
    sshd += ["-D", "-e", "-f", str(folder / "sshd_config")]
    if os.getuid() != 0:
        return sshd
    (folder / "passwd").write_text(ACCOUNTS.format(home=USER.pw_dir))
    (folder / "shadow").write_text("root:*:19000:0:99999:7:::\n")
    script = IN_ITS_OWN_MOUNTS.format(folder=folder, sshd=shlex.join(sshd))
    return ["unshare", "--mount", "--", "sh", "-c", script]


def wait_for(port: int, server: subprocess.Popen[str]) -> None:
    """Until it answers. A machine where even root may make no mounts skips."""
    for _ in tries():
        with contextlib.suppress(OSError), socket.create_connection(("127.0.0.1", port), 1) as link:
            if link.recv(4) == b"SSH-":
                return
        if server.poll() is not None:
            assert server.stderr is not None
            said = server.stderr.read()
            if "unshare" in said or "mount" in said:
                pytest.skip(said.strip())
            raise AssertionError(said)
        time.sleep(0.02)
    raise AssertionError("sshd does not answer")


@pytest.fixture
def config(short_folder: Path, ports: list[int]) -> Iterator[Path]:
    """The client's configuration for the host `sut`; its private folders are in `rooms`."""
    folder, (port, unused) = short_folder, ports
    (folder / "rooms").mkdir()
    for key in ("host", "user"):
        words = ["ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-f", str(folder / key)]
        subprocess.run(words, check=True)
    rooms = folder / "rooms"
    (folder / "sshd_config").write_text(SERVER.format(port=port, folder=folder, rooms=rooms))
    client = folder / "ssh_config"
    names = {"port": port, "user": USER.pw_name, "folder": folder, "unused": unused}
    client.write_text(CLIENT.format(**names))
    with subprocess.Popen(server_command(folder), stderr=subprocess.PIPE, text=True) as server:
        try:
            wait_for(port, server)
            yield client
        finally:
            server.terminate()
            server.communicate()


def scenario_on(config: Path, host: str = "sut", **keys: object) -> Scenario:
    ours = {"workload.kind": "l2patch", "workload.stages": "none"}
    dotted: dict[str, object] = {} if "kind" in keys else dict(ours)
    dotted |= {
        "placement.cpus": str(max(os.sched_getaffinity(0))),
        "placement.rx_ring": 1024,
        "placement.tx_ring": 1024,
        "dataplane.host": host,
        "dataplane.ssh_config": str(config),
        "dataplane.host_planecast": str(PLANECAST),
    }
    return with_overrides(
        Scenario(name="s"), dotted | {f"dataplane.{k}": v for k, v in keys.items()}
    )


@pytest.mark.live
class TestOverSsh:
    """With a server that answers."""

    pytestmark = needs_sshd

    def test_packets_go_to_the_other_host_and_back(
        self, config: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        if len(os.sched_getaffinity(0)) < 2:
            pytest.skip("two CPUs are needed")
        if not (native_folder() / "planecast-generator").is_file():
            pytest.skip("planecast-generator is not built")
        rooms = config.parent / "rooms"
        monkeypatch.setattr("tempfile.tempdir", str(rooms))
        with joined_testbed(scenario_on(config), min(os.sched_getaffinity(0))) as testbed:
            assert comes_through(testbed)
        assert list(rooms.iterdir()) == []

    def test_what_is_not_there_is_said(self, config: Path) -> None:
        absent = scenario_on(config, host_planecast="no-such-planecast")
        with pytest.raises(MissingError, match="sut: no-such-planecast is not there"):
            RemoteDut(absent).__enter__()
        with pytest.raises(RunError, match=r"ssh nobody-answers: .*refused"):
            RemoteDut(scenario_on(config, "nobody-answers")).__enter__()


def answering(ready: dict[str, object]) -> str:
    """An ssh whose other end says that."""
    return f"read scenario; echo '{json.dumps({'ready': ready})}'; read question"


@pytest.fixture
def fake_ssh(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[[str], None]:
    """Makes an ssh of a shell's words, the first in PATH."""

    def make(words: str) -> None:
        program = tmp_path / "bin" / "ssh"
        program.parent.mkdir()
        program.write_text(f"#!/bin/sh\n{words}\n")
        program.chmod(0o755)
        monkeypatch.setenv("PATH", str(program.parent), prepend=os.pathsep)
        monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
        (tmp_path / "config").touch()

    return make


READY = {"ends": [{"kind": "memif", "address": "s"}] * 2, "before": [], "boot": "another"}


@pytest.mark.parametrize(
    ("ssh", "keys", "answer"),
    [
        (
            answering(READY | {"version": __version__}),
            {},
            (InputError, "links of memif do not leave the machine, and sut is another one"),
        ),
        (answering(READY | {"version": "0.0"}), {}, (RunError, "planecast 0.0 is there")),
        (
            "echo 'planecast: /no: l3fwd is not installed; build it' >&2; exit 3",
            {"kind": "l3fwd"},
            (MissingError, "sut: /no: l3fwd is not installed; build it"),
        ),
        ("echo motd; cat", {}, (RunError, "a malformed reply")),
    ],
)
def test_what_the_other_host_says(
    fake_ssh: Callable[[str], None],
    tmp_path: Path,
    ssh: str,
    keys: dict[str, str],
    answer: tuple[type[Exception], str],
) -> None:
    fake_ssh(ssh)
    line = RemoteDut(scenario_on(tmp_path / "config", **keys))
    with pytest.raises(answer[0], match=answer[1]):
        line.__enter__()
    assert {path.name for path in tmp_path.iterdir()} == {"bin", "config"}


def test_a_configuration_that_is_not_there(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="there is no file"):
        RemoteDut(scenario_on(tmp_path / "none")).__enter__()
