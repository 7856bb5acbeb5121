"""Packets that end in a stage: what a scenario says of them, and what an answer counted by cause.

A policer's are counted by its meters (`policer`); here are shares of the packets, and classes that
come red, which a colour-aware meter leaves red.
"""

from __future__ import annotations

import math

from planecast.engines.simulate import _simulator as sim
from planecast.scenario.scenario import Scenario
from planecast.scenario.shares import stage_shares

CAUSES = {"classify": "flow_miss", "actions": "policer", "route": "route_miss"}
"""What the data plane calls drops of a stage, where it isn't the stage's own name."""
_METERED = "actions"
"""The stage that meters."""


def drops_of(scenario: Scenario, stage: str) -> list[sim.Drop]:
    """The drops of a stage in the model."""
    extra, share = scenario.traffic.drop_cycles, _shares(scenario).get(stage, 0.0)
    cause = CAUSES.get(stage, stage)
    found = [sim.Drop(cause=cause, probability=share, extra_cycles=extra)] if share else []
    if stage == _METERED:
        found += [
            sim.Drop(cause=cause, probability=1.0, extra_cycles=extra, flow_class=one.name)
            for one in scenario.traffic.by_class
            if one.red
        ]
    return found


def kept_share(scenario: Scenario) -> float:
    """Share of the packets that no stage drops for these reasons."""
    kept = math.prod(1 - share for share in _shares(scenario).values())
    if _METERED not in scenario.stages:
        return kept
    return kept * (1 - sum(one.share for one in scenario.traffic.by_class if one.red))


def lost_by_cause(answer: sim.Results) -> dict[str, int]:
    """Packets that were dropped, wherever."""
    found: dict[str, int] = {}
    for drop in answer.drops:
        found[drop.cause] = found.get(drop.cause, 0) + drop.packets
    return found


def _shares(scenario: Scenario) -> dict[str, float]:
    return stage_shares(scenario.traffic.dropped)
