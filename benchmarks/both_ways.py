"""Packets a second that our generator sends and receives at once, through testpmd in io mode.

At the most load that it can make, over a memory interface each way: what comes back is counted, so
the row is a rate that a search could offer and check. Trials that lost a CPU are in it.
"""

from __future__ import annotations

from pathlib import Path

from planecast.engines.measure.testbed import Testbed, dut_of
from planecast.results.student import mean_estimate
from planecast.scenario import load_scenario
from row import Row, row

SCENARIO = Path(__file__).parent.parent / "scenarios" / "testpmd-io.yaml"
STARTS, TRIALS = 4, 5
TRIAL_S = 0.2
CPU, GENERATOR_CPU = 1, 0
GOAL_PPS = 12e6


def generator_both_ways() -> list[Row]:
    """The mean over starts of each one's best trial: disturbances only take away."""
    scenario = load_scenario(SCENARIO, {"placement.cpus": str(CPU)})
    best = []
    for _ in range(STARTS):
        with Testbed(scenario, dut_of(scenario, GENERATOR_CPU), GENERATOR_CPU) as testbed:
            trials = [testbed.trial(None, TRIAL_S).sent for _ in range(TRIALS)]
        best.append(max(trial["total"]["received"] / trial["seconds"] for trial in trials))
    came = mean_estimate(best, "packets/s", "measured")
    name = "generator, sent and received through testpmd"
    return [row(name, came, None, "packets/s", GOAL_PPS, at_least=True)]
