"""On which CPUs of a machine lcores and neighbours run."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from planecast.errors import InputError
from planecast.host import Root
from planecast.scenario import Scenario
from planecast.scenario.host_cpus import (
    cpus_here,
    neighbour_cpus,
    refuse_absent,
    refuse_offline,
)
from planecast.scenario.override import with_overrides

ORDER = (2, 3, 1, 0)


def asked(point: dict[str, Any]) -> Scenario:
    return with_overrides(Scenario(name="s"), point)


@pytest.mark.parametrize(
    ("point", "cpus"),
    [
        ({}, (2,)),
        ({"placement.lcores": 3}, (1, 2, 3)),
        ({"placement.cpus": "0-1"}, (0, 1)),
        ({"placement.cpus": "0-3", "placement.lcores": 2}, (0, 1)),
        ({"neighbour.spin": True, "neighbour.cpu": 2}, (3,)),
    ],
)
def test_what_is_named_else_the_best(point: dict[str, Any], cpus: tuple[int, ...]) -> None:
    assert cpus_here(asked(point), ORDER) == cpus


def test_more_lcores_than_the_machine_lends() -> None:
    with pytest.raises(InputError) as error:
        cpus_here(asked({"placement.lcores": 8}), ORDER)
    assert str(error.value) == (
        "placement.lcores: 8 lcores can't forward here: this process may use 4 CPUs; take 4 or "
        "fewer"
    )


def test_neighbours_take_what_does_not_forward() -> None:
    assert neighbour_cpus(asked({}), ORDER) == ()
    two = {"neighbour.spin": True, "neighbour.cores": 2}
    assert neighbour_cpus(asked(two), ORDER) == (0, 1)
    assert neighbour_cpus(asked({**two, "neighbour.cpu": 1}), ORDER) == (1, 3)


def test_cpus_that_are_not_there_are_named(tmp_path: Path) -> None:
    online = tmp_path / "sys/devices/system/cpu/online"
    online.parent.mkdir(parents=True)
    online.write_text("0-1,4\n")
    refuse_offline((0, 4), Root(tmp_path))
    with pytest.raises(InputError) as error:
        refuse_offline((1, 2, 3, 7), Root(tmp_path))
    assert str(error.value) == (
        "placement.cpus: there is no CPU 2-3,7 on this machine; take some of 0-1,4"
    )
    # A kernel that doesn't report refuses nothing.
    refuse_offline((7,), Root(tmp_path / "absent"))
    online.write_text("what?\n")
    refuse_offline((7,), Root(tmp_path))


@pytest.fixture
def two(tmp_path: Path) -> Root:
    """A machine of two CPUs."""
    online = tmp_path / "sys/devices/system/cpu/online"
    online.parent.mkdir(parents=True)
    online.write_text("0-1\n")
    return Root(tmp_path)


KINDS: dict[str, dict[str, Any]] = {
    "ours": {},
    "testpmd": {"dataplane.kind": "testpmd"},
    "l3fwd": {"dataplane.kind": "l3fwd"},
    "ovs": {"dataplane.kind": "ovs"},
    "vpp": {"dataplane.kind": "vpp"},
    "command": {"dataplane.kind": "command", "dataplane.command": "mine {in_eal} {out_eal}"},
}


@pytest.mark.parametrize("kind", KINDS)
def test_each_data_plane_needs_its_cpus(kind: str, two: Root) -> None:
    refuse_absent(asked({**KINDS[kind], "placement.cpus": "1"}), two)
    with pytest.raises(InputError, match=r"placement\.cpus: there is no CPU 7 on this machine"):
        refuse_absent(asked({**KINDS[kind], "placement.cpus": "7"}), two)


@pytest.mark.parametrize("kind", KINDS)
def test_each_neighbour_needs_its_cpus(kind: str, two: Root) -> None:
    own = {**KINDS[kind], "placement.cpus": "0", "neighbour.spin": True}
    refuse_absent(asked(own), two)
    with pytest.raises(InputError, match=r"neighbour\.cpu: there is no CPU 9 on this machine"):
        refuse_absent(asked({**own, "neighbour.cpu": 9}), two)
    with pytest.raises(InputError, match=r"neighbour\.cores: there is no CPU 2 on this machine"):
        refuse_absent(asked({**own, "neighbour.cores": 2}), two)


@pytest.mark.parametrize("kind", [kind for kind in KINDS if kind != "ours"])
def test_cpus_of_another_host_are_its_own(kind: str, two: Root) -> None:
    there = {**KINDS[kind], "dataplane.host": "other", "placement.cpus": "7"}
    refuse_absent(asked(there), two)
