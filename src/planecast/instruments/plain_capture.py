"""A capture of a scenario's plain packets, for VPP, which replays it: rounds of a packet a flow.

The packets are those that the generator's plain stream sends, each round in an order drawn by the
seed; IPv6 ones go to the routes that VPP's table has.
"""

from __future__ import annotations

import random
import struct
from ipaddress import IPv6Address

from planecast.instruments.window import first_frame
from planecast.scenario.dataplanes.packets import Packets
from planecast.scenario.dataplanes.vpp import Vpp
from planecast.scenario.frames import FCS_BYTES
from planecast.scenario.plain_flows import STATION_MACS, ip6_route, plain_flows
from planecast.scenario.scenario import Scenario

MOST_PACKETS, ROUNDS, ROUNDS_BYTES = 131072, 4, 8 << 20
"""Of a capture; of more flows so many are drawn. In one round alone a flow would come back after
all others, always; but VPP copies each packet from where it has read it, and these are to touch no
more memory than they need."""
_PCAP = struct.pack("<IHHiIII", 0xA1B2C3D4, 2, 4, 0, 0, 65535, 1)
_IP, _CHECKSUM = 14, 24
"""Where the IPv4 header and its checksum begin in a frame."""
_NO_NEXT_HEADER = 59
"""RFC 8200, section 4.7."""
_IP6_SOURCE = IPv6Address("fd00:1::2")


def plain_capture(scenario: Scenario, to: bytes) -> bytes:
    """A pcap file with frames to the hardware address `to`; to the flow's station over a bridge.

    Raises InputError for flows that leave the addresses that are routed.
    """
    traffic, flows = scenario.traffic, plain_flows(scenario)
    count = min(traffic.active_flows, MOST_PACKETS)
    rounds = max(1, min(ROUNDS, ROUNDS_BYTES // (count * traffic.frame_bytes)))
    drawn = random.Random(traffic.seed)
    made = {
        flow: _frame(scenario, flows, flow, to)
        for flow in drawn.sample(range(traffic.active_flows), count)
    }
    order = [flow for _ in range(rounds) for flow in drawn.sample(list(made), count)]
    frames = (made[flow] for flow in order)
    return _PCAP + b"".join(
        struct.pack("<IIII", 0, 0, len(frame), len(frame)) + frame for frame in frames
    )


def _frame(scenario: Scenario, flows: Packets, flow: int, to: bytes) -> bytes:
    """One packet of a flow, without its FCS."""
    wanted, frame_bytes = scenario.dataplane, scenario.traffic.frame_bytes
    assert isinstance(wanted, Vpp)
    if wanted.graph == "ip6":
        frame = _ip6_frame(ip6_route(flow % wanted.routes), frame_bytes)
    else:
        own = Packets(
            source=str(flows.source_of(flow)), destination=str(flows.destination_of(flow))
        )
        frame = _with_checksum(first_frame(frame_bytes, own))
    addresses = to + frame[6:12]
    if wanted.graph == "l2bridge":
        addresses = b"".join((first + flow).to_bytes(6, "big") for first in STATION_MACS[::-1])
    return (addresses + frame[12:]).ljust(frame_bytes - FCS_BYTES, b"\0")


def _with_checksum(frame: bytes) -> bytes:
    words = struct.unpack_from("!10H", frame, _IP)
    total = sum(words)
    total = (total & 0xFFFF) + (total >> 16)
    total = (total & 0xFFFF) + (total >> 16)
    return frame[:_CHECKSUM] + struct.pack("!H", ~total & 0xFFFF) + frame[_CHECKSUM + 2 :]


def _ip6_frame(destination: IPv6Address, frame_bytes: int) -> bytes:
    """Without UDP, which the shortest frames have no room for."""
    payload = frame_bytes - FCS_BYTES - _IP - 40
    ip = struct.pack("!IHBB", 6 << 28, payload, _NO_NEXT_HEADER, 64)
    return bytes(12) + b"\x86\xdd" + ip + _IP6_SOURCE.packed + destination.packed
