"""A controlling program's side: requests, answers, signals."""

from __future__ import annotations

import json
import os
import re
import signal
import subprocess
import time
from pathlib import Path
from typing import Any

import pytest
from tests.programs import TIMEOUT_S, cpu_seconds, memif, wait_until, wait_until_it_forwards

pytestmark = pytest.mark.live

STAGES = ["acl", "key", "classify", "actions", "route"]


def check_trial(answer: dict[str, Any], **asked: object) -> None:
    """An answer in the shape of the interfaces document."""
    trial = answer["trial"]
    for key, value in asked.items():
        assert trial[key] == value
    assert answer["conserved"]
    assert not answer["interrupted"]
    assert answer["packets_in"] == answer["packets_out"] + sum(answer["drops"].values())
    assert answer["tsc_hz"] > 10**8
    assert len(answer["lcores"]) == trial["lcores"]
    for lcore in answer["lcores"]:
        windows = lcore["windows"]
        assert windows.pop("count") == trial["windows"]
        stage_cycles = windows.pop("stage_cycles")
        assert list(stage_cycles) == ["source", *trial["stages"], "tx"]
        for column in [*windows.values(), *stage_cycles.values()]:
            assert len(column) == trial["windows"]
        for packets, bursts, cycles in zip(
            windows["packets"], windows["bursts"], windows["cycles"], strict=True
        ):
            assert trial["packets"] <= packets < trial["packets"] + trial["burst"]
            assert bursts == -(-trial["packets"] // trial["burst"])
            assert cycles > 0


def test_ready(dataplane: Any) -> None:
    with dataplane.control() as control:
        ready = control.ready
        assert ready["lcores"] == 1
        assert ready["tsc_hz"] > 10**8
        assert ready["page_size"] in ("4KiB", "2MiB", "mixed")
        assert ready["dpdk"].startswith("DPDK ")
        assert "telemetry" not in ready
        control.say("quit")
        assert control.process.wait(10) == 0


def test_a_trial_with_every_key(dataplane: Any) -> None:
    request = (
        "trial windows=3 packets=640 warmup=320 canary=1 burst=16 frame_bytes=128 flows=8 "
        "stages=acl,key,route stage_clock=4 lcores=1 seconds=5"
    )
    with dataplane.control() as control:
        answer = control.ask(request)
        windows = answer["lcores"][0]["windows"]
        for name in ("canary_compute", "canary_chase"):
            assert all(before > 0 and after > 0 for before, after in windows[name])
        assert windows["sampled_bursts"] == [10, 10, 10]
        assert windows["sampled_packets"] == [160, 160, 160]
        assert all(min(cycles) > 0 for cycles in windows["stage_cycles"].values())
        assert answer["packets_in"] == 320 + 3 * 640
        check_trial(
            answer,
            windows=3,
            packets=640,
            burst=16,
            frame_bytes=128,
            flows=8,
            stages=["acl", "key", "route"],
            stage_clock=4,
            lcores=1,
        )
        # The next trial has the configuration's values again, and counts of its own.
        after = control.ask("trial packets=64")
        check_trial(after, windows=1, burst=32, frame_bytes=64, flows=64, stages=STAGES)
        assert after["packets_in"] == 64
        assert after["lcores"][0]["windows"]["canary_chase"] == [[0, 0]]


def test_bursts_and_stages(dataplane: Any) -> None:
    with dataplane.control() as control:
        for stages in ("none", "acl", "key,classify", ",".join(STAGES)):
            names = [] if stages == "none" else stages.split(",")
            for burst in (1, 3, 32, 255, 256):
                answer = control.ask(f"trial windows=2 packets=1000 burst={burst} stages={stages}")
                check_trial(answer, windows=2, packets=1000, burst=burst, stages=names)


def test_no_stage_clock(dataplane: Any) -> None:
    with dataplane.control() as control:
        windows = control.ask("trial packets=1000 stage_clock=0")["lcores"][0]["windows"]
        assert windows["sampled_bursts"] == [0]
        assert windows["stage_cycles"]["acl"] == [0]


BAD_REQUESTS = {
    "trial packets=0": "packets: '0' is not a whole number from 1 to ",
    "trial packets=-1": "packets: '-1' is not a whole number",
    "trial packets=18446744073709551616": "packets: '18446744073709551616' is not a whole number",
    "trial packets=18446744073709551615": "packets: '18446744073709551615' is not a whole number",
    "trial packets=1.5": "packets: '1.5' is not",
    "trial packets=": "packets: '' is not",
    "trial packets": "'packets' is not key=value",
    "trial windows=3": "packets: missing",
    "trial": "packets: missing",
    "trial seconds=0": "seconds: '0' is not a number above 0",
    "trial seconds=nan": "seconds: 'nan' is not",
    "trial seconds=inf": "seconds: 'inf' is not",
    "trial packets=9 burst=0": "burst: '0' is not a whole number from 1 to 256",
    "trial packets=9 burst=257": "burst: '257' is not",
    "trial packets=9 windows=8193": "windows: '8193' is not a whole number from 1 to 8192",
    "trial packets=9 canary=2": "canary: '2' is not a whole number from 0 to 1",
    "trial packets=9 frame_bytes=63": "frame_bytes: '63' is not",
    "trial packets=9 frame_bytes=2049": "frame_bytes: 2049 are more than the buffers hold",
    "trial packets=9 flows=65": "flows: 65 are active, but the tables have 64",
    "trial packets=9 lcores=2": "lcores: ",
    "trial packets=9 lcores=0": "lcores: '0' is not",
    "trial packets=9 stages=route": "'route' needs the stage 'key' before it",
    "trial packets=9 stages=key,acl": "'acl' can't come after 'key'",
    "trial packets=9 stages=key,key": "'key' can't come after 'key'",
    "trial packets=9 stages=acl,": "vpe-upstream has no stage ''",
    "trial packets=9 stages=": "vpe-upstream has no stage ''",
    "trial packets=9 stages=nat": "vpe-upstream has no stage 'nat'",
    "trial packets=9 colour=red": "a trial has no key 'colour'",
    "trials packets=9": "requests are: trial key=value …, quit",
    "quitting": "requests are",
    "": "requests are",
    'say "hello" \\': "requests are",
}


def test_what_is_refused_is_answered_and_the_program_continues(dataplane: Any) -> None:
    with dataplane.control() as control:
        for request, sentence in BAD_REQUESTS.items():
            error = control.ask(request)["error"]
            assert sentence in error, request
        check_trial(control.ask("trial packets=64"))


def test_any_bytes_are_answered_in_json(dataplane: Any) -> None:
    with dataplane.control() as control:
        for request in (
            b"trial \x01\x1f\x7f=1",
            b"trial \xff\xfe\xc3=\xe2\x80",
            b"trial packets=\xed\xa0\x80\xf5\xf4\x90\x80\x80",
            'trial größe="1\\2'.encode(),
            b"trial " + "…".encode() * 300,
            b"\0\0\0",
            b"x" * 1023,
        ):
            assert "error" in control.ask(request)
        assert control.ask('trial größe="1\\2')["error"] == "a trial has no key 'größe'"


def test_a_request_that_is_too_long_is_one_request(dataplane: Any) -> None:
    """Its tail, a trial by itself, must not run."""
    with dataplane.control() as control:
        for length in (1024, 1025, 5000):
            tail = " trial packets=64"
            error = control.ask("x" * (length - len(tail)) + tail)["error"]
            assert error == "a request takes up to 1023 bytes"
        check_trial(control.ask("trial packets=64"))


def test_requests_may_come_at_once_or_in_pieces(dataplane: Any) -> None:
    with dataplane.control() as control:
        control.say("trial packets=64\ntrial packets=128\r\n  trial packets=256  ")
        assert [control.answer()["packets_in"] for _ in range(3)] == [64, 128, 256]
        assert control.process.stdin is not None
        control.process.stdin.write(b"trial pack")
        control.process.stdin.flush()
        time.sleep(0.05)
        assert control.ask("ets=32")["packets_in"] == 32


def test_the_end_of_input_ends_it(dataplane: Any) -> None:
    with dataplane.control() as control:
        assert control.end() == 0


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_a_signal_while_it_waits(dataplane: Any, number: signal.Signals) -> None:
    with dataplane.control() as control:
        assert control.end(number) == 130


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_a_signal_in_a_trial(dataplane: Any, number: signal.Signals) -> None:
    with dataplane.control() as control:
        control.say("trial windows=100 packets=10000000000 canary=1")  # hours
        wait_until_it_forwards(control.process)
        assert control.end(number) == 130
        answer = control.answer()
        assert answer["interrupted"]
        assert answer["conserved"]
        assert answer["packets_in"] > 0


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_a_signal_in_a_run(dataplane: Any, number: signal.Signals) -> None:
    process = subprocess.Popen(
        [dataplane.path, dataplane.config(), "--seconds", "3600"], stdout=subprocess.PIPE
    )
    wait_until_it_forwards(process)
    process.send_signal(number)
    out = process.communicate(timeout=TIMEOUT_S)[0]
    assert process.returncode == 130
    assert json.loads(out)["interrupted"]


def catches(process: subprocess.Popen[bytes], number: signal.Signals) -> bool:
    status = Path(f"/proc/{process.pid}/status").read_text()
    caught = re.search(r"^SigCgt:\s*([0-9a-f]+)$", status, re.MULTILINE)
    assert caught is not None
    return bool(int(caught[1], 16) >> (number - 1) & 1)


def test_a_signal_while_tables_are_built(dataplane: Any) -> None:
    """A second one of a kind ends it at once, should building take long.

    The main thread builds them: 0.1 s of its work is past EAL's start. A signal that came late,
    when they stood already, is sent once more to the next process.
    """
    config = dataplane.config(tables={"acl_rules": 16384, "flows": 1 << 20})
    for _ in range(3):
        process = subprocess.Popen(
            [dataplane.path, config, "--seconds", "3600"],
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
        )
        wait_until(
            lambda process=process: (
                catches(process, signal.SIGINT) and cpu_seconds(process)[process.pid] >= 0.1
            ),
            "it built tables",
        )
        process.send_signal(signal.SIGINT)
        out, error = process.communicate(timeout=TIMEOUT_S)
        assert process.returncode == 130
        assert error == b""
        if out == b"":
            return
    pytest.fail("it built the other tables, too, and began its run")


def test_a_reader_that_is_gone(dataplane: Any) -> None:
    with dataplane.control() as control:
        assert control.process.stdout is not None
        control.process.stdout.close()
        control.say("trial packets=64")
        assert control.process.wait(10) == 1


@pytest.mark.skipif(len(os.sched_getaffinity(0)) < 2, reason="needs two CPUs")
def test_two_lcores(dataplane: Any) -> None:
    cpus = sorted(os.sched_getaffinity(0))[:2]
    machine = {"lcores": f"{cpus[0]},{cpus[1]}"}
    with dataplane.control(machine=machine) as control:
        assert control.ready["lcores"] == 2
        both = control.ask("trial windows=2 packets=2000")
        check_trial(both, lcores=2)
        assert [lcore["cpu"] for lcore in both["lcores"]] == cpus
        one = control.ask("trial windows=2 packets=2000 lcores=1")
        check_trial(one, lcores=1)
        # Fewer flows than lcores: they share.
        check_trial(control.ask("trial packets=2000 flows=1"), lcores=2)


def test_a_trial_of_a_port_ends_by_time(dataplane: Any) -> None:
    """A port where nothing comes: neither the warm-up nor a window may wait for ever."""
    rows = "--vdev", "net_null0,no-rx=1"
    with dataplane.control(*rows, ports={"rx": 0, "tx": 0}) as control:
        answer = control.ask("trial packets=100 warmup=100 windows=2 seconds=0.1")
        windows = answer["lcores"][0]["windows"]
        assert answer["packets_in"] == 0
        assert windows["packets"] == [0, 0]
        assert min(windows["empty_polls"]) > 0
        error = control.ask("trial packets=9 stages=key,actions")["error"]
        assert "'actions' needs 'classify' before it when packets come from a port" in error


def test_a_port_of_zeros_drops_all(dataplane: Any) -> None:
    answer = dataplane.once(
        "--packets", "10000", eal=("--vdev", "net_null0"), ports={"rx": 0, "tx": 0}
    )
    assert answer["packets_in"] == answer["drops"]["header"] >= 10000


def test_a_full_port_drops_and_counts(dataplane: Any) -> None:
    """Nobody takes packets out of this memory interface, so its TX never takes one."""
    socket = dataplane.folder / "memif.sock"
    answer = dataplane.once(
        "--packets",
        "10000",
        eal=("--vdev", memif("server", socket)),
        ports={"tx": 0},
    )
    assert answer["drops"]["tx"] == answer["packets_in"] >= 10000
    assert answer["packets_out"] == 0
