"""The real snappi client drives `planecast generator serve`; real packets all come back."""

from __future__ import annotations

import contextlib
import json
import os
import re
import signal
import subprocess
import sys
import time
import urllib.request
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from hdrh.histogram import HdrHistogram

from planecast.native import native_folder

pytestmark = [
    pytest.mark.live,
    # Of the client and what it imports: nothing that we could mend.
    pytest.mark.filterwarnings("ignore::DeprecationWarning", "ignore::UserWarning"),
]

snappi = pytest.importorskip("snappi")


def program(name: str) -> Path:
    path = native_folder() / name
    if not os.access(path, os.X_OK):
        pytest.skip(f"{name} is not built")
    return path


@contextlib.contextmanager
def served(
    *words: str, end: signal.Signals = signal.SIGINT
) -> Iterator[tuple[str, subprocess.Popen[str]]]:
    """A server of its own: its address, its process. Ended by Ctrl-C, or as named."""
    program("planecast-generator")
    # On a busy machine nothing is given up, so that counts are certain.
    command = [sys.executable, "-m", "planecast.cli.app", "generator", "serve", "--port", "0"]
    command += ["--format", "json", "--catch-up-ms", "20000", *words]
    process = subprocess.Popen(
        command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, start_new_session=True
    )
    try:
        assert process.stdout is not None
        line = process.stdout.readline()
        assert line, process.stderr and process.stderr.read()
        yield json.loads(line)["url"], process
    finally:
        if process.poll() is None:
            process.send_signal(end)
        try:
            _, said = process.communicate(timeout=60)
        except subprocess.TimeoutExpired:
            process.kill()
            process.communicate()
            raise
    assert process.returncode == 130
    assert said.splitlines()[-1] == "planecast: interrupted"
    assert "Traceback" not in said


def children(pid: int) -> list[int]:
    """The generator's processes below a server."""
    threads = Path(f"/proc/{pid}/task").iterdir()
    return [int(child) for task in threads for child in (task / "children").read_text().split()]


def client(url: str) -> Any:
    return snappi.api(location=url, version_check=True)


def add_flow(config: Any, name: str, ports: tuple[str, str], packets: int = 500) -> Any:
    flow = config.flows.add(name=name)
    flow.tx_rx.port.tx_name, flow.tx_rx.port.rx_names = ports[0], [ports[1]]
    ethernet, ipv4, udp = flow.packet.ethernet().ipv4().udp()
    ethernet.dst.value, ethernet.src.value = "02:00:00:00:00:02", "02:00:00:00:00:01"
    ipv4.src.increment.start, ipv4.src.increment.count = "10.0.0.1", 100
    ipv4.dst.value, udp.dst_port.value = "10.1.0.1", 80
    flow.rate.pps = 1000
    flow.duration.fixed_packets.packets = packets
    flow.metrics.enable = flow.metrics.loss = flow.metrics.latency.enable = True
    return flow


def transmit(api: Any, state: str) -> None:
    control = snappi.ControlState()
    control.traffic.flow_transmit.state = state
    api.set_control_state(control)


def flow_metrics(api: Any) -> dict[str, Any]:
    request = snappi.MetricsRequest()
    request.flow.flow_names = []
    return {metric.name: metric for metric in api.get_metrics(request).flow_metrics}


def until_stopped(api: Any, timeout_s: float = 60.0) -> dict[str, Any]:
    end = time.monotonic() + timeout_s
    while True:
        metrics = flow_metrics(api)
        if all(metric.transmit == "stopped" for metric in metrics.values()):
            return metrics
        assert time.monotonic() < end, metrics
        time.sleep(0.1)


def until_more(api: Any, than: int, timeout_s: float = 60.0) -> Any:
    """The only flow's metrics when more frames were sent than so many."""
    end = time.monotonic() + timeout_s
    while (metric := flow_metrics(api)["f"]).frames_tx <= than:
        assert time.monotonic() < end, metric
        time.sleep(0.05)
    return metric


def check_whole(metrics: dict[str, Any], packets: int, sizes: dict[str, int]) -> None:
    """All that was asked for was sent and came back."""
    assert {name: metric.frames_tx for name, metric in metrics.items()} == dict.fromkeys(
        sizes, packets
    )
    for name, metric in metrics.items():
        assert (metric.frames_rx, metric.loss) == (packets, 0.0)
        assert metric.bytes_tx == metric.bytes_rx == packets * sizes[name]
        latency = metric.latency
        assert 0 < latency.minimum_ns <= latency.average_ns <= latency.maximum_ns


def get(url: str) -> Any:
    with urllib.request.urlopen(url, timeout=60) as answer:
        return json.load(answer)


def refusal(call: Any, *arguments: Any) -> Any:
    """The error that the client got."""
    with pytest.raises(Exception, match="code: ") as error:
        call(*arguments)
    return error.value.args[0]


def test_two_flows_over_a_ring() -> None:
    with served() as (url, process):
        api = client(url)
        assert api.get_version().app_version.startswith("planecast ")
        config = snappi.Config()
        config.ports.add(name="p", location="net_ring0")
        add_flow(config, "small", ("p", "p"))
        large = add_flow(config, "large one", ("p", "p"))
        large.size.fixed = 1518
        api.set_config(config)
        assert api.get_config().serialize() == config.serialize()
        transmit(api, "start")
        check_whole(until_stopped(api), 500, {"small": 64, "large one": 1518})

        request = snappi.MetricsRequest()
        request.port.port_names = ["p"]
        (port,) = api.get_metrics(request).port_metrics
        assert (port.frames_tx, port.frames_rx, port.transmit) == (1000, 1000, "stopped")
        for flow in get(f"{url}/planecast/latency")["flows"]:
            histogram = HdrHistogram.decode(flow["latency_histogram"])
            assert histogram.get_total_count() == flow["latency_ns"]["count"] == 500
            p99 = histogram.get_value_at_percentile(99)
            assert flow["latency_ns"]["p99"] == pytest.approx(p99, rel=1e-3, abs=1)

        config.captures.add(name="c", port_names=["p"])
        error = refusal(api.set_config, config)
        assert (error.code, error.errors) == (400, ["captures: is not supported"])
        (child,) = children(process.pid)
    with pytest.raises(ProcessLookupError):
        os.kill(child, 0)


def test_start_and_stop_and_live_metrics() -> None:
    with served() as (url, _):
        api = client(url)
        config = snappi.Config()
        config.ports.add(name="p", location="net_ring0")
        flow = add_flow(config, "f", ("p", "p"))
        flow.duration.continuous.gap = 12
        api.set_config(config)
        for _ in range(2):
            transmit(api, "start")
            seen = 0
            for _ in range(2):
                metric = until_more(api, seen)
                assert metric.transmit == "started"
                assert metric.frames_tx_rate > 0
                seen = metric.frames_tx
            transmit(api, "stop")
            last = flow_metrics(api)["f"]
            assert last.transmit == "stopped"
            assert last.frames_rx == last.frames_tx >= seen
            assert (last.loss, last.frames_tx_rate) == (0.0, 0.0)
        error = refusal(transmit, api, "pause")
        assert error.errors == [
            "traffic.flow_transmit.state: pause is not supported: start and stop are"
        ]


def test_a_generator_that_is_killed_is_an_error_in_the_metrics() -> None:
    with served() as (url, process):
        api = client(url)
        config = snappi.Config()
        config.ports.add(name="p", location="net_ring0")
        add_flow(config, "f", ("p", "p")).duration.continuous.gap = 12
        api.set_config(config)
        transmit(api, "start")
        os.kill(children(process.pid)[0], signal.SIGKILL)
        error = refusal(flow_metrics, api)
        assert (error.code, error.kind) == (500, "internal")
        assert error.errors == ["planecast-generator: it was ended by SIGKILL"]
        api.set_config(config)
        transmit(api, "start")
        transmit(api, "stop")
        assert flow_metrics(api)["f"].loss == 0


@pytest.mark.parametrize("end", [signal.SIGINT, signal.SIGTERM])
def test_an_end_in_traffic_leaves_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, end: signal.Signals
) -> None:
    monkeypatch.setenv("TMPDIR", str(tmp_path))
    with served(end=end) as (url, process):
        api = client(url)
        config = snappi.Config()
        config.ports.add(name="p", location="net_ring0")
        add_flow(config, "f", ("p", "p")).duration.continuous.gap = 12
        api.set_config(config)
        transmit(api, "start")
        (child,) = children(process.pid)
    with pytest.raises(ProcessLookupError):
        os.kill(child, 0)
    assert list(tmp_path.iterdir()) == []


def test_packets_are_what_the_model_says(tmp_path: Path) -> None:
    """Scapy reads from a capture file what snappi asked for."""
    from scapy.layers.inet import IP, UDP
    from scapy.layers.l2 import Dot1AD, Dot1Q, Ether
    from scapy.utils import rdpcap

    file = tmp_path / "out.pcap"
    with served() as (url, _):
        api = client(url)
        config = snappi.Config()
        config.ports.add(name="file", location=f"net_pcap0,tx_pcap={file}")
        flow = config.flows.add(name="f")
        flow.tx_rx.port.tx_name = "file"
        ethernet, outer, inner, ipv4, udp = flow.packet.ethernet().vlan().vlan().ipv4().udp()
        ethernet.src.increment.start, ethernet.src.increment.count = "02:00:00:00:00:fe", 4
        ethernet.src.increment.step = "00:00:00:00:00:01"
        ethernet.dst.value = "02:00:00:00:00:02"
        outer.id.value = 7
        inner.id.increment.start, inner.id.increment.step, inner.id.increment.count = 10, 5, 4
        ipv4.src.values = ["10.0.0.9", "10.0.1.9", "10.0.2.9", "10.0.3.9"]
        ipv4.dst.decrement.start, ipv4.dst.decrement.step = "11.0.0.1", "0.0.0.2"
        ipv4.dst.decrement.count = 4
        ipv4.priority.dscp.phb.values = [0, 46, 10, 46]
        ipv4.time_to_live.value = 9
        udp.src_port.value = 5000
        udp.dst_port.increment.start, udp.dst_port.increment.count = 65534, 4
        flow.size.increment.start, flow.size.increment.end, flow.size.increment.step = 64, 128, 64
        flow.duration.fixed_packets.packets = 40
        flow.metrics.enable = True
        api.set_config(config)
        transmit(api, "start")
        metric = until_stopped(api)["f"]
        assert (metric.frames_tx, metric.bytes_tx) == (40, 20 * (64 + 128))
    packets = rdpcap(str(file))
    assert len(packets) == 40
    assert sorted({len(packet) + 4 for packet in packets}) == [64, 128]
    for number, packet in enumerate(packets):
        k = number % 4
        assert packet[Ether].src == f"02:00:00:00:0{(0xFE + k) >> 8}:{(0xFE + k) & 255:02x}"
        assert packet[Ether].dst == "02:00:00:00:00:02"
        assert (packet[Dot1AD].vlan, packet[Dot1Q].vlan) == (7, 10 + 5 * k)
        assert packet[IP].src == f"10.0.{k}.9"
        assert (
            packet[IP].dst == ["11.0.0.1", "10.255.255.255", "10.255.255.253", "10.255.255.251"][k]
        )
        assert (packet[IP].tos >> 2, packet[IP].ttl) == ([0, 46, 10, 46][k], 9)
        assert (packet[UDP].sport, packet[UDP].dport) == (5000, (65534 + k) % 65536)


@contextlib.contextmanager
def patched(folder: Path, *vdevs: str) -> Iterator[None]:
    """A data plane that takes at its first port and sends by its second."""
    cpus = sorted(os.sched_getaffinity(0))
    config = folder / "dataplane.ini"
    config.write_text(
        "[pipeline]\nfunction = l2patch\n[ports]\nrx = 0\ntx = 1\n[pool]\nmbufs = 4096\n"
        f"[machine]\nlcores = {cpus[0]}\nmain_cpu = {cpus[0]}\n"
    )
    words = [word for vdev in vdevs for word in ("--vdev", vdev)]
    process = subprocess.Popen(
        [program("planecast-dataplane"), config, "--seconds", "120", "--", *words],
        stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
    )
    try:
        yield
    finally:
        process.send_signal(signal.SIGTERM)
        process.communicate(timeout=60)


@pytest.mark.skipif(len(os.sched_getaffinity(0)) < 2, reason="needs two CPUs")
def test_two_flows_through_the_data_plane(tmp_path: Path) -> None:
    """generator -> memif -> planecast-dataplane, l2patch -> memif -> generator."""

    def memif(number: int, role: str) -> str:
        socket = tmp_path / f"m{number}.sock"
        return f"net_memif{number},role={role},socket={socket},socket-abstract=no"

    with patched(tmp_path, memif(0, "server"), memif(1, "server")), served() as (url, _):
        end = time.monotonic() + 60
        while not all((tmp_path / f"m{number}.sock").exists() for number in (0, 1)):
            assert time.monotonic() < end
            time.sleep(0.05)
        api = client(url)
        config = snappi.Config()
        for number in (0, 1):
            config.ports.add(name=f"p{number}", location=memif(number, "client"))
        sizes = {"small": 64, "large": 512}
        for name, size in sizes.items():
            add_flow(config, name, ("p0", "p1")).size.fixed = size
        api.set_config(config)
        transmit(api, "start")
        check_whole(until_stopped(api), 500, sizes)
    assert not list(tmp_path.glob("*.sock"))


def test_the_documented_example(repository: Path) -> None:
    """The code of docs/how-to/otg.md, as it stands there."""
    text = (repository / "docs/how-to/otg.md").read_text()
    (code,) = re.findall(r"```python\n(.*?)```", text, flags=re.DOTALL)
    (output,) = re.findall(r"```text\n(.*?)```", text, flags=re.DOTALL)
    with served() as (url, _):
        code = code.replace("http://127.0.0.1:8080", url)
        done = subprocess.run(
            [sys.executable, "-W", "ignore", "-c", code],
            capture_output=True,
            text=True,
            timeout=90,
            check=False,
        )
    assert done.returncode == 0, done.stderr
    assert done.stdout == output


def test_flows_in_both_directions(tmp_path: Path) -> None:
    """Two ports with a cable between them, as scripts for hardware testers have it."""
    ends = {"east": "net_memif0,role=server", "west": "net_memif1,role=client"}
    config = snappi.Config()
    for name, end in ends.items():
        location = f"{end},socket={tmp_path}/m.sock,socket-abstract=no"
        config.ports.add(name=name, location=location)
    add_flow(config, "there", ("east", "west"), 500)
    add_flow(config, "back", ("west", "east"), 300)
    with served() as (url, _):
        api = client(url)
        api.set_config(config)
        transmit(api, "start")
        metrics = until_stopped(api)
        found = {n: (m.port_tx, m.frames_tx, m.frames_rx, m.loss) for n, m in metrics.items()}
        assert found == {"there": ("east", 500, 500, 0.0), "back": ("west", 300, 300, 0.0)}
        request = snappi.MetricsRequest()
        request.port.port_names = []
        ports = {m.name: (m.frames_tx, m.frames_rx) for m in api.get_metrics(request).port_metrics}
        assert ports == {"east": (500, 300), "west": (300, 500)}
