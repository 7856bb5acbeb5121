"""Labels of scenarios next to each other, of several kinds of data plane too."""

from __future__ import annotations

from typing import Any

import pytest

from planecast.results.scenario_labels import label_of, own_label, varied_keys
from planecast.scenario import Scenario


def of(kind: str, **keys: Any) -> Scenario:
    return Scenario.model_validate({"name": "s", "dataplane": {"kind": kind}, **keys})


def test_keys_that_all_have_in_common_vary_by_value() -> None:
    scenarios = [of("ours"), of("ours", traffic={"flows": 64}), of("ours", placement={"burst": 8})]
    assert varied_keys(scenarios) == ["traffic.flows", "placement.burst"]
    assert label_of(scenarios[1], varied_keys(scenarios)) == "flows=64 burst=32"


def test_what_some_lack_is_no_difference_but_their_kind() -> None:
    """No label of Open vSwitch has the rules of an access control list."""
    scenarios = [of("ours"), of("ovs"), of("ours", workload={"acl_rules": 8})]
    assert varied_keys(scenarios) == ["dataplane.kind", "workload.acl_rules"]
    assert [label_of(one, varied_keys(scenarios)) for one in scenarios] == [
        "kind=ours acl_rules=4096",
        "kind=ovs",
        "kind=ours acl_rules=8",
    ]


@pytest.mark.parametrize("kind", ["ours", "ovs", "l3fwd", "testpmd", "vpp", "external"])
def test_defaults_have_no_label(kind: str) -> None:
    assert own_label(of(kind)) == ""
    assert own_label(of(kind, traffic={"flows": 64})) == "flows=64"
