"""What the closed form is asked: the scenario without what it doesn't know.

A cut pipeline costs, stage by stage, what one lcore takes for all of it: the tables then share one
core's caches, so the parts are a little cheaper than this says. Cards, devices and interference
cost what the simulator says they do.
"""

from __future__ import annotations

from planecast.errors import InputError
from planecast.scenario.accelerator import Accelerator
from planecast.scenario.dataplane import OWN
from planecast.scenario.interference import Interference
from planecast.scenario.nic import Nic
from planecast.scenario.scenario import Scenario


def closed_form_view(scenario: Scenario) -> Scenario:
    """The same workload uncut, on an lcore for each chain, from memory to memory, at full load.

    Raises InputError for a program of others.
    """
    if scenario.dataplane.kind != OWN:
        raise InputError(
            f"the simulator plays planecast's own pipelines, not {scenario.forwards}",
            "dataplane.kind",
            "ask the closed form: planecast predict without --engine simulate",
        )
    placement = scenario.placement
    if placement.cuts:
        firsts = [chain[0] for chain in placement.chains]
        placement = placement.on(firsts).model_copy(update={"cuts": ()})
    return scenario.model_copy(
        update={
            "placement": placement,
            "traffic": scenario.traffic.model_copy(update={"offered_pps": None}),
            "nic": Nic(),
            "accelerator": Accelerator(),
            "interference": Interference(),
        }
    )
