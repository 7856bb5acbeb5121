"""Nic: what lies between the wire and the receive rings, for the simulator."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import Field

from planecast.scenario.model import Count, Noun, OfferedRate

PcieLink = Literal["none", "gen2x8", "gen3x8", "gen3x16", "gen4x8", "gen4x16", "gen5x16"]


class Nic(Noun):
    """The network card of the lcores; with no key set there is none, and packets come from memory.

    The simulator's alone: the data plane is measured with its own source, or with the ports that it
    is given.
    """

    ports: Annotated[int | None, Field(ge=1, le=64)] = None
    """Ports of the card. Lcores share them evenly; each has a receive queue, to which RSS leads its
    flows. null: one, if another key of the card is set."""
    link_gbps: Annotated[float | None, Field(gt=0, le=10_000)] = None
    """Line rate of a port, Gbit/s; a frame takes 20 bytes more on the wire. null: no time."""
    rx_pps: OfferedRate = None
    """Packets a second that the card receives at most, over all ports."""
    tx_pps: OfferedRate = None
    """Packets a second that the card sends at most, over all ports."""
    port_rx_pps: OfferedRate = None
    """Packets a second that a port receives at most."""
    port_tx_pps: OfferedRate = None
    """Packets a second that a port sends at most."""
    pcie: PcieLink = "none"
    """Generation and lanes of the card's PCIe link; none: without limit."""
    fifo_packets: Annotated[Count, Field(ge=1, le=1_000_000)] = 512
    """Packets that the card holds before its receive engine; more are dropped."""
    rx_latency_ns: Annotated[float, Field(ge=0, le=1e9)] = 0.0
    """From a frame's last bit until the lcore can see it."""
    tx_latency_ns: Annotated[float, Field(ge=0, le=1e9)] = 0.0
    """From when it is sent until a frame's first bit is on the wire."""
    tx_buffer: Annotated[Count, Field(ge=0, le=4096)] = 0
    """Packets that are collected before they are sent; 0: a burst is sent at once."""
    tx_drain_us: Annotated[float, Field(gt=0, le=1e6)] = 100.0
    """Microseconds after which collected packets are sent all the same."""

    @property
    def there(self) -> bool:
        """Whether there is a card at all."""
        return self != Nic()

    @property
    def port_count(self) -> int:
        """Its ports."""
        return self.ports or 1
