"""A network namespace of our own: made, used, gone with us, and refused in a sentence."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from planecast.cleanup import started
from planecast.dataplanes.namespace import Namespace
from planecast.errors import MissingError, RunError

HELD = """\
import sys, time
from pathlib import Path
from planecast.dataplanes.namespace import Namespace
with Namespace(Path(sys.argv[1])) as namespace:
    print(namespace.pair("link0", 64), flush=True)
    time.sleep(60)
"""


@pytest.fixture
def namespace(tmp_path: Path) -> Namespace:
    """One that can be made; the test is skipped where this user may make none."""
    made = Namespace(tmp_path)
    try:
        with made:
            pass
    except MissingError as missing:
        pytest.skip(str(missing))
    return made


def interfaces(namespace: Namespace) -> set[str]:
    words = [*namespace.words, "ls", "/proc/sys/net/ipv6/conf"]
    listed = subprocess.run(words, capture_output=True, text=True, check=True).stdout.split()
    return set(listed) - {"all", "default", "lo"}


def test_pairs_are_in_it_and_nowhere_else(namespace: Namespace) -> None:
    with namespace:
        assert namespace.pair("link0", 64) == ("link0a", "link0b")
        assert interfaces(namespace) == {"link0a", "link0b"}
        assert not Path("/sys/class/net/link0a").exists()
        with pytest.raises(RunError, match=r"ip, in a network namespace: .*exist"):
            namespace.pair("link0", 64)


def test_it_ends_with_us_even_when_we_are_killed(namespace: Namespace, tmp_path: Path) -> None:
    command = [sys.executable, "-c", HELD, str(tmp_path)]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as held:
        assert held.stdout is not None
        assert held.stdout.readline() == "('link0a', 'link0b')\n"
        holder = int((tmp_path / "processes").read_text().splitlines()[-1].split()[0])
        assert started(holder) is not None
        held.send_signal(signal.SIGKILL)
        held.wait()
    until = time.monotonic() + 30
    while started(holder) is not None and time.monotonic() < until:
        time.sleep(0.01)
    assert started(holder) is None


def test_a_user_who_may_not_is_reported(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    refusing = tmp_path / "bin" / "unshare"
    refusing.parent.mkdir()
    refusing.write_text(
        "#!/bin/sh\necho 'unshare: unshare failed: Operation not permitted' >&2; exit 1\n"
    )
    refusing.chmod(0o755)
    monkeypatch.setenv("PATH", str(refusing.parent), prepend=os.pathsep)
    with (
        pytest.raises(
            MissingError,
            match="can't be made: unshare failed: Operation not permitted; run it as root",
        ),
        Namespace(tmp_path),
    ):
        pass
