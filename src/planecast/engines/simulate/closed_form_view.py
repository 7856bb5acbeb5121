"""What the closed form is asked: the scenario without what it doesn't know.

A cut pipeline costs, stage by stage, what one lcore takes for all of it: the tables then share one
core's caches, so the parts are a little cheaper than this says. Cards, devices and interference
cost what the simulator says they do.
"""

from __future__ import annotations

from planecast.scenario.accelerator import Accelerator
from planecast.scenario.cpus import format_cpus
from planecast.scenario.interference import Interference
from planecast.scenario.nic import Nic
from planecast.scenario.scenario import Scenario


def closed_form_view(scenario: Scenario) -> Scenario:
    """The same workload uncut, on an lcore for each chain, from memory to memory, at full load."""
    placement = scenario.placement
    lcores = format_cpus(chain[0] for chain in placement.chains)
    return scenario.model_copy(
        update={
            "placement": placement.model_copy(update={"lcores": lcores, "cuts": ()}),
            "traffic": scenario.traffic.model_copy(update={"offered_pps": None}),
            "nic": Nic(),
            "accelerator": Accelerator(),
            "interference": Interference(),
        }
    )
