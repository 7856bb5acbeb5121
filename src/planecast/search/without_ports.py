"""What a data plane takes without its ports, so that it can be compared across kinds of ports."""

from __future__ import annotations

from pathlib import Path

from planecast.results.arithmetic import difference
from planecast.results.estimate import Estimate
from planecast.results.port_costs import BASE, latest_port_costs
from planecast.results.telemetry import TSC, Telemetry
from planecast.scenario.scenario import Scenario


def without_ports(
    observed: tuple[Telemetry, ...], scenario: Scenario, runs: Path
) -> tuple[Telemetry, ...]:
    """The telemetry, TSC cycles also less what ports of the scenario's kind take above the least
    one, as the latest `machine ports` of this host in the folder `runs` measured it; as it is where
    none did, and where those cost more than the whole."""
    found = latest_port_costs(runs) if observed else None
    frames = scenario.traffic.frames
    weight = sum(share for _, share in frames)
    mean_bytes = sum(size * share for size, share in frames) / weight
    kind = str(getattr(scenario.dataplane, "ports", ""))
    cost = found[0].above_base(kind, mean_bytes) if found is not None else None
    if found is None or cost is None:
        return observed
    mark = (
        f"without its ports: less the {cost.value:.4g} TSC cycles that testpmd takes in {kind} "
        f"above {BASE}, at {mean_bytes:.4g} bytes ({found[1]})"
    )
    return tuple(_less(one, cost, mark) for one in observed)


def _less(one: Telemetry, cost: Estimate, mark: str) -> Telemetry:
    whole = one.cycles_per_packet
    if whole is None or one.cycles_of != TSC or whole.value <= cost.value:
        return one
    own = difference(whole, cost)
    return one.model_copy(update={"cycles_without_ports": own, "marks": (*one.marks, mark)})
