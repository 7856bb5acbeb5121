"""OpenFlow rules with as many distinct masks as asked for, each of which becomes a megaflow.

Open vSwitch keeps a hash table for each mask and tries one after the other (tuple space search), so
the number of masks is what a look-up costs, and the number of rules what its tables take. A rule is
of the lowest bits of the source address, in which flows differ evenly. Masks differ in how many
bits of the UDP ports they have, which are equal in all packets: so every packet meets exactly one
rule, and the datapath's megaflows have the same masks. Prefixes would not do: the classifier's
tries would merge them.
"""

from __future__ import annotations

from collections.abc import Iterator

from planecast.scenario.plain_flows import UDP_PORTS

_PORT_BITS = 16


def open_flow_rules(come: int, go: int, rules: int = 1, masks: int = 1) -> Iterator[str]:
    """What ``ovs-ofctl add-flows`` reads: rules that send what comes in at port `come` out at `go`,
    a power of two in number. One rule is of the port alone."""
    if rules == 1:
        yield f"in_port={come},actions={go}"
        return
    for number in range(rules):
        source = f"nw_src={_dotted(number)}/{_dotted(rules - 1)}"
        ports = "".join(f",{words}" for words in _port_words(number % masks))
        yield f"in_port={come},udp,{source}{ports},actions={go}"


def _port_words(bits: int) -> Iterator[str]:
    """Matches of so many of the highest bits of both UDP ports together."""
    for name, port in zip(("tp_src", "tp_dst"), UDP_PORTS, strict=True):
        own = min(bits, _PORT_BITS)
        bits -= own
        mask = (1 << _PORT_BITS) - (1 << (_PORT_BITS - own))
        if mask:
            yield f"{name}={port & mask:#x}/{mask:#x}"


def _dotted(number: int) -> str:
    return ".".join(str(byte) for byte in number.to_bytes(4, "big"))
