"""What a scenario may say that only the simulator can do: measuring refuses it in a sentence."""

from __future__ import annotations

from collections.abc import Iterable

from planecast.errors import InputError
from planecast.scenario.dataplane import OWN
from planecast.scenario.points import keys_of, usual_of, value_at, value_if_any
from planecast.scenario.scenario import Scenario

_GENERATOR = "measuring offers as much as is taken: planecast curve has a generator for loads"
_REASONS = {
    "traffic.offered_pps": _GENERATOR,
    "traffic.arrivals": "what is measured is offered at equal gaps",
    "traffic.frame_mix": "the data plane's own source sends frames of one size",
    "traffic.classes": "what is measured is sent in one class: one size, one share of flows",
    "traffic.new_flows_pps": "the data plane's own source opens no flows",
    "traffic.drop": "the data plane's own source sends nothing that is dropped",
    "workload.new_flow_cycles": "the cost is measured, not set",
    "machine": "measuring is done on this host",
    "placement.core_ghz": "planecast doesn't set clocks",
    "placement.core_priority": "planecast doesn't set clocks",
    "placement.llc_ways": "planecast partition gives ways to a running data plane",
    "neighbour.ways": "planecast partition gives ways to what runs",
    "placement.remote_memory": "bind the data plane's memory to a node with numactl",
    "placement.busy_siblings": "name both threads of each core in placement.cpus",
    "placement.handoff_ns": "the latency is measured, not set",
    "nic.": "the data plane's own source has no network card",
    "accelerator.": "the data plane has no accelerator",
    "dataplane.": "what is measured here is planecast's own",
    "generator.": "measuring has the data plane's own source",
    "interference.": "interruptions of this machine are measured, not set",
}
"""Keys, or sections, and why a measurement can't use them."""
_PROGRAM = "dataplane."
_OTHERS = (_PROGRAM, "generator.")
"""Sections that a search uses, and the simulator doesn't know."""
_PORTS = "what is measured here runs between ports in memory"
_SEARCH = "leave it out, or look for its rates: planecast search has others"
_SIMULATE = "leave it out, or ask the simulator: planecast predict --engine simulate"


def refuse_unmeasured(scenarios: Iterable[Scenario], *, searched: bool = False) -> None:
    """Raises InputError for the first key that is set and that measuring, or a search, does not
    use."""
    for scenario in scenarios:
        own = scenario.dataplane.kind == OWN
        if not own and not searched and value_if_any(scenario, "dataplane.ports") != "memif":
            raise InputError(f"dataplane.ports is set, but {_PORTS}", scenario.name, _SEARCH)
        usual = usual_of(scenario)
        for key in keys_of(scenario):
            if (searched and key.startswith(_OTHERS)) or (not own and key.startswith(_PROGRAM)):
                continue
            why = next((why for name, why in _REASONS.items() if key.startswith(name)), None)
            if why is not None and value_at(scenario, key) != value_at(usual, key):
                other = _SEARCH if key.startswith(_OTHERS) else _SIMULATE
                raise InputError(f"{key} is set, but {why}", scenario.name, other)


def refuse_neighbour(scenario: Scenario) -> None:
    """Raises InputError for a neighbour, where a generator runs on the other CPU."""
    if scenario.neighbour.busy:
        raise InputError(
            "a neighbour is set, but measuring with a generator starts none",
            f"{scenario.name}: neighbour",
            "leave it out, or measure without a generator: planecast measure",
        )
