"""Trials wait for CPUs that a hypervisor moved apart."""

from __future__ import annotations

from collections.abc import Callable, Iterator

import pytest

from planecast.engines.measure import unmoved_cpus
from planecast.engines.measure.unmoved_cpus import LOOK_S, PATIENCE_S, UnmovedCpus
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
    monkeypatch.setattr(unmoved_cpus, "time", found)
    return found


@pytest.fixture
def looked(monkeypatch: pytest.MonkeyPatch, clock: Clock) -> Callable[..., UnmovedCpus]:
    """Makes one whose looks find these ways, the last of them for ever."""

    def make(*ways: float | None) -> UnmovedCpus:
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
        return UnmovedCpus(1, 0)

    return make


def test_a_moved_cpu_is_waited_for(looked: Callable[..., UnmovedCpus], clock: Clock) -> None:
    cpus = looked(26.0, 160.0, 158.0, 27.0)
    cpus.begin()
    assert cpus.wait() == 0  # looked at just now
    clock.sleep(2 * LOOK_S)
    assert 0 < cpus.wait() < 1
    assert cpus.ns == 27


def test_what_lost_packets_is_doubted_once_the_cpus_have_moved(
    looked: Callable[..., UnmovedCpus],
) -> None:
    cpus = looked(26.0, 25.0, 160.0, 26.0)
    cpus.begin()
    assert not cpus.moved()
    assert cpus.moved()
    assert cpus.wait() > 0
    assert cpus.ns == 26


def test_patience_ends_and_begins_with_each_repetition(
    looked: Callable[..., UnmovedCpus], clock: Clock
) -> None:
    cpus = looked(26.0, 25.0, 160.0)
    cpus.begin()
    for expected in (0.0, PATIENCE_S, 0.0):
        clock.sleep(2 * LOOK_S)
        assert cpus.wait() == pytest.approx(expected, abs=0.3)
    assert cpus.ns == 160
    assert not cpus.moved()
    before = clock.now
    cpus.begin()
    assert clock.now - before == pytest.approx(PATIENCE_S, abs=0.3)


def test_the_nearest_that_is_not_rare_counts(
    looked: Callable[..., UnmovedCpus], clock: Clock
) -> None:
    """CPUs that are apart from the start are as the host has them, until they are seen nearer."""
    cpus = looked(160.0, 161.0, 26.0, 27.0, 160.0, 26.0)
    cpus.begin()
    for way in (161.0, 26.0, 27.0, 26.0):
        clock.sleep(2 * LOOK_S)
        cpus.wait()
        assert cpus.ns == way


def test_without_a_probe_nothing_waits(looked: Callable[..., UnmovedCpus]) -> None:
    cpus = looked(None)
    cpus.begin()
    assert (cpus.ns, cpus.wait(), cpus.moved()) == (None, 0.0, False)


def test_two_threads_of_one_core_are_waited_out(
    looked: Callable[..., UnmovedCpus], clock: Clock
) -> None:
    """Where they are rare: they share more than two cores do."""
    cpus = looked(*[60.0] * 9, 24.0, 25.0, 61.0)
    cpus.begin()
    for way in [60.0] * 8 + [61.0]:
        clock.sleep(2 * LOOK_S)
        cpus.wait()
        assert cpus.ns == way
