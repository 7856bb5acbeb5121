"""Headers of a flow: Ethernet, up to two tags, IPv4 and UDP; as keys of a stream.

A field that the model leaves out has the model's default, not the generator's: addresses of zeros
are sent as zeros.
"""

from __future__ import annotations

from planecast.generators.otg.node import Node
from planecast.generators.otg.pattern import (
    BYTE,
    COUNT_MAX,
    DSCP,
    IPV4,
    MAC,
    PORT,
    VLAN_ID,
    WORD,
    Field,
    Steps,
    only,
    steps_of,
    values_of,
)

_LAYOUTS = {
    ("ethernet",): "ethernet",
    ("ethernet", "ipv4", "udp"): "ipv4",
    ("ethernet", "vlan", "ipv4", "udp"): "vlan-ipv4",
    ("ethernet", "vlan", "vlan", "ipv4", "udp"): "qinq-ipv4",
}
_ETHER_TYPE = {"ipv4": 0x0800, "vlan-ipv4": 0x8100, "qinq-ipv4": 0x88A8, "ethernet": 0x88B5}
_TPID = {"vlan-ipv4": (0x8100,), "qinq-ipv4": (0x88A8, 0x8100)}
_DSCPS_MAX = 64


class _Keys:
    """The keys of the stream, and how many flows its patterns make."""

    def __init__(self) -> None:
        self.keys: dict[str, object] = {}
        self.flows = 1
        self._counted = ""

    def steps(self, node: Node, member: str, steps: Steps, field: Field, key: str) -> None:
        """Sets a field that is stepped from flow to flow."""
        self.keys[key] = field.write(steps.first)
        self.keys[f"{key}_step"] = str(IPV4.write(steps.step)) if field is IPV4 else str(steps.step)
        if steps.count > 1:
            self._count(node, member, steps.count)

    def dscps(self, node: Node, member: str, values: list[int]) -> None:
        """Sets the code points; a flow has one, by its number."""
        self.keys["dscp"] = ",".join(map(str, values))
        if len(values) > 1:
            self._count(node, member, len(values))

    def _count(self, node: Node, member: str, count: int) -> None:
        """All patterns of a flow step together, so they must be equally long."""
        if self._counted and count != self.flows:
            node.refuse(
                member,
                f"has {count} values and {self._counted} has {self.flows}; patterns of one flow "
                "are supported when they have equally many",
            )
            return
        self.flows, self._counted = count, node.at(member)


def packet_keys(flow: Node) -> dict[str, object]:
    """The stream's keys for ``packet`` of a flow."""
    headers = flow.children("packet")
    kinds = [node.choice("ethernet", ("ethernet", "vlan", "ipv4", "udp")) for node in headers]
    if "" in kinds:
        return {}
    layout = _LAYOUTS.get(tuple(kinds) or ("ethernet",))
    if layout is None:
        flow.refuse(
            "packet",
            f"{', '.join(kinds)} is not supported; supported are ethernet, and ethernet with "
            "none, one or two vlan, then ipv4, udp",
        )
        return {}
    found = _Keys()
    found.keys["headers"] = layout
    tags = 0
    for header, kind in zip(headers, kinds, strict=True):
        body = header.child(kind)
        if kind == "ethernet":
            _ethernet(body, layout, found)
        elif kind == "vlan":
            _vlan(body, layout, tags, found)
            tags += 1
        elif kind == "ipv4":
            _ipv4(body, found)
        else:
            _udp(body, found)
        body.finish()
        header.finish()
    if not headers:
        _ethernet(Node({}, "", []), layout, found)
    found.keys["flows"] = min(found.flows, COUNT_MAX)
    return found.keys


def _ethernet(node: Node, layout: str, found: _Keys) -> None:
    for member, key in (("src", "source_mac"), ("dst", "destination_mac")):
        steps = steps_of(node, member, MAC, auto=member == "dst")
        found.steps(node, member, steps, MAC, key)
    only(node, "ether_type", WORD, _ETHER_TYPE[layout])


def _vlan(node: Node, layout: str, tag: int, found: _Keys) -> None:
    """A tag; of two the outer one first."""
    steps = steps_of(node, "id", VLAN_ID)
    inner = tag == 1
    last = steps.first + steps.step * (steps.count - 1)
    if inner and last >= 1 << VLAN_ID.bits:
        # The generator carries what passes 4095 to the outer tag, as access networks number.
        node.refuse("id", f"passes 4095 ({last}), which is not supported in the inner of two tags")
    found.steps(node, "id", steps, VLAN_ID, "inner_vlan" if inner else "outer_vlan")
    only(node, "tpid", WORD, _TPID[layout][tag])
    only(node, "priority", BYTE, 0)
    only(node, "cfi", BYTE, 0)


def _ipv4(node: Node, found: _Keys) -> None:
    for member, key in (("src", "source_ip"), ("dst", "destination_ip")):
        found.steps(node, member, steps_of(node, member, IPV4), IPV4, key)
    ttl = steps_of(node, "time_to_live", BYTE, 64)
    if ttl.count > 1 or ttl.first == 0:
        node.refuse("time_to_live", "is supported as one value from 1 to 255")
    found.keys["ttl"] = max(ttl.first, 1)
    _priority(node, found)
    for member, sent in (("version", 4), ("header_length", 5), ("protocol", 17), ("reserved", 0)):
        only(node, member, BYTE, sent)
    for member in ("dont_fragment", "more_fragments", "fragment_offset"):
        only(node, member, WORD, 0)
    _checksum(node, "header_checksum", ("generated",))


def _priority(node: Node, found: _Keys) -> None:
    priority = node.child("priority")
    if priority.choice("dscp", ("dscp",)):
        dscp = priority.child("dscp")
        values = values_of(dscp, "phb", DSCP, 0)
        if isinstance(values, Steps):
            values = [
                (values.first + k * values.step) % 64 for k in range(min(values.count, 1 << 10))
            ]
        if len(values) > _DSCPS_MAX:
            dscp.refuse("phb", f"is supported with up to {_DSCPS_MAX} values")
        found.dscps(dscp, "phb", values[:_DSCPS_MAX])
        only(dscp, "ecn", BYTE, 0)
        dscp.finish()
    priority.finish()


def _udp(node: Node, found: _Keys) -> None:
    for member, key in (("src_port", "source_port"), ("dst_port", "destination_port")):
        found.steps(node, member, steps_of(node, member, PORT), PORT, key)
    if node.has("checksum"):
        _checksum(node, "checksum", ("custom",))


def _checksum(node: Node, member: str, supported: tuple[str, ...]) -> None:
    """IPv4's is right, UDP's is 0: none."""
    checksum = node.child(member)
    choice = checksum.choice(supported[0], supported)
    if choice == "generated" and checksum.text("generated", "good") != "good":
        checksum.refuse("generated", "is always good")
    if choice == "custom" and checksum.integer("custom", 0, 0, 0xFFFF) != 0:
        checksum.refuse("custom", "is always sent as 0: none")
    checksum.finish()
