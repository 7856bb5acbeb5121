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
_FIRST = 64
"""Packets of the first burst."""
_RESOLUTION = 0.005
"""The search for a length ends when it would change by less than this share, or one packet."""


def longest_burst(session: Session, ceiling: Ceiling) -> int:
    """Packets of the longest burst without a loss, in one repetition; 0 when one is too many.

    Bursts double until one loses something, so that no longer ones are sent than needed: of those
    that take seconds a generator on a shared machine sends hardly any whole. Raises RunError when
    the longest of all is no problem: then the throughput is that of the link, and there is no
    buffer to be seen (RFC 9004, section 6.1).
    """
    longest = max(int(LONGEST_S * ceiling.pps), 2)
    low, high, length = 0, None, min(_FIRST, longest)
    while high is None or high - low > max(1, _RESOLUTION * high):
        if session.burst(length, ceiling.pps).lost:
            high = length
        else:
            low = length
        if low == longest:
            raise RunError(
                f"{LONGEST_S:g} s at {ceiling.pps / 1e6:.4g} Mpps lose nothing, so no buffer was "
                f"ever filled: capped by {ceiling.by} ({ceiling.why})",
                "back-to-back",
                "the test is for a data plane that is slower than what feeds it",
            )
        length = min(2 * low, longest) if high is None else (low + high) // 2
        session.closing(
            f"repetition {session.repetition + 1}: {low:,}–{high or longest:,} packets, "
            f"{session.trials_here} trials"
        )
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
