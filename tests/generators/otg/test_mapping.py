"""Ports, flows and the rest of a configuration; what is refused names its place."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.generators.otg.conftest import RESOURCES, config, refusals, why

from planecast.generators.otg import OtgError, plan_of
from planecast.generators.otg.ports import Port, eal_arguments


def test_ports_are_dpdks_by_number() -> None:
    plan = plan_of(config(), RESOURCES)
    assert plan.eal_arguments == ("--vdev", "net_ring0", "--vdev", "net_ring1")
    assert plan.config is not None
    assert (plan.config.tx, plan.config.rx) == (0, 1)


def test_a_port_that_no_flow_uses_is_not_opened() -> None:
    document = config()
    document["flows"][0]["tx_rx"]["port"] = {"tx_name": "p2", "rx_name": "p2"}
    plan = plan_of(document, RESOURCES)
    assert plan.eal_arguments == ("--vdev", "net_ring1")
    assert plan.config is not None
    assert (plan.config.tx, plan.config.rx) == (0, 0)
    assert [port.name for port in plan.ports] == ["p1", "p2"]


def test_without_a_receiving_port_nothing_is_received() -> None:
    plan = plan_of(config(tx_rx={"port": {"tx_name": "p1"}}), RESOURCES)
    assert plan.config is not None
    assert plan.config.rx is None


def test_pci_devices_come_first_by_address() -> None:
    locations = ["net_tap0,iface=a", "pci:0000:18:00.1", "net_ring0", "pci:17:00.0,mode=1"]
    words, numbers = eal_arguments([Port(text, text) for text in locations])
    assert words == [
        *("-a", "17:00.0,mode=1", "-a", "0000:18:00.1"),
        *("--vdev", "net_tap0,iface=a", "--vdev", "net_ring0"),
    ]
    assert numbers == [2, 1, 3, 0]


def test_no_flows_start_nothing() -> None:
    for document in ({}, {"ports": config()["ports"]}, {"flows": [], "captures": []}):
        assert plan_of(document, RESOURCES).config is None


def test_what_says_nothing_is_no_problem() -> None:
    document = config(egress_packet=[], payload=None)
    document["options"] = {"port_options": {"location_preemption": False}}
    document["lags"] = []
    assert plan_of(document, RESOURCES).config is not None


def test_null_of_what_the_model_does_not_have_is_refused() -> None:
    assert plan_of(config(payload=None), RESOURCES).config is not None
    assert why(colour=None) == "flows[0].colour: is not supported"


@pytest.mark.parametrize(
    ("key", "value"),
    [
        ("captures", [{"name": "c", "port_names": ["p1"]}]),
        ("lags", [{"name": "l"}]),
        ("devices", [{"name": "d"}]),
        ("events", {"enable": True}),
        ("lldp", [{"name": "l"}]),
        ("stateful_flows", {"rocev2": [{}]}),
        ("egress_only_tracking", [{"port_name": "p1"}]),
        ("options", {"port_options": {"data_integrity": True}}),
        ("a_thing_of_the_future", {"x": 0}),
        ("a_thing_of_the_future", False),
        ("a_thing_of_the_future", []),
        ("options", {"a_thing_of_the_future": {}}),
    ],
)
def test_what_is_unsupported_is_named(key: str, value: Any) -> None:
    assert refusals({**config(), key: value}) == [f"{key}: is not supported"]


@pytest.mark.parametrize(
    ("flow", "sentence"),
    [
        ({"tx_rx": {"choice": "device", "device": {}}}, "flows[0].tx_rx.device: is not supported"),
        ({"tx_rx": {"port": {"tx_name": "p3"}}}, "flows[0].tx_rx.port.tx_name: there is no port"),
        (
            {"tx_rx": {"port": {"tx_name": "p1", "rx_names": ["p1", "p2"]}}},
            "flows[0].tx_rx.port.rx_names: is supported with one port",
        ),
        ({"metrics": {"timestamps": True}}, "flows[0].metrics.timestamps: is not supported"),
        (
            {"metrics": {"latency": {"enable": True, "mode": "cut_through"}}},
            "flows[0].metrics.latency.mode: is supported as store_forward only",
        ),
        ({"metrics": {"rx_tx_ratio": {"value": 2.0}}}, "flows[0].metrics.rx_tx_ratio"),
        ({"egress_packet": [{"choice": "ethernet"}]}, "flows[0].egress_packet: is not supported"),
        ({"name": ""}, "flows[0].name: is missing"),
        ({"packet": {}}, "flows[0].packet: got {}, which is not a list"),
        ({"packet": ["x"]}, 'flows[0].packet[0]: got "x", which is not an object'),
    ],
)
def test_what_is_unsupported_in_a_flow_is_named(flow: dict[str, Any], sentence: str) -> None:
    assert why(**flow).startswith(sentence)


@pytest.mark.parametrize(
    ("ports", "sentence"),
    [
        ([{"name": "p1"}], "ports[0].location: got ''; name a DPDK device"),
        ([{"name": "p1", "location": "eth0"}], "ports[0].location: got 'eth0'"),
        ([{"name": "p1", "location": "net_ring0 --x"}], "ports[0].location: got"),
        ([{"location": "net_ring0"}], "ports[0].name: is missing"),
    ],
)
def test_ports_that_are_not_supported(ports: list[dict[str, Any]], sentence: str) -> None:
    (found,) = refusals({"ports": ports})
    assert found.startswith(sentence)


def test_a_device_is_one_ports() -> None:
    document = config()
    document["ports"][1]["location"] = "net_ring0,x=1"
    assert refusals(document) == ["ports[1].location: device net_ring0 is another port's already"]


def test_flows_go_both_ways_between_two_ports() -> None:
    document = config()
    back = {**document["flows"][0], "name": "back"}
    back["tx_rx"] = {"port": {"tx_name": "p2", "rx_names": ["p1"]}}
    document["flows"].append(back)
    plan = plan_of(document, RESOURCES)
    assert plan.config is not None
    assert (plan.config.tx, plan.config.rx) == (0, 1)
    assert [stream.keys.get("direction") for stream in plan.config.streams] == [None, "reverse"]
    assert [(flow.tx, flow.rx) for flow in plan.flows] == [("p1", "p2"), ("p2", "p1")]


@pytest.mark.parametrize(
    ("ports", "goes"),
    [
        ({"tx_name": "p1", "rx_names": ["p3"]}, "from p1 to p3"),
        ({"tx_name": "p3", "rx_names": ["p2"]}, "from p3 to p2"),
        ({"tx_name": "p2", "rx_names": ["p2"]}, "from p2 to p2"),
        ({"tx_name": "p2"}, "from p2 to nowhere"),
    ],
)
def test_a_third_port_is_refused(ports: dict[str, Any], goes: str) -> None:
    document = config()
    document["ports"].append({"name": "p3", "location": "net_ring2"})
    document["flows"].append({**document["flows"][0], "name": "on", "tx_rx": {"port": ports}})
    (why,) = refusals(document)
    assert why.startswith(f"flows[1].tx_rx.port: goes {goes}, and the first flow from p1 to p2")


def test_names_are_different() -> None:
    document = config()
    document["flows"] *= 2
    assert refusals(document) == ["flows[1].name: there are two flows 'f'"]


anything = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=4),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(
            st.sampled_from(["choice", "value", "name", "port", "fixed", "ethernet", "x"]), inner
        )
    ),
    max_leaves=8,
)


@given(
    anything,
    st.sampled_from(
        ["ports", "layer1", "flows", "packet", "size", "rate", "duration", "metrics", "tx_rx"]
    ),
)
def test_whatever_comes_is_mapped_or_refused(value: Any, key: str) -> None:
    document = {**config(), key: value} if key in ("ports", "layer1", "flows") else config()
    if key not in document:
        document = config(**{key: value})
    refused: list[str] = []
    try:
        plan_of(document, RESOURCES)
    except OtgError as error:
        refused = error.errors or [""]
    assert all(": " in sentence for sentence in refused)
