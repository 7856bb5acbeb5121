"""Headers of the plain IPv4 and UDP packets that data planes of others get."""

from __future__ import annotations

import re
from ipaddress import IPv4Address
from typing import Annotated

from pydantic import AfterValidator, Field

from planecast.scenario.dataplanes.hosted import Kind
from planecast.scenario.model import Count, Noun

_MAC = re.compile("([0-9a-f]{2}:){5}[0-9a-f]{2}")


def _address(value: str) -> str:
    try:
        return str(IPv4Address(value))
    except ValueError:
        raise ValueError(f"got '{value}'; allowed is an IPv4 address, as 10.0.0.1") from None


def _mac(value: str) -> str:
    if _MAC.fullmatch(value.lower()) is None:
        raise ValueError(f"got '{value}'; allowed is a MAC address, as 02:00:00:00:00:01")
    return value.lower()


Address = Annotated[str, AfterValidator(_address)]
"""An IPv4 address; or a step from one to the next, such as 0.0.1.0."""
UdpPort = Annotated[Count, Field(ge=0, le=65535)]
Mac = Annotated[str, AfterValidator(_mac)]
"""A hardware address, such as 02:00:00:00:00:01."""

IPV4_ADDRESSES = 1 << 32
"""All that there are: destinations that are counted up come round in them."""
_STEP = "0.0.0.1"


def as_number(address: str) -> int:
    """An address, or a step, as a number."""
    return int(IPv4Address(address))


class Packets(Noun):
    """Headers of flow 0's packets, and what is added to its addresses from each flow to the
    next."""

    source: Address = "10.0.0.1"
    """Source address of flow 0."""
    source_step: Address = _STEP
    """What is added to the source address from each flow to the next: 0.0.0.1 by default, 0.0.0.0
    for flows of one source."""
    destination: Address = "11.0.0.1"
    """Destination address of flow 0: one that the program forwards to the second port."""
    destination_step: Address = _STEP
    """What is added to the destination address from each flow to the next."""
    source_port: UdpPort = 49152
    """UDP source port of all packets."""
    destination_port: UdpPort = 49153
    """UDP destination port of all packets."""
    source_mac: Mac = "02:00:00:00:00:01"
    """Hardware address that all packets come from."""
    destination_mac: Mac = "02:00:00:00:00:02"
    """Hardware address that all packets go to: that of the first port, for a program that looks at
    it."""

    def source_of(self, flow: int) -> IPv4Address:
        """Source address of a flow."""
        return IPv4Address(self.source) + flow * as_number(self.source_step)

    def destination_of(self, flow: int) -> IPv4Address:
        """Destination address of a flow."""
        return IPv4Address(self.destination) + flow * as_number(self.destination_step)

    @property
    def macs(self) -> tuple[str | None, str | None]:
        """Source and destination as somebody set them, for generators that know what theirs are
        where nobody did: None."""
        usual = Packets()
        return (
            None if self.source_mac == usual.source_mac else self.source_mac,
            None if self.destination_mac == usual.destination_mac else self.destination_mac,
        )

    def changed(self) -> str:
        """What differs from the usual headers, in words; empty for none."""
        own = self.model_dump(exclude_defaults=True)
        return ", ".join(f"{name} {value}" for name, value in own.items())


class Addressed(Kind):
    """A data plane of which nobody here knows where it forwards to."""

    packets: Packets = Packets()
    """Headers of the packets that it gets: for a program with routes, rules or a MAC address of its
    own."""
