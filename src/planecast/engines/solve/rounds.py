"""How rte_acl's search fills its rounds: what it costs follows the rounds begun.

The search walks so many packets at once (its lanes) from root to leaf, and takes the next ones when
those have ended. Our rules test all five fields, so all walks are equally long and end together: a
burst takes whole rounds, and lanes without a packet walk along, but ask memory for nothing. Counted
instructions have three parts: by packet, by round, and by burst. The last costs next to nothing
(other work hides it); the first two are told apart by bursts that leave lanes empty. Source: DPDK's
acl_run_avx512_common.h and acl_run_sse.h.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from planecast.instruments.counts import StageInstructions

WIDE_SEARCH = 16
"""Packets that rte_acl walks through its tries at once, given so many."""

LANES = (WIDE_SEARCH, 8, 4)
"""Packets that it walks at once, given so many: the widest search that they fill."""

LONG_BURST = 64
"""Packets of a burst whose wide search is long rounds and next to nothing else."""


@dataclass(frozen=True)
class _Parts:
    """Instructions of the wide search."""

    packet: float
    """Of each packet."""
    burst: float
    """Of each burst."""


def _parts(counted: StageInstructions) -> _Parts:
    """Least squares over the wide bursts; by packet there is nothing where all lanes were full."""
    wide = [point for point in counted.counted if point.burst >= WIDE_SEARCH]
    bursts = np.array([point.burst for point in wide])
    rounds = np.ceil(bursts / WIDE_SEARCH)
    columns = np.stack([bursts, rounds, np.ones(len(wide))], axis=1)
    told_apart = np.any(bursts % WIDE_SEARCH)
    if len(wide) < 2 or (told_apart and len(wide) < 3):
        return _Parts(0.0, 0.0)
    if not told_apart:
        columns[:, 0] = 0.0
    whole = np.array([point.per_packet * point.burst for point in wide])
    packet, _, burst = np.linalg.lstsq(columns, whole, rcond=None)[0]
    return _Parts(max(float(packet), 0.0), max(float(burst), 0.0))


def walked(counted: StageInstructions, burst: int) -> float:
    """Instructions a packet that lanes without a packet walk along for, in units of full rounds'
    ones: what `searched` has beyond full rounds. None of narrow searches."""
    if burst < WIDE_SEARCH:
        return 0.0
    return searched(counted, burst) - searched(counted, LONG_BURST)


def searched(counted: StageInstructions, burst: int) -> float:
    """Instructions a packet of the search in bursts of so many, in units of full rounds' ones.

    As counted where every lane has a packet (of the wide search: in long bursts); where lanes are
    empty, as many more as there are more rounds.
    """
    lanes = next((n for n in LANES if burst >= n), 0)
    if not lanes:
        return counted.at(burst)
    full = counted.at(LONG_BURST if lanes == WIDE_SEARCH else lanes)
    parts = _parts(counted)
    of_burst = parts.burst / (LONG_BURST if lanes == WIDE_SEARCH else lanes)
    of_rounds = max(full - of_burst - parts.packet, 0.0)
    begun = -(-burst // lanes) * lanes / burst
    if of_rounds == 0:
        return full * begun
    return full * (parts.packet + of_rounds * begun) / (parts.packet + of_rounds)
