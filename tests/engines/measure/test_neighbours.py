"""The scenarios' neighbours: who works when, and that none is left."""

from __future__ import annotations

from contextlib import AbstractContextManager, contextmanager
from typing import Any

import pytest

from planecast.engines.measure import neighbours as room
from planecast.engines.measure.neighbours import neighbours
from planecast.generators.neighbour import Work
from planecast.scenario import Scenario, with_overrides
from planecast.scenario.host_cpus import neighbour_cpus


@pytest.fixture
def said(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """What the neighbours' programs went through."""
    words: list[str] = []

    class FakeNeighbour:
        def __init__(self, cpu: int) -> None:
            self.cpu = cpu

        def __enter__(self) -> FakeNeighbour:
            words.append(f"start {self.cpu}")
            return self

        def __exit__(self, *error: object) -> None:
            words.append(f"end {self.cpu}")

        @contextmanager
        def doing(self, work: Work) -> Any:
            words.append(f"{work.mode} {work.bytes >> 20}")
            yield
            words.append("idle")

    monkeypatch.setattr(room, "Neighbour", FakeNeighbour)
    return words


def scenario(**keys: object) -> Scenario:
    changes = {f"neighbour.{key}": value for key, value in keys.items()}
    return with_overrides(Scenario(name="one"), {"placement.cpus": "0", **changes})


def visit(neighbour: AbstractContextManager[object]) -> None:
    with neighbour:
        pass


def test_each_works_next_to_its_own_points_alone(said: list[str]) -> None:
    scenarios = [scenario(), scenario(stream="256MiB"), scenario(walk="4MiB", cpu=5)]
    with neighbours(scenarios) as neighbour_of:
        assert said == ["start 1", "start 5"]
        for point in (1, 0, 2):
            visit(neighbour_of(point))
    assert said[2:] == ["stream 256", "idle", "walk 4", "idle", "end 5", "end 1"]


def test_several_work_side_by_side(said: list[str]) -> None:
    """On the CPUs that don't forward, from the first that was given."""
    here = scenario(stream="64MiB", cores=2, cpu=1)
    moved = here.model_copy(update={"placement": here.placement.model_copy(update={"cpus": "2"})})
    assert (neighbour_cpus(here), neighbour_cpus(moved)) == ((1, 2), (1, 3))
    with neighbours([here]) as neighbour_of:
        visit(neighbour_of(0))
    assert said[2:6] == ["stream 64", "stream 64", "idle", "idle"]


def test_they_end_with_a_failure_too(said: list[str]) -> None:
    with (
        pytest.raises(KeyboardInterrupt),
        neighbours([scenario(spin=True)]) as neighbour_of,
        neighbour_of(0),
    ):
        raise KeyboardInterrupt
    assert said == ["start 1", "spin 0", "end 1"]


def test_without_any_nothing_is_started(said: list[str]) -> None:
    with neighbours([scenario()]) as neighbour_of:
        visit(neighbour_of(0))
    assert said == []
