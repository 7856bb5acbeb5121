"""Ours and a peer in turns on one CPU, and what their windows say: costs and their ratio.

Both processes run at once with the same port, pages and bursts, and only one of them forwards at
a time, for some milliseconds; the other sleeps. Windows, clock and canaries are alike: ours has
them in its loop, the peer by the meter in its port. Costs are the port's and the program's.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from planecast.dataplanes import Dataplane, Trial, configs_for
from planecast.dataplanes.external_dpdk import ExternalDpdk, ExternalDpdkPlan
from planecast.dataplanes.trial import Windows
from planecast.engines.measure.estimate import QUANTILE, cost_of_windows
from planecast.errors import RunError
from planecast.instruments.canary import low_mode, undisturbed
from planecast.instruments.quantiles import draw_turns, resampled, with_ends
from planecast.results import Estimate
from planecast.scenario import Scenario

RESTARTS = 4
TURNS = 100
WINDOWS = 32
PACKETS = 8192
"""Of a window: between 50 and 500 µs at what these programs cost, as in a measurement."""
WARMUP = 16384
RESAMPLES = 200
MIN_TURNS = 5
MIN_STARTS = 2
"""As many starts want as many turns in which both have undisturbed windows; with fewer, all windows
count."""


class Kept(NamedTuple):
    """The windows that count, as columns."""

    cycles: NDArray[np.float64]
    """TSC cycles a packet."""
    turns: NDArray[np.int64]
    restarts: NDArray[np.int64]


@dataclass
class Costs:
    """Windows of one side, over all turns."""

    cycles: list[float] = field(default_factory=list)
    """TSC cycles a packet."""
    canaries: list[tuple[float, float]] = field(default_factory=list)
    turns: list[int] = field(default_factory=list)
    restarts: list[int] = field(default_factory=list)

    def add(self, windows: Windows, turn: int, restart: int) -> None:
        """Adds a trial's windows."""
        self.cycles += [c / p for c, p in zip(windows.cycles, windows.packets, strict=True)]
        self.canaries += windows.canary_compute
        self.turns += [turn] * windows.count
        self.restarts += [restart] * windows.count

    def undisturbed(self, quiet: float) -> NDArray[np.bool_]:
        """Which windows are undisturbed; `quiet` is what a canary costs when they are."""
        return undisturbed(self.canaries, quiet)

    def turns_of(self, good: NDArray[np.bool_]) -> set[int]:
        """The turns that have some of those windows."""
        return set(np.asarray(self.turns)[good].tolist())

    def kept(self, good: NDArray[np.bool_]) -> Kept:
        """Those windows as columns."""
        columns: list[NDArray[Any]] = [
            np.asarray(column)[good] for column in (self.cycles, self.turns, self.restarts)
        ]
        return Kept(*columns)


class Comparison(NamedTuple):
    """What the turns found."""

    ours: Estimate
    """TSC cycles a packet."""
    peer: Estimate
    ratio: Estimate
    """Of the two, turn by turn: narrower than of two independent estimates."""
    shares: tuple[float, float]
    """Undisturbed windows of both, 0 to 1."""
    undisturbed: bool
    """Whether those alone count; otherwise all do, and the costs are too high, likely alike."""


def compare(ours: Scenario, vdevs: Sequence[str], peer: ExternalDpdkPlan) -> Comparison:
    """Takes turns. Packets go in at the first port and out at the last. Raises what they raise."""
    config = replace(configs_for([ours])[0], rx="0", tx=str(len(vdevs) - 1))
    arguments = [word for vdev in vdevs for word in ("--vdev", vdev)]
    sides = Costs(), Costs()
    for restart in range(RESTARTS):
        with Dataplane(config, arguments) as mine, ExternalDpdk(peer) as theirs:
            pages = _turns(mine, ours, theirs, sides, restart)
            if pages != theirs.page_size:
                raise RunError(f"ours has pages of {pages}, {peer.name} of {theirs.page_size}")
    return compared(sides)


def compared(sides: tuple[Costs, Costs]) -> Comparison:
    """Costs and ratio: of undisturbed windows, or of all when too few turns have some of both.

    A handful of turns, perhaps of one start, would give an interval that is narrow and wrong.
    """
    quiet = low_mode([canary for side in sides for canary in side.canaries])
    good = [side.undisturbed(quiet) for side in sides]
    shares = float(good[0].mean()), float(good[1].mean())
    both = sides[0].turns_of(good[0]) & sides[1].turns_of(good[1])
    of_starts = [sum(turn // TURNS == restart for turn in both) for restart in range(RESTARTS)]
    enough = sum(turns >= MIN_TURNS for turns in of_starts) >= MIN_STARTS
    kept = [
        side.kept(mask if enough else np.ones_like(mask))
        for side, mask in zip(sides, good, strict=True)
    ]
    return Comparison(
        cost_of_windows(*kept[0]), cost_of_windows(*kept[1]), paired_ratio(*kept), shares, enough
    )


def _turns(
    mine: Dataplane, ours: Scenario, theirs: ExternalDpdk, sides: tuple[Costs, Costs], restart: int
) -> str:
    """The turns of one start of both; ours' page size. Raises RunError when ours drops packets."""
    trial = Trial(windows=WINDOWS, packets=PACKETS, warmup=WARMUP, scenario=ours)
    pages = ""
    for turn in range(restart * TURNS, (restart + 1) * TURNS):
        # Who goes first changes: a state of the machine that begins in a turn favours none.
        for side in (turn % 2, 1 - turn % 2):
            if side == 1:
                measured = theirs.trial(WINDOWS, PACKETS, WARMUP)
                sides[1].add(measured.windows, turn, restart)
                continue
            answer = mine.trial(trial)
            if sum(answer.drops.values()) > 0:
                raise RunError(f"ours dropped packets: {answer.drops}")
            sides[0].add(answer.lcores[0].windows, turn, restart)
            pages = answer.page_size
    return pages


def paired_ratio(ours: Kept, peer: Kept) -> Estimate:
    """Ours over the peer's cost; wider by what restarts differ in, as a cost is."""
    value, low, high = turn_quantile_ratio(
        ours.cycles, ours.turns, peer.cycles, peer.turns, QUANTILE
    )
    ratios = [
        float(np.quantile(ours.cycles[ours.restarts == restart], QUANTILE))
        / float(np.quantile(peer.cycles[peer.restarts == restart], QUANTILE))
        for restart in np.intersect1d(ours.restarts, peer.restarts)
    ]
    extra = 1.96 * float(np.std(ratios, ddof=1)) / len(ratios) ** 0.5 if len(ratios) > 1 else 0.0
    return Estimate(
        value=value,
        low=max(value - float(np.hypot(value - low, extra)), 0.0),
        high=value + float(np.hypot(high - value, extra)),
        samples=min(ours.cycles.size, peer.cycles.size),
        unit="ratio",
        kind="computed",
    )


def turn_quantile_ratio(
    top: ArrayLike,
    top_turns: ArrayLike,
    bottom: ArrayLike,
    bottom_turns: ArrayLike,
    probability: float = 0.1,
) -> tuple[float, float, float]:
    """The quantile of `top` over that of `bottom`, and the ends of its 95 % interval.

    Two things that were measured in the same turns saw the same states of the machine: the
    bootstrap draws each turn with the values of both, so a slow turn cancels out of the ratio.
    `bottom` holds positive values. Raises ValueError when either has none, or they share no turn.
    """
    samples = [np.asarray(values, dtype=np.float64) for values in (top, bottom)]
    turns = [np.asarray(top_turns), np.asarray(bottom_turns)]
    if not all(sample.size > 0 for sample in samples):
        raise ValueError("no values to take a quantile of")
    shared = np.intersect1d(turns[0], turns[1])
    if shared.size == 0:
        raise ValueError("nothing was measured in the same turn")
    kept = [np.isin(turn, shared) for turn in turns]
    drawn = draw_turns(len(shared), RESAMPLES)
    tried = [
        resampled(sample[keep], np.searchsorted(shared, turn[keep]), drawn, probability)
        for sample, turn, keep in zip(samples, turns, kept, strict=True)
    ]
    whole = [
        float(np.quantile(sample[keep], probability))
        for sample, keep in zip(samples, kept, strict=True)
    ]
    return with_ends(whole[0] / whole[1], tried[0] / tried[1])
