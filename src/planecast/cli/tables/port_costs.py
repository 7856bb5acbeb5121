"""Port costs as a table."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from planecast.cli.tables.sheet import Column, Sheet, estimate_text
from planecast.results.port_costs import BASE, PortCosts

_COLUMNS = (
    Column("kind", "port"),
    Column("per_packet", "cycles/packet", number=True),
    Column("per_byte", "cycles/byte", number=True),
    Column("smallest", "at 64 B", number=True),
    Column("largest", "at 1518 B", number=True),
    Column("above_base", f"64 B, above {BASE}", number=True),
)


def port_costs_sheet(costs: PortCosts, run: Path) -> Sheet:
    """A row a kind that was measured; why the others were not is below."""
    rows: list[dict[str, Any]] = []
    cells: list[dict[str, str]] = []
    for port in costs.ports:
        if port.per_packet is None or port.per_byte is None:
            continue
        above = costs.above_base(port.kind, 64)
        first, last = port.sizes[0].cycles_per_packet, port.sizes[-1].cycles_per_packet
        rows.append(
            {
                "kind": port.kind,
                "per_packet": port.per_packet.value,
                "per_byte": port.per_byte.value,
                "smallest": first.value,
                "largest": last.value,
                "above_base": above,
            }
        )
        cells.append(
            {
                "kind": port.kind,
                "per_packet": estimate_text(port.per_packet),
                "per_byte": estimate_text(port.per_byte),
                "smallest": f"{first.value:.4g}",
                "largest": f"{last.value:.4g}",
                "above_base": "–" if above is None else f"{above:.4g}",
            }
        )
    notes = [f"{port.kind}: not measured: {port.why_not}" for port in costs.ports if port.why_not]
    notes += [
        "TSC cycles of testpmd io between two such ports, a packet received and sent; a line over "
        "the frame sizes. To compare a data plane across ports, subtract the difference.",
        f"run: {run}",
    ]
    return Sheet(_COLUMNS, rows, cells, costs, title="port costs", notes=notes)
