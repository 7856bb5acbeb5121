"""Which CPUs' distance is looked at, and to whom it matters."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from planecast.engines.measure.machine_state import others_matter, watched_cpus
from planecast.scenario import Scenario

Make = Callable[..., Scenario]
TWO = {"placement.cpus": "0,1", "placement.lcores": 2}
STREAM = {"placement.cpus": "1", "neighbour.stream": "1MiB", "neighbour.cpu": 0}


@pytest.mark.parametrize(
    ("changes", "looked"),
    [
        ([{"placement.cpus": "3"}], [(3,)]),
        ([TWO], [(0, 1)]),
        ([TWO, STREAM], [(0, 1), (1, 0)]),
        ([{"placement.cpus": "1"}, {"placement.cpus": "1", "neighbour.stream": "1MiB"}], [(1, 0)]),
    ],
)
def test_two_cpus_of_one_scenario_are_looked_at(
    scenario: Make, changes: list[dict[str, object]], looked: list[tuple[int, ...]]
) -> None:
    assert watched_cpus([scenario(one) for one in changes]) in looked


def test_other_cpus_matter_where_they_take_part(scenario: Make) -> None:
    assert others_matter(scenario(TWO), alone=True)
    assert others_matter(scenario(STREAM), alone=True)
    assert others_matter(scenario({}), alone=False)
    assert not others_matter(scenario({}), alone=True)
