"""Impossible scenarios are refused with the key and the line."""

from __future__ import annotations

from pathlib import Path

import pytest

from planecast.errors import InputError
from planecast.scenario import load_scenario


@pytest.mark.parametrize(
    ("section", "key", "value"),
    [
        ("placement", "llc_ways", "0"),
        ("placement", "cpus", "''"),
        ("placement", "core_ghz", "-2.1"),
        ("placement", "core_ghz", "2.1MHz"),
        ("placement", "rx_ring", "100"),
        ("traffic", "offered_pps", "-1"),
        ("traffic", "offered_pps", "5Gbps"),
        ("traffic", "frame_bytes", "20"),
        ("traffic", "flows", "0"),
        ("workload", "acl_rules", "-1"),
        ("nic", "link_gbps", "-10"),
        ("accelerator", "engines", "0"),
    ],
)
def test_a_value_that_nothing_could_have(
    tmp_path: Path, *, section: str, key: str, value: str
) -> None:
    path = tmp_path / "s.yaml"
    path.write_text(f"name: impossible\n{section}:\n  {key}: {value}\n")
    with pytest.raises(InputError) as refused:
        load_scenario(path)
    assert refused.value.where == f"{path}:3"
    assert f"{section}.{key}" in refused.value.what


def test_more_lcores_and_ways_than_a_machine_has(tmp_path: Path) -> None:
    path = tmp_path / "s.yaml"
    for placement, fragment in (
        ("lcores: 100", "more than the 22 cores"),
        ("llc_ways: 21", "has 20 ways"),
        ("core_priority: high", "has no classes"),
    ):
        path.write_text(f"name: x\nmachine: e5-2699v4\nplacement:\n  {placement}\n")
        with pytest.raises(InputError, match=f"{path}:3: placement.*{fragment}"):
            load_scenario(path)
