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
    turn = np.asarray(turns)
    if sample.size == 0:
        raise ValueError("no values to take a quantile of")
    value = float(np.quantile(sample, probability))
    order = np.argsort(sample)
    _, numbered = np.unique(turn[order], return_inverse=True)
    turns_in_all = int(numbered.max()) + 1
    random = np.random.default_rng(seed)
    drawn = random.multinomial(turns_in_all, np.full(turns_in_all, 1 / turns_in_all), resamples)
    # A turn drawn twice counts twice: the quantile of a resample is one of weighted values.
    reached: NDArray[np.int64] = np.cumsum(drawn[:, numbered], axis=1)
    at = np.argmax(reached >= probability * reached[:, -1:], axis=1)
    low, high = np.quantile(sample[order][at], [0.025, 0.975])
    return value, min(float(low), value), max(float(high), value)
