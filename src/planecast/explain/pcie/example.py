"""Examples: counters that others have printed, from the catalogue, with their source."""

from __future__ import annotations

from planecast.catalog import entry_path
from planecast.explain.pcie.counts import LineRate, PcieCounts, pcie_counts
from planecast.explain.pcie.forward import Ports
from planecast.scenario.document import read_document
from planecast.scenario.model import Noun
from planecast.scenario.problems import validated


class Example(Noun):
    """One printed example."""

    name: str
    title: str
    source: str
    """Document, figure, section."""
    pps: float
    """Packets a second that were forwarded."""
    frame_bytes: int
    rx_descriptor_bytes: int
    tx_descriptor_bytes: int
    tx_write_back_every: int
    tail_update_every: int
    sockets: dict[str, dict[str, LineRate]]
    """Lines a second by socket and event."""

    @property
    def ports(self) -> Ports:
        """How the ports were used."""
        return Ports(
            frame_bytes=self.frame_bytes,
            rx_descriptor_bytes=self.rx_descriptor_bytes,
            tx_descriptor_bytes=self.tx_descriptor_bytes,
            tx_write_back_every=self.tx_write_back_every,
            tail_update_every=self.tail_update_every,
        )

    def counts(self, socket: str) -> PcieCounts:
        """One socket's counters."""
        events: dict[str, float] = {}
        for name, rate in self.sockets[socket].items():
            events[name] = rate.total
            if rate.hit is not None and rate.miss is not None:
                events |= {f"{name}.hit": rate.hit, f"{name}.miss": rate.miss}
        return pcie_counts(events)


def example(name: str) -> Example:
    """The example of a name. Raises InputError for one that isn't there."""
    document = read_document(entry_path("counters", name))
    return validated(Example, document.data, document.where)
