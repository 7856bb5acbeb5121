"""What a trial is asked for, and answers as the data plane would give them."""

from __future__ import annotations

from typing import Any

from planecast.dataplanes import PortTrial, TrialAnswer
from planecast.scenario import Scenario


def answer(
    packets: int,
    out: int | None = None,
    *,
    cycles: int = 52_000_000,
    empty_polls: int = 1000,
    canary: tuple[float, float] = (2.5, 2.5),
    drops: dict[str, int] | None = None,
) -> TrialAnswer:
    """The answer of one lcore in one window at 2.6 GHz, 10 cycles a packet and stage."""
    sampled = packets // 16
    return TrialAnswer.model_validate(
        {
            "trial": {"windows": 1},
            "lcores": [
                {
                    "cpu": 1,
                    "chain": 0,
                    "segment": 0,
                    "clock_cost": 20,
                    "windows": {
                        "count": 1,
                        "cycles": [cycles],
                        "packets": [packets],
                        "bursts": [packets // 4],
                        "empty_polls": [empty_polls],
                        "canary_compute": [list(canary)],
                        "canary_chase": [[300.0, 310.0]],
                        "sampled_packets": [sampled],
                        "sampled_bursts": [sampled // 4],
                        "stage_cycles": {"source": [10 * sampled], "tx": [10 * sampled]},
                    },
                }
            ],
            "packets_in": packets,
            "copies": 0,
            "packets_out": packets if out is None else out,
            "in_flight": 0,
            "drops": drops or {},
            "conserved": True,
            "interrupted": False,
            "tsc_hz": 2_600_000_000,
            "page_size": "4KiB",
            "simd_bits": 512,
            "dpdk": "made up",
        }
    )


def test_a_port_trial_ends_by_the_clock_alone() -> None:
    request: dict[str, Any] = dict(
        word.split("=")
        for word in PortTrial(seconds=0.25, scenario=Scenario(name="s")).request.split()[1:]
    )
    assert request["seconds"] == "0.25"
    assert request["windows"] == request["canary"] == request["lcores"] == "1"
    assert "packets" not in request
