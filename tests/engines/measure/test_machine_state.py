"""The way between the CPUs: which two are looked at, and what of two looks counts."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from planecast.engines.measure import machine_state
from planecast.engines.measure.machine_state import CpuDistance
from planecast.instruments.core_to_core import CoreToCore
from planecast.scenario import Scenario


@pytest.mark.parametrize(
    ("changes", "looked"),
    [
        ([{"placement.cpus": "3"}], (3,)),
        ([{"placement.cpus": "0,1", "placement.lcores": 2}], (0, 1)),
        (
            [
                {"placement.cpus": "0,1", "placement.lcores": 2},
                {"placement.cpus": "1", "neighbour.stream": "1MiB", "neighbour.cpu": 0},
            ],
            {(0, 1), (1, 0)},
        ),
        ([{"placement.cpus": "1"}, {"placement.cpus": "1", "neighbour.stream": "1MiB"}], (1, 0)),
    ],
)
def test_two_cpus_of_one_scenario_are_looked_at(
    scenario: Callable[..., Scenario],
    monkeypatch: pytest.MonkeyPatch,
    changes: list[dict[str, object]],
    looked: tuple[int, ...] | set[tuple[int, ...]],
) -> None:
    ways = iter((26.0, 160.0, 27.0, None, 28.0))
    asked: set[tuple[int, ...]] = set()

    def look(*cpus: int) -> CoreToCore | None:
        asked.add(cpus)
        ns = next(ways)
        if ns is None:
            return None
        return CoreToCore(cpu=0, other=1, ns=ns, low_ns=ns, high_ns=ns, slices=1)

    monkeypatch.setattr(machine_state, "ping_pong_now", look)
    distance = CpuDistance([scenario(one) for one in changes])
    assert asked <= (looked if isinstance(looked, set) else {looked})
    assert [distance.since_last_ns() for _ in range(4)] == [160.0, 160.0, 27.0, 28.0]
