"""Every kind of port, and several instances one behind the other."""

from __future__ import annotations

import contextlib
import os
import re
import shutil
import signal
import subprocess
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from tests.dataplane.conftest import Program, read_pcap, write_pcap
from tests.dataplane.test_packets import frame

pytestmark = pytest.mark.live

PATCH = {"function": "l2patch"}
PACKETS = 200


@contextlib.contextmanager
def instance(folder: Path, name: str, ports: dict[str, Any], *vdevs: str) -> Iterator[Any]:
    """A data plane that patches these ports, under control, in a folder of its own."""
    own = folder / name
    own.mkdir()
    eal = [word for vdev in vdevs for word in ("--vdev", vdev)]
    with Program(own).control(*eal, pipeline=PATCH, ports=ports) as control:
        yield control


def memif(number: int, folder: Path, role: str) -> str:
    socket = folder / f"m{number}.sock"
    return f"net_memif{number},role={role},socket={socket},socket-abstract=no,rsize=10"


def pcap(folder: Path, **paths: Path) -> str:
    return ",".join(["net_pcap0", *(f"{key}={path}" for key, path in paths.items())])


def patched(folder: Path, answers: list[dict[str, Any]], sent: list[bytes]) -> None:
    """All went through every instance and came out as they were."""
    assert all(answer["conserved"] for answer in answers)
    assert [answer["drops"] for answer in answers] == [answers[0]["drops"]] * len(answers)
    assert sum(answers[0]["drops"].values()) == 0
    assert list(read_pcap(folder / "out.pcap")) == sent


@pytest.fixture
def sent(tmp_path: Path) -> list[bytes]:
    frames = [frame(number % 64, size=64 + number) for number in range(PACKETS)]
    write_pcap(tmp_path / "in.pcap", frames)
    return frames


@pytest.mark.parametrize("middle", [0, 1, 2])
def test_a_chain_through_memif(tmp_path: Path, sent: list[bytes], middle: int) -> None:
    """pcap -> first -> memif -> middle ones -> memif -> last -> pcap."""
    end, start = pcap(tmp_path, tx_pcap=tmp_path / "out.pcap"), tmp_path / "in.pcap"
    with contextlib.ExitStack() as stack:
        controls = [
            stack.enter_context(
                instance(
                    tmp_path, "last", {"rx": 0, "tx": 1}, memif(middle, tmp_path, "server"), end
                )
            )
        ]
        for number in range(middle, 0, -1):
            links = (
                memif(number - 1, tmp_path, "server"),
                memif(number, tmp_path, "client"),
            )
            controls.append(
                stack.enter_context(
                    instance(tmp_path, f"middle{number}", {"rx": 0, "tx": 1}, *links)
                )
            )
        # The file starts when everybody is there: its port has no link to wait for.
        for control in controls:
            control.say(f"trial packets={PACKETS} seconds=20 burst=8")
        time.sleep(0.5)
        first = stack.enter_context(
            instance(
                tmp_path,
                "first",
                {"rx": 0, "tx": 1},
                pcap(tmp_path, rx_pcap=start),
                memif(0, tmp_path, "client"),
            )
        )
        first.say(f"trial packets={PACKETS} seconds=20 burst=8")
        answers = [control.answer() for control in (first, *controls)]
        for control in (first, *controls):
            assert control.end() == 0
    patched(tmp_path, answers, sent)
    assert not list(tmp_path.glob("*.sock")), "a socket was left behind"


def test_through_vhost_user_and_virtio_user(tmp_path: Path, sent: list[bytes]) -> None:
    socket = tmp_path / "v.sock"
    with (
        instance(
            tmp_path,
            "host",
            {"rx": 0, "tx": 1},
            f"net_vhost0,iface={socket}",
            pcap(tmp_path, tx_pcap=tmp_path / "out.pcap"),
        ) as host,
        instance(
            tmp_path,
            "guest",
            {"rx": 0, "tx": 1},
            pcap(tmp_path, rx_pcap=tmp_path / "in.pcap"),
            f"net_virtio_user0,path={socket}",
        ) as guest,
    ):
        host.say(f"trial packets={PACKETS} seconds=20 burst=8")
        time.sleep(0.5)
        guest.say(f"trial packets={PACKETS} seconds=20 burst=8")
        answers = [guest.answer(), host.answer()]
        assert guest.end() == host.end() == 0
    patched(tmp_path, answers, sent)
    assert not socket.exists()


def test_a_peer_that_goes_and_comes_back(tmp_path: Path) -> None:
    """While nobody is there everything is counted as dropped at TX; afterwards it flows again."""
    server = memif(0, tmp_path, "server")
    with instance(tmp_path, "stays", {"rx": "internal", "tx": 0}, server) as stays:
        for name in ("one", "two"):
            with instance(
                tmp_path, name, {"rx": 0, "tx": "internal"}, memif(0, tmp_path, "client")
            ) as peer:
                peer.say("trial seconds=1")
                answer = stays.ask("trial seconds=0.5")
                assert answer["packets_out"] > 0
                assert answer["conserved"]
                assert peer.answer()["packets_in"] > 0
                if name == "one":
                    peer.process.kill()
                    peer.process.wait()
                else:
                    assert peer.end() == 0
            time.sleep(0.2)
            answer = stays.ask("trial seconds=0.1")
            assert answer["packets_out"] == 0
            assert answer["drops"]["tx"] == answer["packets_in"] > 0
        assert stays.end() == 0


# Shared memory of Python's pools and of browsers, which other tests use at the same time.
OTHERS = re.compile(r"sem\.mp-|\.?(org|com)\.(chromium|google)")


def shared_memory() -> set[Path]:
    """Shared memory on this machine, but for what other tests use at the same time."""
    return {path for path in Path("/dev/shm").iterdir() if not OTHERS.match(path.name)}


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
@pytest.mark.usefixtures("alone")
def test_a_signal_in_traffic_leaves_nothing_behind(tmp_path: Path, number: int) -> None:
    before = shared_memory()
    server = memif(0, tmp_path, "server")
    client = memif(0, tmp_path, "client")
    with (
        instance(tmp_path, "a", {"rx": "internal", "tx": 0}, server) as one,
        instance(tmp_path, "b", {"rx": 0, "tx": "internal"}, client) as other,
    ):
        for control in (one, other):
            control.say("trial seconds=30")
        time.sleep(0.3)
        for control in (one, other):
            control.process.send_signal(number)
            answer = control.answer()
            assert answer["interrupted"]
            assert answer["conserved"]
            assert control.process.wait(10) == 130
    assert not list(tmp_path.glob("*.sock"))
    assert shared_memory() <= before


def test_rx_queues_by_lcore_and_ports_by_lcore(dataplane: Any) -> None:
    """Two lcores on two ports: each port with a queue for each lcore, or each port one lcore's."""
    cpus = sorted(os.sched_getaffinity(0))[:2]
    if len(cpus) < 2:
        pytest.skip("two CPUs are needed")
    eal = ("--vdev", "net_null0,size=64", "--vdev", "net_null1,size=64")
    for by_queue in ("on", "off"):
        answer = dataplane.once(
            *("--seconds", "0.2"),
            eal=eal,
            pipeline=PATCH,
            ports={"rx": "0,1", "tx": "1,0", "rx_by_queue": by_queue},
            machine={"lcores": f"{cpus[0]},{cpus[1]}"},
        )
        assert all(lcore["windows"]["packets"][0] > 0 for lcore in answer["lcores"])


needs_namespace = pytest.mark.skipif(
    shutil.which("unshare") is None or shutil.which("ip") is None,
    reason="unshare and ip are needed",
)


@needs_namespace
@pytest.mark.parametrize("kind", ["af_packet", "tap"])
def test_kernel_ports_in_a_namespace(dataplane: Any, kind: str, sent: list[bytes]) -> None:
    """Frames of a file leave by a kernel interface and are read from its other end."""
    folder = dataplane.folder
    config = dataplane.config(pipeline=PATCH, ports={"rx": 0, "tx": 1})
    vdev, listen = {
        "af_packet": ("net_af_packet0,iface=left", "right"),
        "tap": ("net_tap0,iface=left", "left"),
    }[kind]
    links = "ip link add left type veth peer name right; ip link set left up; ip link set right up;"
    script = f"""
set -e
{links if kind == "af_packet" else ""}
{dataplane.path} {config} --packets {PACKETS} --seconds 5 -- \
    --vdev net_pcap0,rx_pcap={folder / "in.pcap"} --vdev {vdev} > {folder / "answer.json"}
ip -s -j link show {listen} 2> /dev/null > {folder / "link.json"} || true
"""
    user = [] if os.geteuid() == 0 else ["-Ur"]
    done = subprocess.run(
        ["unshare", *user, "-n", "sh", "-c", script],
        check=False,
        capture_output=True,
        text=True,
        timeout=60,
    )
    if done.returncode and "unshare" in done.stderr:
        pytest.skip(done.stderr.strip())
    assert done.returncode == 0, done.stderr
    import json

    answer = json.loads((folder / "answer.json").read_text())
    assert answer["conserved"]
    assert answer["packets_in"] == PACKETS
    assert answer["packets_out"] == PACKETS
    if kind == "af_packet":
        received = json.loads((folder / "link.json").read_text())[0]["stats64"]["rx"]["packets"]
        assert received >= PACKETS
