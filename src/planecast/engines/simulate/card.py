"""Ports and card of a scenario.

Without a card each chain of lcores has a port of its own that limits nothing. With one, or when a
capture's packets come, chains share its ports: each has a receive queue, and RSS leads flows there.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

from planecast.engines.simulate import _simulator as sim
from planecast.engines.simulate.ddio_overflow import ddio_overflow
from planecast.engines.simulate.limits import link_of
from planecast.machine.pcie import DESCRIPTOR_BYTES, DESCRIPTORS_AT_ONCE, Link
from planecast.scenario.frames import WIRE_BYTES
from planecast.scenario.scenario import Scenario

NAME = "nic"


@dataclass(frozen=True)
class Card:
    """The ports of a scenario."""

    ports: int
    queues: int
    """Receive queues of a port."""

    def input(self, chain: int) -> sim.Input:
        """What the first lcore of a chain polls."""
        port, queue = divmod(chain, self.queues)
        return sim.Input(kind=sim.InputKind.port, name=f"port{port}", queue=queue)

    def port_of(self, chain: int) -> str:
        """The port that a chain receives and sends by."""
        return f"port{chain // self.queues}"


def card_of(scenario: Scenario) -> Card:
    """How the chains share ports."""
    chains = len(scenario.placement.chains)
    if scenario.nic.there or scenario.traffic.arrivals == "pcap":
        ports = scenario.nic.port_count
        return Card(ports, chains // ports)
    return Card(chains, 1)


def ports(scenario: Scenario, card: Card, rx_ring: int) -> list[sim.Port]:
    """The ports of the model."""
    nic = scenario.nic
    return [
        sim.Port(
            name=f"port{number}",
            nic=NAME if nic.there else "",
            line_rate_bps=(nic.link_gbps or 0.0) * 1e9,
            overhead_bytes=WIRE_BYTES,
            rx_limit_pps=nic.port_rx_pps or 0.0,
            tx_limit_pps=nic.port_tx_pps or 0.0,
            rx_queues=card.queues,
            rx_ring=rx_ring,
            tx_ring=scenario.placement.tx_ring,
        )
        for number in range(card.ports)
    ]


def nics(scenario: Scenario) -> list[sim.Nic]:
    """The card of the model, if there is one."""
    nic = scenario.nic
    if not nic.there:
        return []
    spills = ddio_overflow(scenario)
    memory = math.inf if spills is None else spills.memory_pps
    most = min(nic.rx_pps or math.inf, memory)
    return [
        sim.Nic(
            name=NAME,
            rx_limit_pps=most if math.isfinite(most) else 0.0,
            tx_limit_pps=nic.tx_pps or 0.0,
            rx_fifo_packets=nic.fifo_packets,
            rx_latency_ns=nic.rx_latency_ns,
            tx_latency_ns=nic.tx_latency_ns,
            pcie=_pcie(link_of(scenario)),
        )
    ]


def _pcie(link: Link | None) -> sim.Pcie:
    if link is None:
        return sim.Pcie()
    return sim.Pcie(
        raw_bps=link.raw_bps,
        max_payload_bytes=link.max_payload,
        max_read_bytes=link.max_read,
        control_every_bytes=link.every_bytes,
        descriptor_bytes=DESCRIPTOR_BYTES,
        descriptors_at_once=DESCRIPTORS_AT_ONCE,
    )


def output(scenario: Scenario, card: Card, chain: int) -> sim.Output:
    """Where the last lcore of a chain sends."""
    nic = scenario.nic
    if not nic.there:
        return sim.Output()
    return sim.Output(
        kind=sim.OutputKind.port,
        to=card.port_of(chain),
        buffer_packets=nic.tx_buffer,
        drain_ns=nic.tx_drain_us * 1e3,
    )
