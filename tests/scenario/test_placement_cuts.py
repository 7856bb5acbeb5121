"""Where a pipeline may be cut."""

from __future__ import annotations

from typing import Any

import pytest

from planecast.errors import InputError
from planecast.scenario import Scenario
from planecast.scenario.override import with_overrides

BASE = Scenario(name="s")


def test_cuts_make_segments() -> None:
    point = {"placement.cuts": "classify,tx", "placement.cpus": "0-5"}
    placement = with_overrides(BASE, point).placement
    assert placement.cuts == ("classify", "tx")
    assert placement.segments == 3
    assert BASE.placement.segments == 1


@pytest.mark.parametrize(
    ("cuts", "lcores", "sentence"),
    [
        ("nat", "0-1", "got cuts 'nat', but vpe-upstream can be cut"),
        ("route,key", "0-2", "in this order and at each place once, before acl,key"),
        ("key,key", "0-2", "at each place once"),
        ("key", "0-2", "3 lcores can't be shared evenly by the 2 segments"),
    ],
)
def test_what_is_no_cut(cuts: str, lcores: str, sentence: str) -> None:
    point: dict[str, Any] = {"placement.cuts": cuts, "placement.cpus": lcores}
    with pytest.raises(InputError, match=sentence):
        with_overrides(BASE, point)
