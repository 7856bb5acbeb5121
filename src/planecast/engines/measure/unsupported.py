"""What a scenario may say that only the simulator can do, or that the program under test takes no
notice of: measuring refuses it in a sentence."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from planecast.errors import InputError
from planecast.scenario.dataplane import OWN
from planecast.scenario.host_cpus import refuse_absent
from planecast.scenario.longest_frames import too_long_over_links
from planecast.scenario.plain_flows import has_routes
from planecast.scenario.points import applies, keys_of, usual_of, value_at, value_if_any
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


_TAKES_BURSTS = (OWN, "testpmd")
"""Kinds of data plane that `placement.burst` reaches when a generator feeds them."""
_MEASURED_IN_BURSTS = ("l3fwd", "ovs")
"""Others that `planecast measure` gives packets in bursts of that size."""
_STARTED = ("cpus", "lcores", "burst", "rx_ring", "tx_ring")
"""Keys of `placement` that are for programs which planecast starts."""


def refuse_unmeasured(scenarios: Iterable[Scenario], *, searched: bool = False) -> None:
    """Raises InputError for the first key that is set and that measuring, or a search, does not
    use, for frames that don't pass, and for a CPU that is not on this machine."""
    for scenario in scenarios:
        if searched:
            refuse_without_effect(scenario)
            refuse_long_frames(scenario)
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
        refuse_absent(scenario)


def refuse_long_frames(scenario: Scenario) -> None:
    """Raises InputError for frames that don't pass where a generator sends them."""
    if too_long := too_long_over_links(scenario.dataplane, scenario.traffic):
        raise InputError(too_long, f"{scenario.name}: traffic.frame_bytes", "lower it")


def refuse_without_effect(scenario: Scenario) -> None:
    """Raises InputError for the first key that is set and that the program under test takes no
    notice of when a generator feeds it."""
    usual = usual_of(scenario)
    for key, why, what_to_do in _without_effect(scenario):
        if applies(scenario, key) and value_at(scenario, key) != value_at(usual, key):
            raise InputError(f"{key} is set, but {why}", scenario.name, what_to_do)


def _without_effect(scenario: Scenario) -> Iterator[tuple[str, str, str]]:
    """Keys, why they have no effect, and what to do."""
    kind = scenario.dataplane.kind
    if kind == "external":
        for name in _STARTED:
            why = "nothing is started: what forwards has CPUs, bursts and rings of its own"
            yield f"placement.{name}", why, "leave it out"
    elif kind not in _TAKES_BURSTS:
        measured = kind in _MEASURED_IN_BURSTS
        yield (
            "placement.burst",
            f"{kind} takes bursts of its own size from a port",
            "leave it out" + (", or see planecast measure, which sends such" * measured),
        )
    if kind != OWN and not has_routes(scenario):
        yield (
            "traffic.destination_step",
            "destinations are one address apart where no routes lie around them",
            "leave it out",
        )


def refuse_neighbour(scenario: Scenario) -> None:
    """Raises InputError for a neighbour, where a generator runs on the other CPU."""
    if scenario.neighbour.busy:
        raise InputError(
            "a neighbour is set, but measuring with a generator starts none",
            f"{scenario.name}: neighbour",
            "leave it out, or measure without a generator: planecast measure",
        )
