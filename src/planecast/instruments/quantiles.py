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
    groups: list[NDArray[np.float64]] = [sample[turn == t] for t in np.unique(turn)]
    random = np.random.default_rng(seed)
    drawn = random.integers(0, len(groups), size=(resamples, len(groups)))
    again = [np.quantile(np.concatenate([groups[i] for i in row]), probability) for row in drawn]
    low, high = np.quantile(again, [0.025, 0.975])
    return value, min(float(low), value), max(float(high), value)
