"""Many cores: linear, less what RSS spreads unevenly, until a port, a card or PCIe is full."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass

from planecast.scenario.frames import line_rate_pps
from planecast.scenario.machine import Card


@dataclass(frozen=True)
class Forwarded:
    """A rate, and the part that caps it."""

    pps: float
    capped_by: str


def card_ceilings(card: Card, ports: int, cards: int, frame_bytes: float) -> dict[str, float]:
    """Packets a second that so many ports on so many cards let through, by part."""
    values = card.values
    found = {"link": ports * line_rate_pps(values.link_gbps.value, frame_bytes)}
    if values.port_mpps is not None:
        found["port"] = ports * values.port_mpps.value * 1e6
    if values.card_mpps is not None:
        found["NIC"] = cards * values.card_mpps.value * 1e6
    return found


def hottest_queue(flows: int, queues: int) -> float:
    """The fullest queue's load over the mean when `flows` are hashed onto `queues`.

    The expected largest of so many counts of a multinomial distribution, by the normal
    approximation of extremes: 1 + sqrt(2 ln q * (q - 1) / flows).
    """
    if queues <= 1:
        return 1.0
    return 1 + math.sqrt(2 * math.log(queues) * (queues - 1) / flows)


def forward(
    core_pps: float, cores: int, ceilings: Mapping[str, float], flows: int | None = None
) -> Forwarded:
    """What so many cores forward without loss: the fullest queue decides, then the ceilings.

    `flows` are those of all queues together; None: spread evenly. Never falls with cores as long as
    flows spread evenly.
    """
    able = core_pps * cores / (1.0 if flows is None else hottest_queue(flows, cores))
    part, least = min(ceilings.items(), key=lambda one: one[1], default=("", math.inf))
    return Forwarded(able, "core") if able <= least else Forwarded(least, part)
