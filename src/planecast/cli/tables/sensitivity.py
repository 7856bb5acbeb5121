"""Which keys matter, as a table."""

from __future__ import annotations

from typing import TYPE_CHECKING

from planecast.cli.tables.basis import basis_notes
from planecast.cli.tables.sheet import Column, Sheet, estimate_text

if TYPE_CHECKING:
    from planecast.results.sensitivity import Sensitivity

_COLUMNS = (
    Column("key", "key"),
    Column("low", "from"),
    Column("high", "to"),
    Column("at_low_pps", "Mpps at from", number=True, form="{:.3f}", scale=1e6),
    Column("at_high_pps", "Mpps at to", number=True, form="{:.3f}", scale=1e6),
    Column("elasticity", "elasticity", number=True, form="{:+.3f}"),
    Column("first_order", "Sobol first", number=True, absent="–"),
    Column("total", "Sobol total", number=True, absent="–"),
)


def sensitivity_sheet(found: Sensitivity, run: str) -> Sheet:
    """A row a key, longest swing first."""
    rate = estimate_text(found.base.throughput_pps, 1e6)
    notes = [
        f"as it is: {rate} Mpps, computed; {found.evaluations} scenarios asked",
        "elasticity: per cent more packets for a per cent more of the key; Sobol: share of the "
        "variance with 95 % interval, cut off at 0 and 1 (more --draws narrow it)",
        *found.notes,
        *basis_notes(found.manifest, [found.base.cycles_per_packet]),
        f"run: {run}",
    ]
    return Sheet.of(_COLUMNS, found.swings, found, notes=notes)
