"""Plausible: what a counter can't have counted and a share can't be.

Found in the field: counts that ran below zero and stand near 2^64 or at
39,406,496,739,481,088, ``-nan``, shares of -35 % or 180 %, an uncore at 7 GHz. None of these is
printed as a fact.
"""

from __future__ import annotations

import math

_WRAPPED = 2.0**63
_COUNTER_BITS = 48
_PER_CYCLE = 64
"""No event counts more a cycle: the queue beyond L2 that occupancy events count has 48 places."""
_HIGHEST_HZ = 6.5e9
_ROUNDING = 1e-9


def impossible_count(
    value: float, cycles: float | None = None, seconds: float | None = None
) -> str | None:
    """Why a count can't be, or None.

    `cycles` are those of the same round and place, `seconds` its length where one thread counted.
    """
    if not math.isfinite(value) or value < 0:
        return f"is {value:.4g}, which is not a count"
    if value >= _WRAPPED:
        return f"is {value:.4g}, near 2^64: the counter ran below zero"
    if cycles is not None and cycles > 0 and value > _PER_CYCLE * cycles:
        return f"is {value / cycles:.3g} a cycle, more than {_PER_CYCLE}"
    if cycles is None and value > 2.0**_COUNTER_BITS:
        return f"is {value:.4g}, more than the {_COUNTER_BITS} bits of a counter hold"
    if seconds is not None and seconds > 0 and value > _PER_CYCLE * _HIGHEST_HZ * seconds:
        return f"is {value / seconds:.3g} a second, more than any core can count"
    return None


def impossible_clock(hz: float) -> str | None:
    """Why a clock can't have this frequency, or None."""
    if not math.isfinite(hz) or hz < 0 or hz > _HIGHEST_HZ:
        return f"a clock of {hz / 1e9:.3g} GHz is not possible"
    return None


def impossible_share(share: float) -> str | None:
    """Why a share can't be, or None: ``-35.0 %: below 0 %``."""
    if math.isnan(share):
        return "nothing was counted: 0/0"
    if not math.isfinite(share):
        return "something was divided by a count of 0"
    if share < -_ROUNDING:
        return f"{100 * share:.4g} %: below 0 %"
    if share > 1 + _ROUNDING:
        return f"{100 * share:.4g} %: above 100 %"
    return None
