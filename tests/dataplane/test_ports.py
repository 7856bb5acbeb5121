"""Every kind of port, and several instances one behind the other."""

from __future__ import annotations

import contextlib
import json
import os
import shutil
import signal
import subprocess
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from tests.dataplane.conftest import DataPlane, read_pcap, write_pcap
from tests.dataplane.test_packets import frame
from tests.programs import (
    Control,
    ask_telemetry,
    left_behind,
    memif,
    wait_until,
    wait_until_it_forwards,
)

pytestmark = pytest.mark.live

PATCH = {"function": "l2patch"}
PACKETS = 200


@contextlib.contextmanager
def instance(folder: Path, name: str, ports: dict[str, Any], *vdevs: str) -> Iterator[Control]:
    """A data plane that patches these ports, under control, in a folder of its own."""
    own = folder / name
    own.mkdir()
    eal = [word for vdev in vdevs for word in ("--vdev", vdev)]
    telemetry = {"telemetry": "on"}
    with DataPlane(own).control(*eal, pipeline=PATCH, ports=ports, machine=telemetry) as control:
        yield control


def wait_for_links(control: Control, status: str = "UP") -> None:
    """Until all its ports have their peers, or none has: shaking hands may take a while."""
    path = control.ready["telemetry"]

    def links() -> set[str]:
        ports = ask_telemetry(path, "/ethdev/list")[0]["/ethdev/list"]
        asked = [f"/ethdev/link_status,{port}" for port in ports]
        return {link["/ethdev/link_status"]["status"] for link in ask_telemetry(path, *asked)}

    wait_until(lambda: links() == {status}, f"all links were {status}")


def wire(number: int, folder: Path, role: str) -> str:
    """One end of one of several memory interfaces."""
    return memif(role, folder / f"m{number}.sock", number)


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
                    tmp_path, "last", {"rx": 0, "tx": 1}, wire(middle, tmp_path, "server"), end
                )
            )
        ]
        for number in range(middle, 0, -1):
            links = (
                wire(number - 1, tmp_path, "server"),
                wire(number, tmp_path, "client"),
            )
            controls.append(
                stack.enter_context(
                    instance(tmp_path, f"middle{number}", {"rx": 0, "tx": 1}, *links)
                )
            )
        first = stack.enter_context(
            instance(
                tmp_path,
                "first",
                {"rx": 0, "tx": 1},
                pcap(tmp_path, rx_pcap=start),
                wire(0, tmp_path, "client"),
            )
        )
        # The file is sent when everybody is there: what no peer takes is dropped.
        for control in (first, *controls):
            wait_for_links(control)
        for control in (*controls, first):
            control.say(f"trial packets={PACKETS} seconds=20 burst=8")
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
        wait_for_links(host)
        host.say(f"trial packets={PACKETS} seconds=20 burst=8")
        guest.say(f"trial packets={PACKETS} seconds=20 burst=8")
        answers = [guest.answer(), host.answer()]
        assert guest.end() == host.end() == 0
    patched(tmp_path, answers, sent)
    assert not socket.exists()


def test_a_peer_that_goes_and_comes_back(tmp_path: Path) -> None:
    """While nobody is there everything is counted as dropped at TX; afterwards it flows again."""
    server = wire(0, tmp_path, "server")
    with instance(tmp_path, "stays", {"rx": "internal", "tx": 0}, server) as stays:
        for name in ("one", "two"):
            with instance(
                tmp_path, name, {"rx": 0, "tx": "internal"}, wire(0, tmp_path, "client")
            ) as peer:
                wait_for_links(stays)
                wait_for_links(peer)
                peer.say("trial packets=1 seconds=20")
                answer = stays.ask("trial seconds=0.5")
                assert answer["packets_out"] > 0
                assert answer["conserved"]
                assert peer.answer()["packets_in"] > 0
                if name == "one":
                    peer.process.kill()
                    peer.process.wait()
                else:
                    assert peer.end() == 0
            wait_for_links(stays, "DOWN")
            answer = stays.ask("trial seconds=0.1")
            assert answer["packets_out"] == 0
            assert answer["drops"]["tx"] == answer["packets_in"] > 0
        assert stays.end() == 0


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_a_signal_in_traffic_leaves_nothing_behind(tmp_path: Path, number: signal.Signals) -> None:
    server = wire(0, tmp_path, "server")
    client = wire(0, tmp_path, "client")
    with (
        instance(tmp_path, "a", {"rx": "internal", "tx": 0}, server) as one,
        instance(tmp_path, "b", {"rx": 0, "tx": "internal"}, client) as other,
    ):
        for control in (one, other):
            control.say("trial seconds=3600")
        for control in (one, other):
            wait_until_it_forwards(control.process)
        for control in (one, other):
            assert control.end(number) == 130
            answer = control.answer()
            assert answer["interrupted"]
            assert answer["conserved"]
    assert not list(tmp_path.glob("*.sock"))
    assert left_behind([one.process.pid, other.process.pid]) == set()


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
    answer = json.loads((folder / "answer.json").read_text())
    assert answer["conserved"]
    assert answer["packets_in"] == PACKETS
    assert answer["packets_out"] == PACKETS
    if kind == "af_packet":
        received = json.loads((folder / "link.json").read_text())[0]["stats64"]["rx"]["packets"]
        assert received >= PACKETS
