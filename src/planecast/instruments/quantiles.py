"""A quantile and its interval, for samples that come in turns."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike, NDArray


def turn_quantile(
    values: ArrayLike,
    turns: ArrayLike,
    probability: float = 0.1,
    resamples: int = 200,
    seed: int = 1,
) -> tuple[float, float, float]:
    """The quantile at `probability`, and the ends of its 95 % interval, in the unit of `values`.

    `turns` numbers the turn that each value was taken in. Values of one turn saw the same state of
    the machine, so they are no independent samples: the bootstrap draws whole turns. Raises
    ValueError when there are no values.
    """
    sample = np.asarray(values, dtype=np.float64)
    if sample.size == 0:
        raise ValueError("no values to take a quantile of")
    value = float(np.quantile(sample, probability))
    names, numbered = np.unique(np.asarray(turns), return_inverse=True)
    drawn = _draw_turns(len(names), resamples, seed)
    return _with_ends(value, _resampled(sample, numbered, drawn, probability))


def turn_quantile_ratio(
    top: ArrayLike,
    top_turns: ArrayLike,
    bottom: ArrayLike,
    bottom_turns: ArrayLike,
    *,
    probability: float = 0.1,
    resamples: int = 200,
    seed: int = 1,
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
    drawn = _draw_turns(len(shared), resamples, seed)
    resampled = [
        _resampled(sample[keep], np.searchsorted(shared, turn[keep]), drawn, probability)
        for sample, turn, keep in zip(samples, turns, kept, strict=True)
    ]
    whole = [
        float(np.quantile(sample[keep], probability))
        for sample, keep in zip(samples, kept, strict=True)
    ]
    return _with_ends(whole[0] / whole[1], resampled[0] / resampled[1])


def _draw_turns(turns: int, resamples: int, seed: int) -> NDArray[np.int64]:
    """How often each turn is drawn, a row a resample."""
    random = np.random.default_rng(seed)
    return random.multinomial(turns, np.full(turns, 1 / turns), resamples)


def _resampled(
    sample: NDArray[np.float64],
    numbered: NDArray[np.intp],
    drawn: NDArray[np.int64],
    probability: float,
) -> NDArray[np.float64]:
    """The quantile of each resample; `numbered` is each value's turn."""
    order = np.argsort(sample)
    # A turn drawn twice counts twice: the quantile of a resample is one of weighted values.
    reached: NDArray[np.int64] = np.cumsum(drawn[:, numbered[order]], axis=1)
    at = np.argmax(reached >= probability * reached[:, -1:], axis=1)
    found: NDArray[np.float64] = sample[order][at]
    return found


def _with_ends(value: float, resampled: NDArray[np.float64]) -> tuple[float, float, float]:
    low, high = np.quantile(resampled, [0.025, 0.975])
    return value, min(float(low), value), max(float(high), value)
