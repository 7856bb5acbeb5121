"""The sections that the simulator alone uses: card, device, interference."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from planecast.errors import InputError
from planecast.scenario import Scenario, load_scenario, with_overrides
from planecast.scenario.study import load_study

BASE = Scenario(name="s")


def test_with_no_key_set_there_is_nothing() -> None:
    assert not BASE.nic.there
    assert BASE.accelerator.stage == "none"
    assert BASE.interference.pairs == ()


@pytest.mark.parametrize("point", [{"nic.ports": 1}, {"nic.link_gbps": 10}, {"nic.pcie": "gen3x8"}])
def test_any_key_makes_a_card(point: dict[str, Any]) -> None:
    nic = with_overrides(BASE, point).nic
    assert nic.there
    assert nic.port_count == 1


def test_pairs_of_hardware_threads() -> None:
    point = {"placement.cpus": "0-3", "interference.siblings": "0+2, 1+3"}
    assert with_overrides(BASE, point).interference.pairs == ((0, 2), (1, 3))


@pytest.mark.parametrize(
    ("point", "sentence"),
    [
        ({"nic.ports": 2}, "nic: 1 receive queues, one for each lcore that takes packets, can't "),
        ({"nic.link_gbps": 0}, "got 0; allowed is a number above 0 up to 10000"),
        ({"nic.pcie": "gen9x1"}, "got 'gen9x1'; allowed is one of none, gen2x8"),
        ({"accelerator.stage": "nat"}, "got stage 'nat', but the stages that run are acl, key"),
        ({"interference.siblings": "0-1"}, "not a list of pairs of CPUs such as 0+1,2+3"),
        ({"interference.siblings": "1+1"}, "in which a CPU appears twice"),
        (
            {"interference.siblings": "1+2"},
            "got siblings 1+2, but the forwarding lcores are 1",
        ),
        ({"placement.handoff_ns": -1}, "got -1; allowed is a number from 0"),
    ],
)
def test_what_is_not_allowed_is_a_sentence(point: dict[str, Any], sentence: str) -> None:
    with pytest.raises(InputError) as error:
        with_overrides(BASE, point)
    assert sentence in str(error.value)


def test_chains_are_lcores_in_a_row() -> None:
    point = {"placement.cuts": "key,tx", "placement.cpus": "0-5"}
    assert with_overrides(BASE, point).placement.chains == ((0, 1, 2), (3, 4, 5))
    assert with_overrides(BASE, {"placement.cpus": "2,4"}).placement.chains == ((2,), (4,))


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("interference.neighbour_lines_per_s", "say neighbour.rate, with neighbour.stream or"),
        ("interference.neighbour_bytes", "say neighbour.stream or neighbour.walk"),
        ("interference.neighbour_ways", "say neighbour.ways"),
    ],
)
def test_a_key_of_before_names_that_of_today(tmp_path: Path, old: str, new: str) -> None:
    section, _, key = old.partition(".")
    text = f"{{name: s, {section}: {{{key}: 4096}}}}"
    (tmp_path / "scenario.yaml").write_text(text)
    (tmp_path / "study.yaml").write_text(
        f"name: t\nscenario: {text}\ncalibrate: [{{}}]\nhold_out: [{{traffic.flows: 256}}]\n"
    )
    with pytest.raises(InputError, match=f"unknown key {old}.*{new}"):
        with_overrides(BASE, {old: 4096})
    with pytest.raises(InputError, match=f"unknown key {old}.*{new}"):
        load_scenario(tmp_path / "scenario.yaml")
    with pytest.raises(InputError, match=f"unknown key .*{old}.*{new}"):
        load_study(tmp_path / "study.yaml")
