"""Port costs as a table."""

from __future__ import annotations

from pathlib import Path

from planecast.cli.tables.sheet import Column, Sheet
from planecast.results.port_costs import BASE, PortCosts


def port_costs_sheet(costs: PortCosts, run: Path) -> Sheet:
    """A row a kind that was measured; why the others were not is below."""
    columns = (
        Column("kind", "port"),
        Column("per_packet", "cycles/packet", number=True),
        Column("per_byte", "cycles/byte", number=True),
        Column(
            "smallest",
            "at 64 B",
            number=True,
            form="{:.4g}",
            absent="–",
            of=lambda port: port.of_size(64),
        ),
        Column(
            "largest",
            "at 1518 B",
            number=True,
            form="{:.4g}",
            absent="–",
            of=lambda port: port.of_size(1518),
        ),
        Column(
            "above_base",
            f"64 B, above {BASE}",
            number=True,
            form="{:.4g}",
            absent="–",
            of=lambda port: costs.above_base(port.kind, 64),
        ),
    )
    measured = [
        port for port in costs.ports if port.per_packet is not None and port.per_byte is not None
    ]
    notes = [
        f"{port.kind}: {'some sizes ' if port.sizes else ''}not measured: {port.why_not}"
        for port in costs.ports
        if port.why_not
    ]
    notes += [
        "TSC cycles of testpmd io between two such ports, a packet received and sent; a line over "
        f"the frame sizes. What a kind takes above {BASE} is its own: a search that finds these "
        "figures says what its data plane takes without its ports.",
        f"run: {run}",
    ]
    return Sheet.of(columns, measured, costs, title="port costs", notes=notes)
