"""RFC 9004, back-to-back frames: the longest burst at the highest rate that loses nothing.

It updates RFC 2544 section 26.4: the burst is repeated, averaged, and turned into the time that the
buffer holds, corrected by what the data plane forwards while the burst comes in.
"""

from __future__ import annotations

from planecast.errors import RunError
from planecast.results.estimate import Kind
from planecast.results.search import BurstAnswer
from planecast.results.student import mean_estimate
from planecast.search.session import Session
from planecast.search.tester import Ceiling

LONGEST_S = 2.0
"""Bursts of so long a time are the longest (RFC 9004, section 6.2)."""
_RESOLUTION = 0.005
"""The search for a length ends when it would change by less than this share, or one packet."""


def longest_burst(session: Session, ceiling: Ceiling, longest_s: float = LONGEST_S) -> int:
    """Packets of the longest burst without a loss, in one repetition; 0 when two are too many.

    Raises RunError when the longest burst of all is no problem: then the throughput is that of the
    link, and there is no buffer to be seen (RFC 9004, section 6.1).
    """
    low, high = 0, max(int(longest_s * ceiling.pps), 2)
    if session.burst(high, ceiling.pps).lost == 0:
        raise RunError(
            f"{longest_s:g} s at {ceiling.pps / 1e6:.4g} Mpps lose nothing, so no buffer was ever "
            f"filled: capped by {ceiling.by} ({ceiling.why})",
            "back-to-back",
            "the test is for a data plane that is slower than what feeds it",
        )
    length = 64
    while high - low > max(1, _RESOLUTION * high):
        length = min(length, (low + high) // 2) if low else min(length, high - 1)
        if session.burst(length, ceiling.pps).lost:
            high = length
            length = (low + high) // 2
        else:
            low = length
            length = min(2 * length, (low + high) // 2) if high <= 2 * length else 2 * length
        session.closing(
            f"repetition {session.repetition + 1}: {low:,}–{high:,} packets, "
            f"{session.trials_here} trials"
        )
        if length <= low:
            length = low + 1
    return low


def burst_answer(
    lengths: list[int], ceiling: Ceiling, throughput_pps: float, kind: Kind
) -> BurstAnswer:
    """The mean burst, and the buffer that it implies. `throughput_pps` is RFC 2544's."""
    packets = mean_estimate([float(length) for length in lengths], "packets", kind)
    implied = packets.value / ceiling.pps
    return BurstAnswer(
        packets=packets,
        rate_pps=ceiling.pps,
        implied_s=implied,
        corrected_s=implied * max(1 - throughput_pps / ceiling.pps, 0.0),
    )
