"""l3fwd's tables: routes and flows of a scenario, as the program reads them."""

from __future__ import annotations

from ipaddress import IPv4Address, IPv4Network
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from planecast.dataplanes.dut_factory import Seat, program_of
from planecast.dataplanes.ip4_routes import ip4_prefixes
from planecast.dataplanes.port import Port
from planecast.errors import InputError
from planecast.generators.matching import plain_stream
from planecast.scenario import Scenario, with_overrides
from planecast.scenario.plain_flows import plain_flows

BASE = Scenario.model_validate(
    {"name": "s", "dataplane": {"kind": "l3fwd"}, "traffic": {"flows": 64}}
)


def started(scenario: Scenario, folder: Path, cpus: tuple[int, ...] = (1,)) -> list[str]:
    """The command; its tables are in `folder`."""
    program = folder / "l3fwd"
    program.write_text("")
    program.chmod(0o755)
    ports = [Port(kind="virtual", address=name) for name in ("net_null0", "net_null1")]
    named = with_overrides(scenario, {"dataplane.program": str(program)})
    (plan,) = program_of(named, ports, Seat(cpus, 0, folder)).planned()
    return list(plan.words)


def test_every_address_is_routed_by_two_halves(tmp_path: Path) -> None:
    assert "--lookup=lpm" in started(BASE, tmp_path)
    assert (tmp_path / "rules").read_text() == "R0.0.0.0/1 1\nR128.0.0.0/1 1\n"
    assert str(plain_stream(BASE).keys["destination_ip"]) == "11.0.0.1"


def test_each_lcore_has_a_queue_of_every_port(tmp_path: Path) -> None:
    words = started(BASE, tmp_path, (3, 5))
    assert words[words.index("--lcores") + 1] == "0@3,1@5"
    assert "--config=(0,0,0),(0,1,1),(1,0,0),(1,1,1)" in words


@settings(max_examples=20, deadline=None)
@given(st.integers(3, 600), st.sampled_from(["mixed", 24, 32]), st.sampled_from([1, 64, 4096]))
def test_every_flow_has_a_route(routes: int, depth: str | int, flows: int) -> None:
    keys = {"dataplane.routes": routes, "dataplane.route_depth": depth, "traffic.flows": flows}
    scenario = with_overrides(BASE, keys | {"traffic.destination_step": "0.0.64.1"})
    if depth != "mixed" and flows > routes:
        with pytest.raises(InputError, match="active flows have no route"):
            ip4_prefixes(scenario, routes, depth)  # type: ignore[arg-type]
        return
    prefixes = ip4_prefixes(scenario, routes, depth)  # type: ignore[arg-type]
    assert len(set(prefixes)) == routes
    networks = {IPv4Network((address, bits)) for address, bits in prefixes}
    destinations = plain_flows(scenario)
    for flow in range(0, flows, max(1, flows // 50)):
        address = destinations.destination_of(flow)
        assert any(IPv4Network((address, bits), strict=False) in networks for bits in range(33))


def test_routes_lie_around_the_streams_destinations(tmp_path: Path) -> None:
    keys = {"dataplane.lookup": "fib", "dataplane.routes": 64, "dataplane.route_depth": 32}
    scenario = with_overrides(BASE, keys)
    assert "--lookup=fib" in started(scenario, tmp_path)
    stream = plain_stream(scenario).keys
    assert (str(stream["destination_ip"]), str(stream["destination_ip_step"])) == (
        "128.0.0.0",
        "0.4.0.0",
    )
    lines = (tmp_path / "rules").read_text().splitlines()
    assert lines[1] == "R128.4.0.0/32 1"
    assert len(lines) == 64
    with pytest.raises(InputError, match=r"5000 flows with a step of 0\.4\.0\.0 leave 128"):
        plain_flows(with_overrides(scenario, {"traffic.flows": 5000}))


def test_each_flow_has_an_entry_of_its_five_tuple(tmp_path: Path) -> None:
    scenario = with_overrides(BASE, {"dataplane.lookup": "em"})
    words = started(scenario, tmp_path)
    assert "--lookup=em" in words
    assert words[words.index("-m") + 1] == "1024"
    lines = (tmp_path / "rules").read_text().splitlines()
    assert len(lines) == 64
    stream = plain_stream(scenario).keys
    third = IPv4Address(int(IPv4Address("11.0.0.1")) + 2)
    assert lines[2] == f"R{third} 10.0.0.3 49153 49152 0x11 1"
    assert (stream["source_port"], stream["destination_port"]) == (49152, 49153)
    assert (tmp_path / "rules.v6").read_text().startswith("R2001:db8::1 ")
    with pytest.raises(InputError, match="routes does not apply to lookup em"):
        with_overrides(scenario, {"dataplane.routes": 4})
