"""What a byte costs where frames are copied: through a virtual machine, by published rates.

What a copying port takes for a byte is its own and not the suite's: it is taken from the other
suites' frames of 64 and 1518 bytes on one core, and gives a suite's larger frames from its 64-byte
rate alone (`machine.frame_cost`).
"""

from __future__ import annotations

from collections.abc import Sequence
from statistics import median

from planecast.machine.frame_cost import FrameCost
from planecast.reproduce.claim import (
    Alternative,
    Claim,
    Table,
    against,
    checks_of,
    error_percent,
    mean_baseline,
    mean_goal,
)
from planecast.reproduce.core_rates import Suite, suites
from planecast.reproduce.documents import Figure
from planecast.reproduce.measured import absent
from planecast.reproduce.provenance import Traced

NUMBER = 9
TITLE = "Larger frames on one core, through a virtual machine"
_SMALL, _LARGE = "64B", "1518B"


def table() -> Table:
    """IMIX and 1518 bytes of every suite that has a virtual machine."""
    every = [one for one in suites() if "vm" in one.name]
    if not every:
        return absent(NUMBER, TITLE)
    claims: list[Claim] = []
    by_ratio: list[float] = []
    for suite in every:
        small = _same(suite, _SMALL, every)
        if suite.frame == _SMALL or small is None:
            continue
        figure = Figure(value=dict(suite.mpps)[1], unit="Mpps", place=suite.file)
        rate = dict(small.mpps)[1]
        by_ratio.append(error_percent(rate * _others_ratio(suite, every), figure))
        claims.append(
            against(
                f"bytes.{suite.key}",
                f"{suite.name} {suite.frame} {suite.card}, 1 core",
                Traced.of(_predicted, suite, every),
                figure,
                Traced.of(suite.rate, 1).ids,
                bound=10.0,
                alternative=Alternative("no cost by byte: the rate of 64 B", rate),
            )
        )
    checks = checks_of(claims)
    same = [claim.alternative_error_percent or 0.0 for claim in checks]
    byte = median(cost.byte_ns for cost in _costs(every))
    return Table(
        number=NUMBER,
        title=TITLE,
        claims=tuple(claims),
        goals=(mean_goal("bytes.mean", "mean error of larger frames' rates", checks, 8.0),),
        baselines=(
            mean_baseline("bytes.none", "no cost by byte", checks, same),
            mean_baseline("bytes.ratio", "the others' median ratio to 64 B", checks, by_ratio),
        ),
        notes=(f"the suites' median is {byte:.3f} ns a byte, into the machine and out of it",),
    )


def _same(suite: Suite, frame: str, every: Sequence[Suite]) -> Suite | None:
    return next((one for one in every if one.pair == suite.pair and one.frame == frame), None)


def _costs(every: Sequence[Suite]) -> list[FrameCost]:
    """What a byte costs in each suite that has both sizes."""
    found = []
    for suite in every:
        large = _same(suite, _LARGE, every)
        if suite.frame == _SMALL and large is not None:
            ends = [(one.frame_bytes, 1e3 / one.rate(1)) for one in (suite, large)]
            found.append(FrameCost.fitted(ends))
    return found


def _predicted(suite: Suite, every: Sequence[Suite]) -> float:
    """Mpps of one core, from its rate of 64 B and what a byte costs in the other suites."""
    small = _same(suite, _SMALL, every)
    assert small is not None
    others = [one for one in every if one.pair != suite.pair]
    byte = median(cost.byte_ns for cost in _costs(others))
    own = FrameCost(0.0, byte).at(small.frame_bytes, 1e3 / small.rate(1))
    return 1e3 / own.ns(suite.frame_bytes)


def _others_ratio(suite: Suite, every: Sequence[Suite]) -> float:
    ratios = []
    for one in every:
        small = _same(one, _SMALL, every)
        if one.frame == suite.frame and one.pair != suite.pair and small is not None:
            ratios.append(dict(one.mpps)[1] / dict(small.mpps)[1])
    return median(ratios)
