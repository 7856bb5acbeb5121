"""Captures of plain packets: a packet a flow, as tables and generators have them."""

from __future__ import annotations

import struct
from collections.abc import Callable
from ipaddress import IPv4Address, IPv6Address, IPv6Network

import pytest

from planecast.errors import InputError
from planecast.instruments import plain_capture as module
from planecast.instruments.plain_capture import plain_capture
from planecast.scenario import Scenario, with_overrides
from planecast.scenario.plain_flows import plain_flows

Make = Callable[..., Scenario]
TO = bytes.fromhex("02fe00000001")


def packets(capture: bytes) -> list[bytes]:
    """The frames of a capture; checks its headers."""
    magic, major, minor, _, _, most, link = struct.unpack_from("<IHHiIII", capture)
    assert (magic, major, minor, most, link) == (0xA1B2C3D4, 2, 4, 65535, 1)
    found, at = [], 24
    while at < len(capture):
        _, _, kept, length = struct.unpack_from("<IIII", capture, at)
        assert kept == length
        found.append(capture[at + 16 : at + 16 + kept])
        at += 16 + kept
    return found


@pytest.fixture
def scenario() -> Make:
    """Makes scenarios."""
    return lambda point: with_overrides(Scenario(name="s"), point)


def made(scenario: Make, graph: str, **changes: object) -> tuple[Scenario, list[bytes]]:
    """A scenario of a graph of VPP's, and its packets."""
    asked = scenario({"dataplane.kind": "vpp", "dataplane.graph": graph} | changes)
    return asked, packets(plain_capture(asked, TO))


@pytest.mark.parametrize("frame_bytes", [64, 512, 1518])
def test_rounds_of_a_packet_of_each_flow(scenario: Make, frame_bytes: int) -> None:
    asked, frames = made(
        scenario, "l2xc", **{"traffic.flows": 100, "traffic.frame_bytes": frame_bytes}
    )
    assert {len(frame) for frame in frames} == {frame_bytes - 4}
    assert {frame[:6] for frame in frames} == {TO}
    flows = plain_flows(asked)
    pairs = [(IPv4Address(frame[26:30]), IPv4Address(frame[30:34])) for frame in frames]
    every = [(flows.source_of(n), flows.destination_of(n)) for n in range(100)]
    rounds = [pairs[start : start + 100] for start in range(0, len(pairs), 100)]
    assert len(rounds) == module.ROUNDS
    assert all(sorted(one) == every for one in rounds)
    assert rounds[0] != rounds[1] != every  # no order that a prefetcher would follow


def test_their_headers_are_right(scenario: Make) -> None:
    for frame in made(scenario, "ip4", **{"traffic.flows": 50})[1]:
        words = sum(struct.unpack_from("!10H", frame, 14))
        assert (words & 0xFFFF) + (words >> 16) == 0xFFFF  # RFC 1071
        assert struct.unpack_from("!H", frame, 16)[0] == 64 - 4 - 14
        assert frame[12:15] == b"\x08\x00\x45"


def test_a_bridge_knows_their_stations(scenario: Make) -> None:
    _, frames = made(scenario, "l2bridge", **{"traffic.flows": 8})
    sources = {int.from_bytes(frame[6:12], "big") for frame in frames}
    assert sources == {0x0200_0000_0000 + flow for flow in range(8)}
    for frame in frames:
        to, source = (int.from_bytes(frame[at : at + 6], "big") for at in (0, 6))
        assert to - source == 0x0100_0000  # of the same flow


def test_ipv6_goes_where_the_routes_are(scenario: Make) -> None:
    changes = {"traffic.flows": 12, "dataplane.routes": 4, "traffic.frame_bytes": 64}
    _, frames = made(scenario, "ip6", **changes)
    assert {frame[12:15] for frame in frames} == {b"\x86\xdd\x60"}
    routes = IPv6Network("2001:db8::/46").subnets(new_prefix=48)
    found = {IPv6Network((IPv6Address(frame[38:54]), 48)) for frame in frames}
    assert found == set(routes)
    assert {len(frame) for frame in frames} == {60}


def test_of_very_many_flows_some_are_drawn(scenario: Make, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "MOST_PACKETS", 16)
    _, frames = made(scenario, "l2xc", **{"traffic.flows": 1000})
    assert len({frame[26:34] for frame in frames}) == 16
    assert len(frames) == 16 * module.ROUNDS


def test_one_round_where_more_would_take_much_memory(
    scenario: Make, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(module, "ROUNDS_BYTES", 64 * 150)
    _, frames = made(scenario, "l2xc", **{"traffic.flows": 100, "traffic.frame_bytes": 64})
    assert len(frames) == 100


def test_flows_that_leave_the_routed_addresses(scenario: Make) -> None:
    with pytest.raises(InputError, match=r"leave 128\.0\.0\.0/2"):
        made(scenario, "ip4", **{"traffic.flows": 4096, "traffic.destination_step": "1.0.0.0"})
