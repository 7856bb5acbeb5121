"""Rules of Open vSwitch: each packet meets one, and there are as many masks as asked for."""

from __future__ import annotations

import re
from collections import Counter
from ipaddress import IPv4Address

import pytest
from hypothesis import given
from hypothesis import strategies as st

from planecast.dataplanes.ovs_flows import open_flow_rules
from planecast.errors import InputError
from planecast.scenario import Scenario, with_overrides
from planecast.scenario.dataplanes.ovs import MAX_MASKS
from planecast.scenario.plain_flows import UDP_PORTS, Packets

BASE = Scenario.model_validate({"name": "s", "dataplane": {"kind": "ovs"}})


def fields(rule: str) -> dict[str, tuple[int, int]]:
    """Value and mask of each field that a rule matches in part."""
    found = {}
    for name, value, mask in re.findall(r"(\w+)=([\w.]+)/([\w.]+)", rule):
        found[name] = tuple(
            int(IPv4Address(text)) if "." in text else int(text, 16) for text in (value, mask)
        )
    return found


def meets(rule: str, packet: dict[str, int]) -> bool:
    return all(packet[name] & mask == value for name, (value, mask) in fields(rule).items())


@given(st.integers(0, 7), st.integers(1, MAX_MASKS), st.integers(0, 1 << 16))
def test_each_packet_meets_one_rule(exponent: int, masks: int, flow: int) -> None:
    rules = list(open_flow_rules(1, 2, 1 << exponent, min(masks, 1 << exponent)))
    assert len(set(rules)) == 1 << exponent
    packet = {"nw_src": int(Packets().source_of(flow))}
    packet |= dict(zip(("tp_src", "tp_dst"), UDP_PORTS, strict=True))
    assert sum(meets(rule, packet) for rule in rules) == 1


@given(st.integers(0, 7), st.integers(1, MAX_MASKS))
def test_there_are_so_many_masks_of_as_many_rules_each(exponent: int, masks: int) -> None:
    masks = min(masks, 1 << exponent)
    found = Counter(
        tuple(sorted((name, mask) for name, (_, mask) in fields(rule).items()))
        for rule in open_flow_rules(1, 2, 1 << exponent, masks)
    )
    assert len(found) == masks
    assert max(found.values()) - min(found.values()) <= 1


def test_one_rule_is_of_the_port_alone() -> None:
    assert list(open_flow_rules(2, 1)) == ["in_port=2,actions=1"]
    assert list(open_flow_rules(1, 2, 2, 2)) == [
        "in_port=1,udp,nw_src=0.0.0.0/0.0.0.1,actions=2",
        "in_port=1,udp,nw_src=0.0.0.1/0.0.0.1,tp_src=0x8000/0x8000,actions=2",
    ]


@pytest.mark.parametrize(
    ("keys", "said"),
    [
        ({"dataplane.rules": 6}, "not a power of two"),
        ({"dataplane.rules": 4, "dataplane.masks": 8}, "8 masks are more than the 4 rules"),
        ({"dataplane.emc_insert_inv_prob": -1}, "allowed is a whole number from 0"),
    ],
)
def test_what_can_not_be(keys: dict[str, object], said: str) -> None:
    with pytest.raises(InputError, match=said):
        with_overrides(BASE, keys)
