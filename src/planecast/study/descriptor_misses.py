"""Misses that the descriptors of our own stages say, in the words of a trace.

A trace gives the lines a packet that a fully associative cache with LRU misses, for any number of
lines. The descriptors' regions give the same by the law of cache sharing, for sets of as many
ways as it knows: more change nothing in the third digit.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from planecast.machine.cache_sharing import hit_shares
from planecast.scenario.scenario import Scenario
from planecast.workload.regions import Region
from planecast.workload.scenario_columns import ScenarioColumns
from planecast.workload.sizes import Sizes
from planecast.workload.stages.registry import stages_of

WAYS = 64.0
"""Of a set: the most that the law takes."""


def descriptor_misses(scenario: Scenario, sizes: Sequence[float]) -> dict[str, tuple[float, ...]]:
    """Lines a packet that a cache of so many lines misses, by stage, one number a size.

    Of planecast's own data plane, on one lcore, as it is traced; stages that are left out have
    none.
    """
    regions = _touched(scenario)
    cyclic = np.array([region.cyclic for region in regions])
    shape = (len(regions), 1)
    lines = np.array([region.lines[0] for region in regions]).reshape(shape)
    touches = np.array([region.touches[0] for region in regions]).reshape(shape)
    found: dict[str, list[float]] = {name: [0.0] * len(sizes) for name in scenario.all_stages}
    for place, size in enumerate(sizes):
        served = hit_shares(cyclic, lines, touches, np.array([float(size)]), shape=WAYS)
        for region, missed in zip(regions, (touches * (1 - served))[:, 0], strict=True):
            found[region.stage][place] += float(missed)
    return {name: tuple(missed) for name, missed in found.items()}


def _touched(scenario: Scenario) -> list[Region]:
    alone = scenario.placement.model_copy(update={"cpus": None, "lcores": 1, "cuts": ()})
    columns = ScenarioColumns.of([scenario.model_copy(update={"placement": alone})])
    every = [
        region for stage in stages_of(columns.kind) for region in stage.regions(Sizes(columns))
    ]
    return [region for region in every if region.touches[0] > 0]
