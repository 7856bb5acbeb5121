"""Runs over a ring in one process: what is sent comes back, so every number is known."""

from __future__ import annotations

import json
import math
import os
import signal
import subprocess
import threading
import time
from pathlib import Path
from typing import Any

import pytest
from hdrh.histogram import HdrHistogram
from tests.generator.conftest import RING, sent_beyond
from tests.programs import TIMEOUT_S, cpus, left_behind, wait_until_it_forwards

pytestmark = pytest.mark.live

NOTHING = ("unsent", "lost", "reordered", "duplicates", "too_late", "corrupt", "stale")


def check_whole(answer: dict[str, Any], packets: int | None = None) -> None:
    """All that was asked for was sent and came back once, in order."""
    total = answer["total"]
    assert not answer["running"]
    assert not answer["interrupted"]
    for part in [*answer["streams"], total]:
        assert {name: part[name] for name in NOTHING} == dict.fromkeys(NOTHING, 0)
        assert part["sent"] == part["received"] > 0
        assert part["sent_bytes"] == part["received_bytes"]
        assert part["asked"] in (None, part["sent"])
        assert part["latency_ns"]["count"] == part["received"]
    assert sum(stream["sent"] for stream in answer["streams"]) == total["sent"]
    assert answer["foreign"] == answer["missed"] == 0
    if packets is not None:
        assert total["sent"] == packets


@pytest.mark.parametrize("headers", ["ethernet", "ipv4", "vlan-ipv4", "qinq-ipv4"])
@pytest.mark.parametrize("sizes", ["64", "imix", "9000"])
def test_what_is_sent_comes_back(generator: Any, headers: str, sizes: str) -> None:
    stream = {"headers": headers, "sizes": sizes, "flows": 100, "rate": "100000"}
    answer = generator.once("--packets", "3000", streams={"a": stream})
    check_whole(answer, 3000)
    mean = {"64": 64, "imix": (7 * 64 + 4 * 594 + 1518) / 12, "9000": 9000}[sizes]
    assert answer["streams"][0]["mean_frame_bytes"] == pytest.approx(mean, abs=0.001)
    assert answer["total"]["sent_bytes"] == pytest.approx(3000 * mean)


def test_streams_at_the_same_time(generator: Any) -> None:
    streams = {
        "slow": {"rate": "1000", "headers": "qinq-ipv4"},
        "poisson": {"rate": "20kpps", "arrivals": "poisson", "order": "zipf", "flows": 1000},
        "bursts": {"arrivals": "burst", "burst_packets": 10, "burst_us": 1000, "order": "random"},
        "percent": {"rate": "0.1%", "sizes": "imix"},
    }
    answer = generator.once("--seconds", "0.5", streams=streams)
    check_whole(answer)
    sent = {stream["name"]: stream["sent"] for stream in answer["streams"]}
    assert sent["slow"] == 500
    assert sent["bursts"] == 5000
    assert sent["poisson"] == pytest.approx(10_000, abs=500)  # five standard deviations
    mean_bits = ((7 * 64 + 4 * 594 + 1518) / 12 + 20) * 8
    assert sent["percent"] == pytest.approx(1e10 * 0.001 * 0.5 / mean_bits, abs=2)


def test_two_lcores(generator: Any) -> None:
    there = sorted(os.sched_getaffinity(0))
    if len(there) < 2:
        pytest.skip("needs two CPUs")
    machine = {"lcores": f"{there[-1]},{there[0]}"}
    # As many as the ring holds: the receiving lcore may lose its CPU for as long as it likes.
    check_whole(
        generator.once("--packets", "1000", streams={"a": {"rate": "100kpps"}}, machine=machine),
        1000,
    )


def test_percent_of_a_link_is_line_rate(generator: Any) -> None:
    with generator.control(streams={"a": {"rate": "100%"}}) as control:
        answer = control.run("packets=100")
        assert answer["streams"][0]["rate_pps"] == pytest.approx(14_880_952.381, abs=0.001)


def test_a_captures_times(generator: Any, tmp_path: Path) -> None:
    import struct

    file = tmp_path / "times.pcap"
    records = b"".join(
        struct.pack("<IIII", 7, microseconds, 60, 60) + bytes(60) for microseconds in (0, 100, 1100)
    )
    file.write_bytes(struct.pack("<IHHiIII", 0xA1B2C3D4, 2, 4, 0, 0, 65535, 1) + records)
    stream = {"arrivals": "pcap", "pcap": file, "pcap_speed": 2}
    answer = generator.once("--packets", "301", streams={"a": stream})
    check_whole(answer, 301)
    assert answer["streams"][0]["rate_pps"] == pytest.approx(2 / 550e-6, abs=0.01)
    # 100 times three gaps of 550 us in the mean, at twice the speed; the end waits for no gap.
    assert answer["seconds"] >= 0.0825


def test_hdrhistogram_reads_the_latencies(generator: Any) -> None:
    streams = {"a": {"rate": "50kpps"}, "b": {"rate": "10kpps", "sizes": 1518}}
    answer = generator.once("--seconds", "0.3", streams=streams)
    for part in [*answer["streams"], answer["total"]]:
        reported, decoded = part["latency_ns"], HdrHistogram.decode(part["latency_histogram"])
        assert decoded.get_total_count() == reported["count"] == part["received"]
        assert decoded.get_mean_value() == pytest.approx(reported["mean"], rel=1e-3, abs=1)
        assert decoded.get_max_value() == pytest.approx(reported["max"], rel=1e-3)
        for percent in (50, 90, 99, 99.9, 99.99):
            # The value at a rank: the package rounds a percentile to one, ours is rounded up.
            rank = math.ceil(percent / 100 * reported["count"] - 1e-9)
            exact = decoded.get_value_at_percentile(100 * rank / reported["count"])
            assert reported[f"p{percent:g}"] == pytest.approx(exact, rel=1e-3, abs=1)


def spacing_and_loop(generator: Any) -> tuple[int, int]:
    """The least latency of a run and the least of the loop check before it, in ns."""
    with generator.control(streams={"a": {"rate": "20000"}}, run={"loop_check": "on"}) as control:
        loop = control.ready["loop_ns"]
        assert 0 < loop["min"] <= loop["p50"] <= loop["p99"] <= loop["max"]
        answer = control.run("packets=2000")
        spacing = answer["spacing_error_ns"]
        assert spacing["count"] == 2000
        assert 0 <= spacing["min"] <= spacing["p50"] <= spacing["max"]
        assert control.run("packets=2000 rate=max")["spacing_error_ns"] is None
        return answer["total"]["latency_ns"]["min"], loop["min"]


def test_spacing_and_loop_are_reported(generator: Any) -> None:
    """With a batch of one, a stamp is its send call: what comes back at once is a loop later.

    A busy machine makes loops long, all of a check's: the least of a few checks counts.
    """
    latencies, loops = [], []
    for _ in range(5):
        latency_ns, loop_ns = spacing_and_loop(generator)
        latencies.append(latency_ns)
        loops.append(loop_ns)
        if min(latencies) >= min(loops) / 4:
            return
    pytest.fail(f"latencies of {latencies} ns are shorter than loops of {loops} ns")


def test_a_full_ring_is_the_ports_limit_and_never_loss(generator: Any) -> None:
    """Nobody takes packets out of it: the ring fills, and sending gives up."""
    answer = generator.once(
        "--packets",
        "100000",
        eal=("--vdev", "net_ring0"),
        ports={"rx": "none"},
        run={"give_up_ms": 50},
    )
    total = answer["total"]
    assert answer["limited_by"] == "port"
    assert answer["gave_up"]
    assert 0 < total["sent"] < 100000
    assert total["unsent"] == 100000 - total["sent"]
    assert total["lost"] == 0


def test_a_count_waits_for_a_port_that_takes_nothing_until_it_is_stopped(generator: Any) -> None:
    """Longer than the two seconds that a run waits by default."""
    ring = {"ports": {"rx": "none"}}
    with generator.control("--vdev", "net_ring0", **ring) as asked:
        asked.ask("start packets=100000 rate=100kpps catch_up_us=1e9 give_up_ms=1e6")
        time.sleep(2.5)
        assert asked.ask("stats")["running"]
        late = threading.Timer(30, asked.process.kill)
        late.start()
        answer = asked.ask("stop")
        late.cancel()
    total = answer["total"]
    assert not answer["gave_up"]
    assert 0 < total["sent"] < 100000
    assert total["unsent"] == total["asked"] - total["sent"]


def test_a_full_ring_drops_when_it_is_asked_to(generator: Any) -> None:
    """What the ring has no room for is refused, at once; the other packets are not held up."""
    answer = generator.once(
        *("--packets", "100000"),
        eal=("--vdev", "net_ring0"),
        ports={"rx": "none"},
        run={"when_full": "drop", "give_up_ms": 5000},
    )
    total = answer["total"]
    assert not answer["gave_up"]
    assert 0 < total["sent"] < 100000
    assert total["refused"] == total["unsent"] == 100000 - total["sent"]
    assert total["lost"] == 0


def test_what_it_can_not_send_in_time_is_unsent(generator: Any) -> None:
    """No CPU sends 10^9 packets a second."""
    answer = generator.once(
        "--seconds", "0.2", streams={"a": {"rate": "1e9"}}, run={"catch_up_us": 100}
    )
    total = answer["total"]
    assert answer["limited_by"] in ("generator", "port")
    assert total["asked"] == pytest.approx(2e8, rel=0.01)
    assert total["unsent"] == total["asked"] - total["sent"] > 0
    assert total["lost"] == 0


def test_a_warm_up_is_not_counted(generator: Any) -> None:
    """However late the sender is when the run begins: each packet is of the one or of the other."""
    rate = {"a": {"rate": "10000"}}
    answer = generator.once("--seconds", "0.1", streams=rate, run={"warm_up_ms": 100})
    total = answer["total"]
    assert answer["warm_up_sent"] > 0
    assert answer["warm_up_sent"] + total["sent"] == pytest.approx(2000, abs=1)
    assert total["sent"] == total["received"] == total["asked"] == total["latency_ns"]["count"]
    assert total["stale"] == answer["warm_up_sent"]
    assert total["lost"] == total["unsent"] == 0
    assert answer["seconds"] == pytest.approx(0.1, rel=0.5)


def test_a_warm_up_goes_by_time(generator: Any) -> None:
    with generator.control() as control:
        refused = control.ask("run packets=10 warm_up_ms=1")["error"]
        assert refused.startswith("packets: a run with a warm-up lasts for a time")


def test_a_stall_beyond_the_end_is_none_of_the_run(generator: Any) -> None:
    """Stopped before the end and let go after it: how long it was late is reported."""
    late = {"catch_up_us": 1000}
    with generator.control(streams={"a": {"rate": "10000"}}, run=late) as control:
        control.ask("start seconds=0.2")
        sent_beyond(control, 0)
        control.process.send_signal(signal.SIGSTOP)
        time.sleep(0.5)
        control.process.send_signal(signal.SIGCONT)
        answer = control.ask("wait")
        assert answer["seconds"] == pytest.approx(0.2, abs=0.02)
        assert answer["stalls"]["after_ns"] > 0.2e9
        assert control.end() == 0


def test_requests(generator: Any) -> None:
    streams = {"a": {"rate": "10000"}, "b": {"rate": "20000"}}
    with generator.control(streams=streams) as control:
        assert control.ready["streams"] == ["a", "b"]
        assert control.ask("stats")["error"] == "there was no run yet; start one"
        assert control.ask("start") == {"started": {"streams": 2}}
        assert "a run is under way" in control.ask("start")["error"]
        first = sent_beyond(control, 0)
        assert first["running"]
        assert "latency_histogram" not in first["total"]
        assert sent_beyond(control, first["total"]["sent"])["running"]
        stopped = control.ask("stop")
        check_whole(stopped)
        assert control.ask("stop") == control.ask("wait") == stopped
        check_whole(control.run("packets=100 streams=b"), 100)
        check_whole(control.run("packets=100 a.packets=50 rate=max"), 150)
        for request, sentence in {
            "run seconds=0": "seconds: '0' is not a number above 0",
            "run a.rate=fast": "a.rate: 'fast' is not allowed; it takes max, packets a second",
            "run c.rate=1": "c.rate: there is no stream 'c'",
            "run tx=1": "a run has no key 'tx'",
            "run sizes=9000": "sizes: 9000 bytes are more than the buffers hold",
            "run arrivals=pcap pcap=/nowhere.pcap": "/nowhere.pcap: No such file or directory",
            "walk": "requests are: start key=value …, run key=value …, stats, wait, stop, quit",
            "": "requests are",
        }.items():
            assert sentence in control.ask(request)["error"], request
        assert control.ask("x" * 1100)["error"] == "a request takes up to 1023 bytes"
        check_whole(control.run("packets=10"), 20)
        assert control.end() == 0


def test_the_end_of_input_stops_a_run_and_reports_it(generator: Any) -> None:
    with generator.control(streams={"a": {"rate": "10000"}}) as control:
        control.ask("start")
        sent_beyond(control, 0)
        assert control.end() == 0
        check_whole(control.answer())


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_a_signal_in_traffic(generator: Any, number: signal.Signals) -> None:
    config = generator.config({"a": {"rate": "max"}})
    process = subprocess.Popen(
        [generator.path, config, "--seconds", "3600", "--", *RING], stdout=subprocess.PIPE
    )
    wait_until_it_forwards(process)
    process.send_signal(number)
    out = process.communicate(timeout=TIMEOUT_S)[0]
    assert process.returncode == 130
    answer = json.loads(out)
    assert answer["interrupted"]
    assert answer["total"]["sent"] == answer["total"]["received"] > 0
    assert left_behind([process.pid]) == set()


def test_mistakes_end_it_with_a_sentence(generator: Any) -> None:
    done = generator.run(
        generator.config(ports={"tx": 7}), "--packets", "1", "--", "--vdev", "net_ring0"
    )
    assert (done.returncode, done.stdout) == (2, "")
    assert "ports.tx: there is no DPDK port 7; name one after --" in done.stderr
    done = generator.run(generator.config(machine={"lcores": 4000}), "--packets", "1")
    assert done.returncode == 3
    assert "CPU 4000 is not there" in done.stderr
    for words in (
        ["x.ini", "--packets", "0"],
        ["x.ini", "--seconds", "x"],
        [],
        ["x.ini", "y.ini"],
        ["x.ini", "--control", "--seconds", "1"],
        ["nowhere.ini"],
    ):
        assert generator.run(*words).returncode == 2
    keys = generator.run("--keys")
    assert keys.returncode == 0
    assert "[stream NAME]\ndirection = forward" in keys.stdout


def test_keys_are_a_configuration(generator: Any) -> None:
    """What --keys prints is read again, and changes nothing."""
    file = generator.folder / "keys.ini"
    main, last = cpus()
    text = generator.run("--keys").stdout.replace("main_cpu = 0", f"main_cpu = {main}")
    file.write_text(
        text.replace("lcores = 1", f"lcores = {last}").replace("pcap =  ;", "pcap = x ;")
    )
    done = generator.run(file, "--packets", "100", "--", "--vdev", "net_ring0")
    assert done.returncode == 0, done.stderr
    check_whole(json.loads(done.stdout), 100)
