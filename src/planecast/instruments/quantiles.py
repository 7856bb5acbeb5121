"""A quantile and its interval, for samples that come in turns."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike, NDArray


def turn_quantile(
    values: ArrayLike,
    turns: ArrayLike,
    probability: float = 0.1,
    resamples: int = 200,
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
    drawn = draw_turns(len(names), resamples)
    return with_ends(value, resampled(sample, numbered, drawn, probability))


def draw_turns(turns: int, resamples: int) -> NDArray[np.int64]:
    """How often each turn is drawn, a row a resample."""
    random = np.random.default_rng(1)
    return random.multinomial(turns, np.full(turns, 1 / turns), resamples)


def resampled(
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


def with_ends(value: float, resamples: NDArray[np.float64]) -> tuple[float, float, float]:
    """A value and the ends of its 95 % interval, from its resamples."""
    low, high = np.quantile(resamples, [0.025, 0.975])
    return value, min(float(low), value), max(float(high), value)
