"""Trials wait for CPUs that a hypervisor moved apart."""

from __future__ import annotations

from collections.abc import Callable, Iterator

import pytest

from planecast.engines.measure import near_cpus
from planecast.engines.measure.near_cpus import LOOK_S, PATIENCE_S, NearCpus
from planecast.instruments import core_to_core
from planecast.instruments.core_to_core import CoreToCore


class Clock:
    """Time that passes when somebody sleeps."""

    def __init__(self) -> None:
        self.now = 1000.0

    def monotonic(self) -> float:
        return self.now

    def sleep(self, seconds: float) -> None:
        self.now += seconds


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> Clock:
    found = Clock()
    monkeypatch.setattr(near_cpus, "time", found)
    return found


@pytest.fixture
def looked(monkeypatch: pytest.MonkeyPatch, clock: Clock) -> Callable[..., NearCpus]:
    """Makes one whose looks find these ways, the last of them for ever."""

    def make(*ways: float | None) -> NearCpus:
        def endless() -> Iterator[float | None]:
            yield from ways
            while True:
                yield ways[-1]

        found = endless()

        def look(cpu: int, other: int) -> CoreToCore | None:
            ns = next(found)
            if ns is None:
                return None
            return CoreToCore(cpu=cpu, other=other, ns=ns, canary_cycles=2.0)

        monkeypatch.setattr(core_to_core, "ping_pong_now", look)
        return NearCpus(1, 0)

    return make


def test_a_moved_cpu_is_waited_for(looked: Callable[..., NearCpus], clock: Clock) -> None:
    near = looked(26.0, 160.0, 158.0, 27.0)
    near.begin()
    assert near.wait() == 0  # looked at just now
    clock.sleep(2 * LOOK_S)
    assert 0 < near.wait() < 1
    assert near.ns == 27


def test_what_lost_packets_is_doubted_once_the_cpus_have_moved(
    looked: Callable[..., NearCpus],
) -> None:
    near = looked(26.0, 25.0, 160.0, 26.0)
    near.begin()
    assert not near.moved()
    assert near.moved()
    assert near.wait() > 0
    assert near.ns == 26


def test_patience_ends_and_begins_with_each_repetition(
    looked: Callable[..., NearCpus], clock: Clock
) -> None:
    near = looked(26.0, 160.0)
    near.begin()
    clock.sleep(2 * LOOK_S)
    assert near.wait() == pytest.approx(PATIENCE_S, abs=0.3)
    clock.sleep(2 * LOOK_S)
    assert near.wait() == 0
    assert near.ns == 160
    assert not near.moved()
    before = clock.now
    near.begin()
    assert clock.now - before == pytest.approx(PATIENCE_S, abs=0.3)


def test_the_nearest_that_was_seen_counts(looked: Callable[..., NearCpus], clock: Clock) -> None:
    """CPUs that are apart from the start are as the host has them, until they are seen nearer."""
    near = looked(160.0, 161.0, 26.0, 160.0, 26.0)
    near.begin()
    for way in (161.0, 26.0, 26.0):
        clock.sleep(2 * LOOK_S)
        near.wait()
        assert near.ns == way


def test_without_a_probe_nothing_waits(looked: Callable[..., NearCpus]) -> None:
    near = looked(None)
    near.begin()
    assert (near.ns, near.wait(), near.moved()) == (None, 0.0, False)
