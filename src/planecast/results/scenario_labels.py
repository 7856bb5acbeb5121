"""What scenarios are called next to each other."""

from __future__ import annotations

from collections.abc import Sequence

from planecast.scenario import SCENARIO_KEYS, Scenario, point_label, value_at
from planecast.scenario.points import applies, keys_of, usual_of


def varied_keys(scenarios: Sequence[Scenario]) -> list[str]:
    """The keys in which these scenarios are not all alike; of a key that applies to some of them
    alone, those."""
    return [
        key
        for key in SCENARIO_KEYS
        if len({value_at(s, key) for s in scenarios if applies(s, key)}) > 1
    ]


def label_of(scenario: Scenario, keys: Sequence[str]) -> str:
    """What these keys are in a scenario, of those that apply to it: ``flows=4096 burst=8``. A key
    that is not set is left out."""
    having = {key: value_at(scenario, key) for key in keys if applies(scenario, key)}
    return point_label({key: value for key, value in having.items() if value is not None})


def own_label(scenario: Scenario) -> str:
    """The keys in which a scenario differs from the defaults of what forwards; empty for none.

    It depends on the scenario alone, so it stays the same from run to run.
    """
    usual = usual_of(scenario)
    moved = {k: v for k in keys_of(scenario) if (v := value_at(scenario, k)) != value_at(usual, k)}
    return point_label(moved) if moved else ""
