"""One scenario under several versions."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from planecast.errors import InputError
from planecast.results import Result
from planecast.results.history import Observation, observations
from planecast.results.versions import by_version

MakeResult = Callable[..., Result]


def runs(make_result: MakeResult, *versions: tuple[str, float]) -> list[Observation]:
    found: list[Observation] = []
    for day, (version, cycles) in enumerate(versions, start=1):
        made = make_result(cycles)
        manifest = made.manifest.model_copy(
            update={
                "started_at": f"2026-01-{day:02}T00:00:00Z",
                "versions": made.manifest.versions | {"dpdk": version},
            }
        )
        changed = made.model_copy(update={"manifest": manifest})
        found += observations(Path(f"run{day}"), changed, "cycles_per_packet")
    return found


def test_each_version_next_to_the_first(make_result: MakeResult) -> None:
    old, new = [("22.11", c) for c in (200, 201, 199)], [("23.11", c) for c in (180, 181, 179)]
    (row,) = by_version(runs(make_result, *old, *new), "dpdk")
    first, second = row.versions
    assert (first.version, first.value.samples, first.ratio) == ("22.11", 3, None)
    assert second.ratio is not None
    assert second.ratio.covers(0.9)
    assert second.verdict == "lower"
    assert (first.levels, second.levels) == (1, 1)


def test_versions_are_equal_only_when_that_is_shown(make_result: MakeResult) -> None:
    few = by_version(runs(make_result, ("22.11", 200), ("22.11", 210), ("23.11", 203)), "dpdk")
    assert few[0].versions[1].verdict == "undecided"


def test_one_version_is_no_comparison(make_result: MakeResult) -> None:
    assert by_version(runs(make_result, ("22.11", 200), ("22.11", 201)), "dpdk") == []


def test_a_version_that_nobody_keeps(make_result: MakeResult) -> None:
    with pytest.raises(InputError, match="no run keeps a version of nothing"):
        by_version(runs(make_result, ("22.11", 200)), "nothing")
