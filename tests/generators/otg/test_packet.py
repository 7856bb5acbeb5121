"""Headers and their patterns, as keys of a stream."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.generators.otg.conftest import keys, why


def packet(*tags: dict[str, Any], **ipv4: Any) -> list[dict[str, Any]]:
    return [
        {"choice": "ethernet", "ethernet": {}},
        *({"choice": "vlan", "vlan": tag} for tag in tags),
        {"choice": "ipv4", "ipv4": ipv4},
        {"choice": "udp", "udp": {}},
    ]


def up(start: Any, step: Any, count: int) -> dict[str, Any]:
    return {"choice": "increment", "increment": {"start": start, "step": step, "count": count}}


@pytest.mark.parametrize(
    ("headers", "layout"),
    [
        ([], "ethernet"),
        ([{"choice": "ethernet"}], "ethernet"),
        (packet(), "ipv4"),
        (packet({}), "vlan-ipv4"),
        (packet({}, {}), "qinq-ipv4"),
    ],
)
def test_layouts(headers: list[dict[str, Any]], layout: str) -> None:
    assert keys(packet=headers)["headers"] == layout


def test_what_is_left_out_is_the_models_default() -> None:
    found = keys(packet=packet())
    assert found["source_mac"] == found["destination_mac"] == "00:00:00:00:00:00"
    assert found["source_ip"] == found["destination_ip"] == "0.0.0.0"
    assert (found["source_port"], found["ttl"], found["flows"]) == ("0", "64", "1")
    assert {found[key] for key in found if key.endswith("_step")} == {"0", "0.0.0.0"}


def test_every_field() -> None:
    headers = packet(
        {"id": {"choice": "value", "value": 7}, "tpid": {"choice": "value", "value": 0x88A8}},
        {"id": up(10, 2, 4)},
        src=up("10.0.0.1", "0.0.0.1", 4),
        dst={
            "choice": "decrement",
            "decrement": {"start": "10.0.0.9", "step": "0.0.0.2", "count": 4},
        },
        time_to_live={"choice": "value", "value": 9},
        priority={
            "choice": "dscp",
            "dscp": {"phb": {"choice": "values", "values": [0, 10, 46, 0]}},
        },
        protocol={"choice": "auto", "auto": 17},
    )
    headers[0]["ethernet"] = {"src": up("02:00:00:00:00:01", "00:00:00:00:01:00", 4)}
    headers[-1]["udp"] = {
        "src_port": {"choice": "values", "values": [5, 7, 9, 11]},
        "dst_port": {"choice": "value", "value": 80},
        "checksum": {"choice": "custom", "custom": 0},
    }
    found = keys(packet=headers)
    assert found["flows"] == "4"
    assert (found["outer_vlan"], found["outer_vlan_step"]) == ("7", "0")
    assert (found["inner_vlan"], found["inner_vlan_step"]) == ("10", "2")
    assert (found["source_ip"], found["source_ip_step"]) == ("10.0.0.1", "0.0.0.1")
    assert (found["destination_ip"], found["destination_ip_step"]) == (
        "10.0.0.9",
        "255.255.255.254",
    )
    assert (found["ttl"], found["dscp"]) == ("9", "0,10,46,0")
    assert (found["source_mac"], found["source_mac_step"]) == ("02:00:00:00:00:01", "256")
    assert (found["source_port"], found["source_port_step"]) == ("5", "2")
    assert (found["destination_port"], found["destination_port_step"]) == ("80", "0")


@given(
    st.integers(0, 2**32 - 1),
    st.integers(0, 2**32 - 1),
    st.integers(1, 1 << 24),
    st.sampled_from(["increment", "decrement"]),
    st.data(),
)
def test_a_field_goes_where_the_pattern_goes(
    start: int, step: int, count: int, way: str, data: st.DataObject
) -> None:
    """The generator's base + number times step, modulo 2^32, is the pattern's value."""
    import ipaddress

    def text(value: int) -> str:
        return str(ipaddress.IPv4Address(value))

    number = data.draw(st.integers(0, count - 1))
    pattern = {"choice": way, way: {"start": text(start), "step": text(step), "count": count}}
    found = keys(packet=packet(src=pattern))
    base, each = (int(ipaddress.IPv4Address(found[k])) for k in ("source_ip", "source_ip_step"))
    flow = number % int(found["flows"])
    wanted = start + number * (step if way == "increment" else -step)
    assert (base + flow * each) % 2**32 == wanted % 2**32


@pytest.mark.parametrize(
    ("headers", "sentence"),
    [
        ([{"choice": "tcp", "tcp": {}}], "flows[0].packet[0].tcp: is not supported"),
        ([{"choice": "ipv4", "ipv4": {}}], "flows[0].packet: ipv4 is not supported"),
        (packet()[:2], "flows[0].packet: ethernet, ipv4 is not supported"),
        (packet({}, {}, {}), "flows[0].packet: ethernet, vlan, vlan, vlan, ipv4, udp"),
        (
            packet(src={"choice": "random", "random": {"count": 5}}),
            "flows[0].packet[1].ipv4.src.random: is not supported",
        ),
        (
            packet(src={"choice": "auto", "auto": "dhcp"}),
            "flows[0].packet[1].ipv4.src.auto: is not supported",
        ),
        (
            packet(src={"choice": "value", "value": "10.0.0.256"}),
            "flows[0].packet[1].ipv4.src.value: got '10.0.0.256', which is not an address",
        ),
        (
            packet(src={"choice": "values", "values": ["10.0.0.1", "10.0.0.2", "10.0.0.4"]}),
            "flows[0].packet[1].ipv4.src.values: is supported only for values that are evenly",
        ),
        (
            packet(src=up("10.0.0.1", "0.0.0.1", 4), dst=up("10.0.0.1", "0.0.0.1", 5)),
            "flows[0].packet[1].ipv4.dst: has 5 values and flows[0].packet[1].ipv4.src has 4",
        ),
        (
            packet(src={"choice": "value", "value": "1.1.1.1", "metric_tags": [{"name": "x"}]}),
            "flows[0].packet[1].ipv4.src.metric_tags: is not supported",
        ),
        (
            packet(identification={"choice": "value", "value": 1}),
            "flows[0].packet[1].ipv4.identification: is not supported",
        ),
        (
            packet(protocol={"choice": "value", "value": 6}),
            "flows[0].packet[1].ipv4.protocol: is always sent as 17",
        ),
        (
            packet(header_checksum={"choice": "generated", "generated": "bad"}),
            "flows[0].packet[1].ipv4.header_checksum.generated: is always good",
        ),
        (
            packet(options=[{"choice": "router_alert"}]),
            "flows[0].packet[1].ipv4.options: is not supported",
        ),
        (
            packet(priority={"choice": "tos", "tos": {}}),
            "flows[0].packet[1].ipv4.priority.tos: is not supported",
        ),
        (
            packet(time_to_live=up(1, 1, 3)),
            "flows[0].packet[1].ipv4.time_to_live: is supported as one value",
        ),
        (
            packet({"tpid": {"choice": "value", "value": 0x88A8}}),
            "flows[0].packet[1].vlan.tpid: is always sent as 33024",
        ),
        (
            packet({"priority": {"choice": "value", "value": 3}}),
            "flows[0].packet[1].vlan.priority: is always sent as 0",
        ),
        (
            packet({}, {"id": up(4000, 1, 97)}),
            "flows[0].packet[2].vlan.id: passes 4095 (4096)",
        ),
        (
            packet({"id": {"choice": "value", "value": 4096}}),
            "flows[0].packet[1].vlan.id.value: got 4096, which is not a whole number below 4096",
        ),
    ],
)
def test_what_is_unsupported_is_named(headers: list[dict[str, Any]], sentence: str) -> None:
    assert why(packet=headers).startswith(sentence)
