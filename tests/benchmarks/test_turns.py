"""What the turns of two programs say."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType

import numpy as np
import pytest

from planecast.instruments.quantiles import turn_quantile

ROOT = Path(__file__).parents[2]
QUIET, BUSY = 2.8, 4.0


@pytest.fixture
def turns(monkeypatch: pytest.MonkeyPatch) -> Iterator[ModuleType]:
    monkeypatch.syspath_prepend(str(ROOT / "benchmarks"))
    import turns

    yield turns
    sys.modules.pop("turns", None)


def _sides(turns: ModuleType, quiet_starts: int) -> tuple[object, object]:
    """Ours takes 20 cycles and the peer 25; with a busy sibling ours 30 and the peer 31."""
    random = np.random.default_rng(3)
    sides = turns.Costs(), turns.Costs()
    for turn in range(turns.RESTARTS * turns.TURNS):
        restart = turn // turns.TURNS
        quiet = restart < quiet_starts and turn % turns.TURNS < 20
        for side, cost in zip(sides, (20, 25) if quiet else (30, 31), strict=True):
            for _ in range(4):
                side.cycles.append(cost * (1 + 0.01 * random.random()))
                side.canaries.append((QUIET, QUIET) if quiet else (BUSY, BUSY))
                side.turns.append(turn)
                side.restarts.append(restart)
    return sides


def test_undisturbed_turns_alone_count_when_there_are_enough(turns: ModuleType) -> None:
    found = turns.compared(_sides(turns, quiet_starts=3))
    assert found.undisturbed
    assert found.ratio.value == pytest.approx(0.8, rel=0.01)
    assert found.ratio.covers(0.8)
    assert found.ours.value == pytest.approx(20, rel=0.02)
    assert found.shares[0] == pytest.approx(3 * 20 / (turns.RESTARTS * turns.TURNS))


def test_one_start_is_not_enough(turns: ModuleType) -> None:
    found = turns.compared(_sides(turns, quiet_starts=1))
    assert not found.undisturbed
    assert found.ratio.value == pytest.approx(30 / 31, rel=0.01)
    assert found.ratio.samples == 4 * turns.RESTARTS * turns.TURNS


def test_ratio_of_what_shared_its_turns_is_narrower(turns: ModuleType) -> None:
    random = np.random.default_rng(7)
    states = 1 + random.exponential(0.3, 60)  # a slow turn is slow for both
    taken = np.repeat(np.arange(60), 16)
    top = 2.0 * states[taken] * (1 + 0.01 * random.random(taken.size))
    bottom = states[taken] * (1 + 0.01 * random.random(taken.size))
    value, low, high = turns.turn_quantile_ratio(top, taken, bottom, taken)
    assert low <= 2.0 <= high
    assert value == pytest.approx(2.0, rel=0.02)
    alone, least, most = turn_quantile(top, taken)
    assert (high - low) / value < (most - least) / alone / 2


def test_ratio_leaves_out_turns_of_one_side_alone(turns: ModuleType) -> None:
    value, low, high = turns.turn_quantile_ratio([2, 2, 100], [0, 0, 1], [1, 1, 9], [0, 0, 2])
    assert (value, low, high) == (2.0, 2.0, 2.0)


@pytest.mark.parametrize("bottom", [([], []), ([1.0], [5])])
def test_ratio_of_nothing_in_common_is_refused(
    turns: ModuleType, bottom: tuple[list[float], list[int]]
) -> None:
    with pytest.raises(ValueError, match=r"no values|same turn"):
        turns.turn_quantile_ratio([1.0], [0], *bottom)
