"""Rate and duration of a flow, as packets a second and a number of packets.

Bits a second are those of the wire, preamble and gap included: the model's least rate, 672 bit/s,
is one 64-byte frame and its 20 bytes of overhead. Percents are of the link's rate.
"""

from __future__ import annotations

from planecast.generators.otg.node import Node
from planecast.scenario.frames import WIRE_BYTES

_GAP_BYTES = 12
_PPS_MIN, _PPS_MAX = 0.001, 1e9
_BIT_UNITS = {"bps": 1.0, "kbps": 1e3, "mbps": 1e6, "gbps": 1e9}
COUNTED = "counted"
_DELAYS = ("bytes", "nanoseconds", "microseconds")


def timing_keys(flow: Node, mean_bytes: float, link_gbps: float) -> dict[str, object]:
    """The stream's keys for ``rate`` and ``duration`` of a flow, and under `COUNTED` whether it
    has a number of packets of its own rather than a time."""
    wire_bits = (mean_bytes + WIRE_BYTES) * 8
    line_pps = link_gbps * 1e9 / wire_bits
    pps = _rate(flow.child("rate"), wire_bits, line_pps)
    keys: dict[str, object] = {"rate": f"{pps:.9g}"}
    keys.update(_duration(flow.child("duration"), pps, line_pps, link_gbps))
    return keys


def _rate(node: Node, wire_bits: float, line_pps: float) -> float:
    choice = node.choice("pps", ("pps", *_BIT_UNITS, "percentage"))
    pps = 1000.0
    if choice == "pps":
        pps = float(node.integer("pps", 1000, 1, int(_PPS_MAX)))
    elif choice == "percentage":
        pps = node.number("percentage", 100.0, 0.0, 100.0) / 100 * line_pps
    elif choice:
        bits = node.integer(choice, round(1e9 / _BIT_UNITS[choice]), 1, 1 << 63)
        pps = bits * _BIT_UNITS[choice] / wire_bits
    if not _PPS_MIN <= pps <= _PPS_MAX:
        node.refuse(choice, f"is {pps:g} packets/s; supported are {_PPS_MIN:g} to {_PPS_MAX:g}")
        pps = 1000.0
    node.finish()
    return pps


def _duration(node: Node, pps: float, line_pps: float, link_gbps: float) -> dict[str, object]:
    choice = node.choice("continuous", ("continuous", "fixed_packets", "fixed_seconds", "burst"))
    body = node.child(choice) if choice else Node({}, "", [])
    keys: dict[str, object] = {"packets": 0}
    if choice == "fixed_packets":
        keys = {"packets": body.integer("packets", 1, 1, 10**15), COUNTED: True}
    elif choice == "fixed_seconds":
        seconds = body.number("seconds", 1.0, 0.0, 1e6)
        keys["packets"] = max(1, round(pps * seconds))
    elif choice == "burst":
        keys = _burst(body, pps, line_pps, link_gbps)
    if choice:
        if body.integer("gap", _GAP_BYTES, 0, 1 << 32) != _GAP_BYTES:
            body.refuse("gap", f"is supported as {_GAP_BYTES} bytes only: the rate says the gap")
        _no_delay(body)
        body.finish()
    node.finish()
    return keys


def _burst(node: Node, pps: float, line_pps: float, link_gbps: float) -> dict[str, object]:
    """Packets of a burst go back to back, so the rate inside it is the link's."""
    packets = node.integer("packets", 1, 1, 1 << 20)
    gap = node.child("inter_burst_gap")
    unit = gap.choice("bytes", _DELAYS)
    default = {"bytes": 12.0, "nanoseconds": 96.0, "microseconds": 0.096}.get(unit, 0.0)
    amount = gap.number(unit, default, 0.0, 1e12) if unit else 0.0
    gap.finish()
    if abs(pps / line_pps - 1) > 1e-6:
        node.refuse("", "is supported at a rate of 100 percent only: its packets go back to back")
    bursts = node.integer("bursts", 0, 0, 1 << 32)
    factor_us = {"bytes": 8e-3 / link_gbps, "nanoseconds": 1e-3}.get(unit, 1.0)
    return {
        "arrivals": "burst",
        "burst_packets": packets,
        "burst_us": f"{packets / line_pps * 1e6 + amount * factor_us:.9g}",
        "packets": bursts * packets,
        COUNTED: bursts > 0,
    }


def _no_delay(node: Node) -> None:
    delay = node.child("delay")
    unit = delay.choice("bytes", _DELAYS)
    if unit and delay.number(unit, 0.0, 0.0, 1e18) != 0:
        node.refuse("delay", "is not supported: all flows begin at once")
    delay.finish()
