"""What scenarios are called beside each other."""

from __future__ import annotations

from collections.abc import Sequence

from planecast.scenario import SCENARIO_KEYS, Scenario, Workload, point_label, value_at


def varied_keys(scenarios: Sequence[Scenario]) -> list[str]:
    """The keys in which these scenarios are not all alike."""
    return [key for key in SCENARIO_KEYS if len({value_at(s, key) for s in scenarios}) > 1]


def own_label(scenario: Scenario) -> str:
    """The keys in which a scenario differs from the defaults of its function; empty for none.

    It depends on the scenario alone, so it stays the same from run to run.
    """
    usual = Scenario(name=scenario.name, workload=Workload(kind=scenario.workload.kind))
    moved = {k: v for k in SCENARIO_KEYS if (v := value_at(scenario, k)) != value_at(usual, k)}
    return point_label(moved) if moved else ""
