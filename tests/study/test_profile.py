"""What ``profile`` counts, on made-up programs."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from planecast.scenario import Scenario
from planecast.study.profile import bursts_with, profile_scenario


@pytest.mark.parametrize(
    ("burst", "sizes"), [(32, (8, 32)), (8, (8, 32)), (1, (1, 8, 32)), (256, (8, 32, 256))]
)
def test_the_scenarios_own_burst_is_counted(burst: int, sizes: tuple[int, ...]) -> None:
    assert bursts_with(burst) == sizes


def test_a_profile_adds_up_and_is_counted_afresh(
    scenario: Callable[..., Scenario], machine: Any
) -> None:
    wanted = scenario({"placement.burst": 16})
    first, again = (profile_scenario(wanted, ["singlestep"], touches=False) for _ in range(2))
    assert first == again
    assert sum(line.startswith("step ") for line in machine.log()) == 2 * 6
    (counts,) = first.counts
    stages = sum(stage.at(16) for stage in counts.stages.values())
    assert stages + counts.other.at(16) == pytest.approx(counts.total.at(16))
    assert first.touches is None
