"""Which keys matter, as a table."""

from __future__ import annotations

from typing import TYPE_CHECKING

from planecast.cli.tables.basis import basis_notes
from planecast.cli.tables.sheet import Column, Sheet, estimate_text

if TYPE_CHECKING:
    from planecast.results import Sensitivity

_COLUMNS = (
    Column("key", "key"),
    Column("low", "from"),
    Column("high", "to"),
    Column("at_low_pps", "Mpps at from", number=True),
    Column("at_high_pps", "Mpps at to", number=True),
    Column("elasticity", "elasticity", number=True),
    Column("first_order", "Sobol first", number=True),
    Column("total", "Sobol total", number=True),
)


def sensitivity_sheet(found: Sensitivity, run: str) -> Sheet:
    """A row a key, longest swing first."""
    rows = [
        {
            "key": swing.key,
            "low": swing.low,
            "high": swing.high,
            "at_low_pps": swing.at_low_pps,
            "at_high_pps": swing.at_high_pps,
            "elasticity": swing.elasticity,
            "first_order": swing.first_order and swing.first_order.value,
            "total": swing.total and swing.total.value,
        }
        for swing in found.swings
    ]
    cells = [
        {
            "key": swing.key,
            "low": swing.low,
            "high": swing.high,
            "at_low_pps": f"{swing.at_low_pps / 1e6:.3f}",
            "at_high_pps": f"{swing.at_high_pps / 1e6:.3f}",
            "elasticity": "" if swing.elasticity is None else f"{swing.elasticity:+.3f}",
            "first_order": estimate_text(swing.first_order),
            "total": estimate_text(swing.total),
        }
        for swing in found.swings
    ]
    rate = estimate_text(found.base.throughput_pps, 1e6)
    notes = [
        f"as it is: {rate} Mpps, computed; {found.evaluations} scenarios asked",
        "elasticity: per cent more packets for a per cent more of the key; Sobol: share of the "
        "variance with 95 % interval, cut off at 0 and 1 (more --draws narrow it)",
        *found.notes,
        *basis_notes(found.manifest, [found.base.cycles_per_packet]),
        f"run: {run}",
    ]
    return Sheet(_COLUMNS, rows, cells, found, notes=notes)
