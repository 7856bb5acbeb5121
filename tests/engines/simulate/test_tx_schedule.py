"""When a generator sends that is preempted now and then."""

from __future__ import annotations

import numpy as np
import pytest

from planecast.engines.simulate.tx_schedule import Floats, TxSchedule

RATE, SECONDS, CATCH_UP_S, PACE = 5e6, 0.003, 10e-6, 10e6
NEVER = np.array([])


def sending(at_once: float = 1.0, rate: float = RATE) -> TxSchedule:
    return TxSchedule(rate, SECONDS, at_once, CATCH_UP_S, PACE)


def instants(
    one: TxSchedule, starts: Floats = NEVER, lengths: Floats = NEVER
) -> tuple[Floats, int]:
    return one.instants(starts, lengths, np.random.default_rng(1))


def test_nothing_pauses() -> None:
    sent, unsent = instants(sending())
    assert unsent == 0
    assert sent == pytest.approx(np.arange(15_000) / RATE)


def test_batches_go_when_their_last_packet_is_due() -> None:
    sent, unsent = instants(sending(at_once=2.5))
    assert (len(sent), unsent) == (15_000, 0)
    _, sizes = np.unique(sent, return_counts=True)
    assert set(sizes[:-1]) == {2, 3}
    assert sizes.mean() == pytest.approx(2.5, rel=0.02)
    assert np.all(sent >= np.arange(15_000) / RATE)


def test_what_is_due_in_a_pause_goes_after_it_burst_by_burst() -> None:
    """8 us: 40 packets. 32 go at its end, the others and what came due since 3.2 us later."""
    sent, unsent = instants(sending(), np.array([1.00001e-3]), np.array([8e-6]))
    assert (len(sent), unsent) == (15_000, 0)
    end = 1.00001e-3 + 8e-6
    assert np.sum(np.isclose(sent, end, rtol=0, atol=1e-12)) == 32
    assert np.sum(np.isclose(sent, end + 3.2e-6, rtol=0, atol=1e-12)) == 24
    # 8 us at 5 Mpps take another 8 us at 10 Mpps, and a burst.
    assert sent[5200:] == pytest.approx(np.arange(5200, 15_000) / RATE)


def test_what_is_too_late_is_given_up() -> None:
    """25 us: what was due in its first 15 is."""
    sent, unsent = instants(sending(), np.array([1.00001e-3]), np.array([25e-6]))
    assert unsent == 75
    assert len(sent) + unsent == 15_000
    assert not np.any((sent > 1.00001e-3) & (sent < 1.02501e-3 - 1e-9))


def test_what_is_given_up_in_the_warm_up_does_not_count() -> None:
    one = TxSchedule(RATE, 0.002, 1.0, CATCH_UP_S, PACE, warm_up_s=0.001)
    starts = np.array([0.5e-3, 1.5e-3]) + 1e-8
    sent, unsent = one.instants(starts, np.array([25e-6, 25e-6]), np.random.default_rng(1))
    assert unsent == 75
    assert len(sent) == 15_000 - 150
    assert np.sum(sent >= 0.001) == 10_000 - 75


def test_a_pause_over_the_end() -> None:
    sent, unsent = instants(sending(), np.array([SECONDS - 20e-6]), np.array([1e-3]))
    assert unsent == 100
    assert sent[-1] < SECONDS - 20e-6


def test_a_generator_that_is_too_slow_still_ends() -> None:
    sent, unsent = instants(sending(rate=2 * PACE), np.array([1e-3]), np.array([5e-6]))
    assert len(sent) + unsent == 60_000
    assert np.all(np.diff(sent) >= 0)


@pytest.mark.parametrize("seed", range(5))
def test_it_never_goes_back_nor_sends_before_due(seed: int) -> None:
    random = np.random.default_rng(seed)
    starts = np.sort(random.random(20)) * SECONDS
    lengths = np.minimum(random.exponential(10e-6, 20), np.diff(starts, append=SECONDS))
    one = sending(at_once=1.7)
    sent, unsent = one.instants(starts, lengths, random)
    assert len(sent) + unsent == 15_000
    assert np.all(np.diff(sent) >= 0)
    for start, length in zip(starts, lengths, strict=True):
        assert not np.any((sent > start) & (sent < start + length - 1e-12))
