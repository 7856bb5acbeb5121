"""How many lcores forward, and on which CPUs."""

from __future__ import annotations

import re
from typing import Any

import pytest

from planecast.errors import InputError
from planecast.scenario import Scenario
from planecast.scenario.override import with_overrides
from planecast.scenario.placement import Placement

BASE = Scenario(name="s")


def placed(**keys: Any) -> Placement:
    point = {f"placement.{key}": value for key, value in keys.items()}
    return with_overrides(BASE, point).placement


def test_lcores_is_a_count_and_cpus_a_list() -> None:
    assert (BASE.placement.lcores, BASE.placement.cpus) == (1, None)
    assert placed(lcores=4).numbers == (1, 2, 3, 4)
    four = placed(cpus="8,0-2")
    assert (four.lcores, four.cpus, four.numbers) == (4, "0-2,8", (0, 1, 2, 8))
    assert placed(cpus=0).numbers == (0,)


def test_of_more_cpus_the_first_forward() -> None:
    both = placed(cpus="4-7", lcores=2)
    assert (both.lcores, both.numbers) == (2, (4, 5))


def test_one_key_over_the_other() -> None:
    named = with_overrides(BASE, {"placement.cpus": "4-7"})
    assert with_overrides(named, {"placement.lcores": 2}).placement.numbers == (4, 5)
    assert with_overrides(named, {"placement.cpus": "0-1"}).placement.lcores == 2
    freed = with_overrides(named, {"placement.cpus": None}).placement
    assert (freed.lcores, freed.cpus) == (4, None)
    assert BASE.placement.on((3, 5)) == placed(cpus="3,5")


def test_a_placement_that_is_written_reads_the_same() -> None:
    for one in (BASE.placement, placed(lcores=3), placed(cpus="0-3", lcores=2)):
        assert Placement.model_validate_json(one.model_dump_json()) == one


@pytest.mark.parametrize(
    ("key", "value", "sentence"),
    [
        ("lcores", "0-1", "got 0-1, but lcores is how many lcores forward, such as 2; for these "
         "CPUs write cpus: 0-1"),
        ("lcores", "1", "for these CPUs write cpus: 1"),
        ("lcores", [0, 1], "for these CPUs write cpus: 0,1"),
        ("lcores", 0, "got 0, but lcores is how many"),
        ("lcores", -1, "got -1"),
        ("lcores", 1025, "from 1 to 1024"),
        ("lcores", 1.5, "got 1.5"),
        ("lcores", True, "got true"),
        ("lcores", None, "got nothing"),
        ("cpus", "x", "which is not a CPU list"),
        ("cpus", True, "which is not a CPU list"),
        ("cpus", [1], "which is not a CPU list"),
        ("cpus", "", "which is not a CPU list"),
    ],
)  # fmt: skip
def test_what_is_neither(key: str, value: Any, sentence: str) -> None:
    with pytest.raises(InputError, match=re.escape(sentence)):
        placed(**{key: value})


def test_more_lcores_than_the_cpus_that_are_named() -> None:
    with pytest.raises(InputError, match="4 lcores forward, but cpus names 0-1: name more"):
        placed(cpus="0-1", lcores=4)
