"""Interruptions of a run: what is made up comes back, and what isn't there stays nothing."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.typing import NDArray

from planecast.calibrate.preemption import interruptions, recorded_interruptions
from planecast.errors import InputError

TSC_HZ = 2.5e9
WINDOW = 250_000.0  # cycles: 100 us


def trials(
    rate: float, length_us: float, visits: int = 400, windows: int = 64, seed: int = 1
) -> dict[str, NDArray[np.generic]]:
    """Windows of two lcores at costs of their own, interrupted at random."""
    random = np.random.default_rng(seed)
    count = visits * windows
    visit = np.repeat(np.arange(visits), windows)
    own = WINDOW * (1 + (visit % 5)) * random.normal(1, 0.02, count)
    hits = random.poisson(rate * own / TSC_HZ)
    away = np.array([random.exponential(length_us * 1e-6 * TSC_HZ, n).sum() for n in hits])
    return {
        "point": visit % 5,
        "visit": visit,
        "cpu": visit % 2,
        "cycles": (own + away).astype(np.int64),
    }


def test_rate_and_length_come_back() -> None:
    """Long ones: of exponential lengths of 20 ms next to none is shorter than 750 us.

    20 in a second of an lcore's own time are fewer in a second of all time.
    """
    found = interruptions(trials(20, 20_000), TSC_HZ, "here")
    assert found.count / found.seconds == pytest.approx(20, rel=0.25)
    mean_s = found.interference.duration_us * 1e-6
    away = found.count * mean_s
    assert found.interference.per_second * mean_s == pytest.approx(away / (away + found.seconds))
    assert found.interference.per_second < found.count / found.seconds
    assert found.interference.duration_us == pytest.approx(20_000, rel=0.25)
    assert found.interference.spread == pytest.approx(1, abs=0.25)
    assert found.seconds == pytest.approx(400 * 64 * 3 * WINDOW / TSC_HZ, rel=0.02)
    assert "times a second" in found.sentence("here")


def test_rare_ones_come_at_their_rate() -> None:
    found = interruptions(trials(5, 2000, visits=2000), TSC_HZ, "here")
    assert found.interference.per_second == pytest.approx(found.count / found.seconds, rel=0.02)


def test_none_is_none() -> None:
    found = interruptions(trials(0, 1), TSC_HZ, "here")
    assert (found.count, found.interference.per_second) == (0, 0.0)
    assert found.shortest_us == pytest.approx(1.5 * 300, rel=0.4)


def test_a_curve_s_recordings() -> None:
    """Three pauses of the one CPU in 0.2 s, of the other one none."""
    rows = [(0, 1, 100.0, 10.0), (0, 1, 900.0, 20.0), (1, 1, 50.0, 30.0), (0, 0, 0.0, 0.0)]
    found = recorded_interruptions(
        {
            "round": np.array([row[0] for row in rows]),
            "cpu": np.array([row[1] for row in rows]),
            "watched_s": np.full(len(rows), 0.1),
            "start_us": np.array([row[2] for row in rows]),
            "length_us": np.array([row[3] for row in rows]),
        },
        1,
        "here",
    )
    assert found.count == 3
    assert found.seconds == pytest.approx(0.2 - 60e-6)
    assert found.interference.duration_us == pytest.approx(20)
    assert found.interference.per_second == pytest.approx(15, rel=1e-2)
    with pytest.raises(InputError, match="here: CPU 7 was not watched"):
        recorded_interruptions({"cpu": np.array([1.0])}, 7, "here")


def test_a_table_without_windows() -> None:
    with pytest.raises(InputError, match="here: the trials have no windows: no column point"):
        interruptions({}, TSC_HZ, "here")
