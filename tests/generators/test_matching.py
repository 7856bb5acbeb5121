"""Streams of the generator that a workload forwards."""

from __future__ import annotations

from pathlib import Path

import pytest

from planecast.errors import InputError
from planecast.generators.matching import matching_stream
from planecast.scenario import Scenario, load_scenario, with_overrides


def scenario(**point: object) -> Scenario:
    changes = {key.replace("__", "."): value for key, value in point.items()}
    return with_overrides(Scenario(name="s"), changes)


def test_the_router_gets_the_tags_of_its_flows() -> None:
    keys = matching_stream(scenario(traffic__flows=4096, traffic__frame_bytes=128)).keys
    assert keys["headers"] == "qinq-ipv4"
    assert (keys["flows"], keys["order"], keys["sizes"]) == (4096, "random", 128)
    assert keys["inner_vlan_step"] == 1
    assert keys["destination_ip_step"] == "0.4.0.0"


@pytest.mark.parametrize("kind", ["macswap", "l2patch"])
def test_others_get_plain_packets(kind: str, repository: Path) -> None:
    shipped = load_scenario(repository / "scenarios" / f"{kind}.yaml")
    assert matching_stream(shipped).keys["headers"] == "ipv4"


def test_a_workload_without_packets_is_refused(repository: Path) -> None:
    with pytest.raises(InputError, match="compute"):
        matching_stream(load_scenario(repository / "scenarios" / "compute.yaml"))
