"""Headers of the plain IPv4 and UDP packets that data planes of others get."""

from __future__ import annotations

from ipaddress import IPv4Address
from typing import Annotated, Any

from pydantic import BeforeValidator, Field

from planecast.scenario.dataplanes.hosted import Kind
from planecast.scenario.model import Count, Noun


def _no_number(value: Any) -> Any:
    # Which would be an address, too.
    if not isinstance(value, str | IPv4Address):
        raise ValueError(f"got {value!r}, which is no IPv4 address")
    return value


Address = Annotated[IPv4Address, Field(strict=False), BeforeValidator(_no_number, str)]
UdpPort = Annotated[Count, Field(ge=0, le=65535)]
Mac = Annotated[str, Field(pattern="^([0-9a-fA-F]{2}:){5}[0-9a-fA-F]{2}$")]
"""A hardware address, such as 02:00:00:00:00:01."""

_STEP = IPv4Address("0.0.0.1")


class Packets(Noun):
    """Headers of flow 0's packets, and what is added to its addresses from each flow to the
    next."""

    source: Address = IPv4Address("10.0.0.1")
    """Source address of flow 0."""
    source_step: Address = _STEP
    """What is added to the source address from each flow to the next: 0.0.0.1 by default, 0.0.0.0
    for flows of one source."""
    destination: Address = IPv4Address("11.0.0.1")
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
        return IPv4Address(int(self.source) + flow * int(self.source_step))

    def destination_of(self, flow: int) -> IPv4Address:
        """Destination address of a flow."""
        return IPv4Address(int(self.destination) + flow * int(self.destination_step))

    def changed(self) -> str:
        """What differs from the usual headers, in words; empty for none."""
        own = self.model_dump(mode="json", exclude_defaults=True)
        return ", ".join(f"{name} {value}" for name, value in own.items())


class Addressed(Kind):
    """A data plane of which nobody here knows where it forwards to."""

    packets: Packets = Packets()
    """Headers of the packets that it gets: for a program with routes, rules or a MAC address of its
    own."""
