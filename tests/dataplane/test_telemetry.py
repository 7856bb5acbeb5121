"""Live counters on DPDK's telemetry socket."""

from __future__ import annotations

import signal
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from tests.programs import wait_until

pytestmark = pytest.mark.live

STATS, STAGES = "/planecast/stats", "/planecast/stages"
METERS = "/planecast/meters"
ON = {"telemetry": "on"}


def test_counters_grow_while_it_runs(dataplane: Any, telemetry: Callable[..., Any]) -> None:
    with dataplane.control(machine=ON) as control:
        path = control.ready["telemetry"]
        control.say("trial seconds=3600")
        seen: set[int] = set()

        def has_grown_three_times() -> bool:
            seen.add(telemetry(path, STATS)[0][STATS]["packets_in"])
            return len(seen) == 4

        wait_until(has_grown_three_times, "they grew")
        assert control.end(signal.SIGTERM) == 130
        assert max(seen) <= control.answer()["packets_in"]


def test_counters_are_those_of_the_trials(dataplane: Any, telemetry: Callable[..., Any]) -> None:
    with dataplane.control(machine=ON) as control:
        path = control.ready["telemetry"]
        trial = control.ask("trial packets=320000")
        after = telemetry(path, STATS)[0][STATS]
        assert after["packets_in"] == trial["packets_in"]
        assert after["packets_out"] == trial["packets_out"]
        assert {name: after[f"drop_{name}"] for name in trial["drops"]} == trial["drops"]
        assert after["bursts"] == trial["packets_in"] // 32
        assert after["empty_polls"] == 0


def test_stages(dataplane: Any, telemetry: Callable[..., Any]) -> None:
    """A stage keeps its counts when a trial leaves another one out."""
    with dataplane.control(machine=ON) as control:
        path = control.ready["telemetry"]
        control.ask("trial packets=3200 stage_clock=1")
        control.ask("trial packets=3200 stage_clock=1 stages=key,route")
        stages = telemetry(path, STAGES)[0][STAGES]
        assert list(stages) == ["source", "acl", "key", "classify", "actions", "route", "tx"]
        for name, counts in stages.items():
            expected = 100 if name in ("acl", "classify", "actions") else 200
            assert counts["bursts"] == expected
            assert counts["packets"] == 32 * expected
            assert counts["cycles"] > 0


def test_meters(dataplane: Any, telemetry: Callable[..., Any]) -> None:
    """Every packet has a colour after metering."""
    slow = {"meter_rate": 1, "meter_burst": 3800}  # 100 packets of 38 bytes of each meter
    with dataplane.control(machine=ON, tables=slow, traffic={"flows": 1, "dscp": 0}) as control:
        trial = control.ask("trial packets=3200 stages=key,actions")
        meters = telemetry(control.ready["telemetry"], METERS)[0][METERS]
        assert meters == {"green": 100, "yellow": 0, "red": 3100}
        assert trial["drops"]["policer"] == 3100


def test_it_is_listed_among_the_commands(dataplane: Any, telemetry: Callable[..., Any]) -> None:
    with dataplane.control(machine=ON) as control:
        listed, help_text = telemetry(control.ready["telemetry"], "/", f"/help,{STAGES}")
        assert {STATS, STAGES} <= set(listed["/"])
        assert "Cycles, bursts and packets by stage" in str(help_text)


def test_two_at_once(dataplane: Any, telemetry: Callable[..., Any]) -> None:
    with dataplane.control(machine=ON) as one, dataplane.control(machine=ON) as two:
        paths = [one.ready["telemetry"], two.ready["telemetry"]]
        assert paths[0] != paths[1]
        one.ask("trial packets=320")
        two.ask("trial packets=640")
        counts = [telemetry(path, STATS)[0][STATS]["packets_in"] for path in paths]
        assert counts == [320, 640]
        assert one.end() == two.end() == 0
        assert not any(Path(path).parent.exists() for path in paths)


def test_a_reader_that_stays_does_not_keep_it(
    dataplane: Any, telemetry: Callable[..., Any]
) -> None:
    import socket

    with (
        dataplane.control(machine=ON) as control,
        socket.socket(socket.AF_UNIX, socket.SOCK_SEQPACKET) as client,
    ):
        client.settimeout(10)
        client.connect(control.ready["telemetry"])
        client.recv(4096)
        assert control.end() == 0


def test_dpdks_own_client_reads_it(dataplane: Any) -> None:
    import shutil
    import subprocess

    client = shutil.which("dpdk-telemetry.py")
    if client is None:
        pytest.skip("dpdk-telemetry.py is not there: it comes with the package dpdk")
    with dataplane.control(machine=ON) as control:
        control.ask("trial packets=320")
        prefix = Path(control.ready["telemetry"]).parent.name
        done = subprocess.run(
            [client, "-f", prefix],
            input=f"{STATS}\n{STAGES}\nquit\n",
            capture_output=True,
            text=True,
            timeout=60,
            check=False,
        )
        assert done.returncode == 0, done.stderr
        assert '"packets_in": 320' in done.stdout
        assert '"classify": {' in done.stdout
