"""From the bounds of some repetitions to one rate with an interval, and to what capped it."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Sequence
from itertools import pairwise

import numpy as np

from planecast.results.estimate import Estimate, Kind
from planecast.results.search import Bounds, FoundRate
from planecast.results.student import half_width, median_half_width
from planecast.search.repetitions import middle
from planecast.search.tester import Ceiling

DATAPLANE = "data plane"
_FEWEST = 4
"""Repetitions from which on a median says more than a mean."""
_SAME = 0.99
"""Ceilings that are closer than this count as one."""


def rate_estimate(bounds: Sequence[Bounds], kind: Kind, model_share: float = 0.0) -> Estimate:
    """A rate from its bounds, repetition by repetition.

    The value is the median of their middles where they were measured, for a start that something
    disturbed all the time is slower than the others, and never faster; of simulated ones and of
    fewer than `_FEWEST` it is the mean. Independent uncertainties add up in the interval: where
    between its bounds the rate of a repetition lies (all that is known of one repetition), how much
    the middles differ from start to start (Student), and of a simulated rate what the calibration
    leaves open, `model_share` of the value. A repetition that met no upper bound has its lower one
    for a middle.
    """
    middles = [middle(bound) for bound in bounds]
    width = float(np.mean([middle(bound) - bound.low_pps for bound in bounds]))
    if kind == "measured" and len(middles) >= _FEWEST:
        value, spread = float(np.median(middles)), median_half_width(middles)
    else:
        value = float(np.mean(middles))
        spread = half_width(middles) if len(middles) > 1 else 0.0
    half = math.hypot(width, spread, model_share * value)
    return Estimate(
        value=value,
        low=max(value - half, 0.0),
        high=value + half,
        samples=len(bounds),
        unit="pps",
        kind=kind,
    )


def found_rate(
    bounds: Sequence[Bounds],
    loss_ratio: float | None,
    ceilings: Sequence[Ceiling],
    kind: Kind,
    causes: Counter[str] | None = None,
    *,
    model_share: float = 0.0,
) -> FoundRate:
    """The rate, and what kept it from being higher. `ceilings` are the repetitions' highest loads;
    `causes` counts what lost packets in the trials above it, where the engine knows; `model_share`
    as `rate_estimate` has it.

    A repetition that its ceiling capped says only that the data plane takes as much. Where all were
    capped the highest of them is the answer. Where some were, those below all others say nothing
    and are left out; with one above, the answer is the median, the capped ones at what they
    reached, without an interval: without the fast starts, of which more are capped where more loss
    is allowed, PDR could come out below NDR. Ceilings are never averaged.
    """
    met = [bound for bound in bounds if bound.high_pps is not None]
    capped = [
        (bound, ceiling)
        for bound, ceiling in zip(bounds, ceilings, strict=True)
        if bound.high_pps is None
    ]
    if not met:
        return _all_capped(bounds, loss_ratio, capped, kind)
    rate = rate_estimate(met, kind, model_share)
    by = causes.most_common(1)[0][0] if causes else DATAPLANE
    why = f"above it the {by} loses packets that were offered"
    if capped:
        best = max((ceiling for _, ceiling in capped), key=lambda ceiling: ceiling.pps)
        reached = sorted({f"{bound.low_pps / 1e6:.4g}" for bound, _ in capped}, key=float)
        why += (
            f"; {len(capped)} of {len(bounds)} repetitions met the goal at the highest load that "
            f"they had, {' to '.join(dict.fromkeys([reached[0], reached[-1]]))} Mpps, capped by "
            f"{best.by}"
        )
        least = min(bound.low_pps for bound in met)
        fast = [bound for bound, ceiling in capped if ceiling.pps > least]
        if fast:
            # How much faster the data plane was in those starts nobody knows.
            starts = [middle(bound) for bound in (*met, *fast)]
            value = float(np.median(starts))
            why += (
                f"; starts took from {min(starts) / 1e6:.4g} to at least {max(starts) / 1e6:.4g} "
                "Mpps, of which this is the median"
            )
            change = {"value": value, "low": None, "high": None, "samples": len(met) + len(fast)}
            rate, by = rate.model_copy(update=change), best.by
    if all(bound.low_pps == 0 for bound in bounds):
        why = "no load met the goal, not even the least: something loses packets at any rate"
    return FoundRate(
        loss_ratio=loss_ratio, rate_pps=rate, bounds=tuple(bounds), capped_by=by, why=why
    )


def _all_capped(
    bounds: Sequence[Bounds],
    loss_ratio: float | None,
    capped: Sequence[tuple[Bounds, Ceiling]],
    kind: Kind,
) -> FoundRate:
    """The data plane's own limit was never felt: an interval would be one of the ceilings."""
    best, ceiling = max(capped, key=lambda pair: pair[0].low_pps)
    rate = rate_estimate([best], kind).model_copy(update={"low": None, "high": None})
    why = f"capped by {ceiling.by}, not by the data plane: {ceiling.why}"
    others = [other.pps for _, other in capped]
    if min(others) < _SAME * max(others):
        why += f"; in another repetition {min(others) / 1e6:.4g}"
    return FoundRate(
        loss_ratio=loss_ratio, rate_pps=rate, bounds=tuple(bounds), capped_by=ceiling.by, why=why
    )


def equal_rates(rates: dict[str, FoundRate]) -> list[str]:
    """A note for each two goals whose rates can't be distinguished: people ask why."""
    found = []
    names = list(rates)
    for one, other in pairwise(names):
        a, b = rates[one].rate_pps, rates[other].rate_pps
        if (
            a.interval is None
            or b.interval is None
            or not (a.covers(b.value) and b.covers(a.value))
        ):
            continue
        found.append(
            f"{one} and {other} can't be distinguished: between the loads at which nothing and "
            "much is lost lies less than the bounds' width"
        )
    return found
