"""Stages have one colour each, wherever they are drawn."""

from __future__ import annotations

from importlib import resources

import pytest
from ruamel.yaml import YAML

from planecast.report.colours import OTHER_COLOUR, STAGE_COLOURS, faint, stage_colour
from planecast.scenario.workload import FUNCTIONS

MAPS = sorted(
    path.name
    for path in resources.files("planecast.catalog").joinpath("maps").iterdir()
    if path.name.endswith(".yaml")
)


def distinct(stages: list[str]) -> bool:
    return len({stage_colour(stage) for stage in stages}) == len(stages)


@pytest.mark.parametrize("function", FUNCTIONS)
def test_stages_of_a_function_are_distinguished(function: str) -> None:
    stages = ["source", *FUNCTIONS[function], "tx"]
    assert set(stages) <= set(STAGE_COLOURS)
    assert distinct(stages)


@pytest.mark.parametrize("name", MAPS)
def test_stages_of_a_map_are_distinguished(name: str) -> None:
    text = resources.files("planecast.catalog").joinpath("maps", name).read_text(encoding="utf-8")
    stages = YAML(typ="safe").load(text)["stages"]
    assert set(stages) <= set(STAGE_COLOURS)
    assert distinct(stages)


def test_a_stage_that_nobody_named_has_always_the_same_colour() -> None:
    assert stage_colour("librte_new") == stage_colour("librte_new") != OTHER_COLOUR


def test_faint() -> None:
    assert faint("#ff8000") == "rgba(255,128,0,0.4)"
