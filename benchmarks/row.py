"""A row of the bench's table."""

from __future__ import annotations

from typing import Any

from planecast.results import Estimate, ratio

Row = dict[str, Any]


def row(
    name: str,
    ours: Estimate,
    peer: Estimate | None,
    unit: str,
    limit: float,
    *,
    at_least: bool = False,
    of_ours: bool = False,
    compared: Estimate | None = None,
) -> Row:
    """One row. The goal is an upper (or lower) limit of the ratio; of ours where there is no peer.

    `of_ours` sets the goal for ours with a peer, too. `compared` is the ratio when more is known
    of it than that of two independent estimates.
    """
    if compared is None and peer is not None:
        compared = ratio(ours, peer)
    shown = compared if compared is not None else ours
    judged = ours.value if of_ours else shown.value
    return {
        "name": name,
        "ours": ours.value,
        "peer": None if peer is None else peer.value,
        "ratio": None if compared is None else compared.value,
        "low": shown.low,
        "high": shown.high,
        "unit": unit,
        "goal": f"{'>=' if at_least else '<='} {limit:g}",
        "met": judged >= limit if at_least else judged <= limit,
    }
