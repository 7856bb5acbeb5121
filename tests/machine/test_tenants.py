"""Tenants in a shared cache."""

from __future__ import annotations

import dataclasses

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from planecast.errors import InputError
from planecast.machine.memory import Memory
from planecast.machine.tenants import Cache, Tenant, memory_of, share
from planecast.scenario.machine import machine_of

MACHINE = machine_of("gold-6230n")
CACHE, MEMORY = Cache.of(MACHINE), memory_of(MACHINE)
ROUTER = Tenant("router", 6, near_ns=200, lines=8, footprint_bytes=6e6, exposed=0.25)
NOISY = Tenant("noisy", 8, near_ns=1, lines=1, footprint_bytes=1e9, exposed=0.1)


def rate(*others: Tenant, **changes: object) -> float:
    router = dataclasses.replace(ROUTER, **changes)  # type: ignore[arg-type]
    return share([router, *others], CACHE, MEMORY)["router"].rate


def test_alone_all_is_near() -> None:
    assert rate() == pytest.approx(6 / 200e-9, rel=1e-3)


def test_a_stream_next_to_it_costs_and_classes_give_it_back() -> None:
    alone, stressed = rate(), rate(NOISY)
    kept = dataclasses.replace(NOISY, mask=0x3, bandwidth_percent=10)
    assert stressed < 0.85 * alone
    assert rate(kept, mask=0x7F0) > 0.98 * alone


def test_a_cache_is_never_given_twice() -> None:
    found = share([ROUTER, NOISY], CACHE, MEMORY)
    assert sum(p.cache_bytes for p in found.values()) <= CACHE.ways * CACHE.way_bytes * 1.001


@settings(max_examples=15, deadline=None)
@given(st.integers(1, 10), st.integers(1, 16), st.integers(10, 100))
def test_more_ways_never_harm_and_more_neighbours_never_help(
    ways: int, threads: int, percent: int
) -> None:
    noisy = dataclasses.replace(NOISY, threads=threads, bandwidth_percent=percent, mask=0x400)
    few = rate(noisy, mask=(1 << ways) - 1)
    assert rate(noisy, mask=(1 << ways + 1) - 1 & 0x3FF) >= few * 0.999 or ways == 10
    more = dataclasses.replace(noisy, threads=threads + 4)
    assert rate(more, mask=(1 << ways) - 1) <= few * 1.001


@given(st.floats(0, 500), st.floats(0, 500))
def test_latency_never_falls_with_load(one: float, other: float) -> None:
    memory = Memory(80, 100)
    low, high = sorted((one, other))
    assert memory.idle_ns <= memory.latency_ns(low) <= memory.latency_ns(high)


@pytest.mark.parametrize(
    ("changes", "said"),
    [
        ({"mask": 0}, "one way at least"),
        ({"mask": 0x800}, "the cache has 11 ways"),
        ({"bandwidth_percent": 0.0}, "allowed is 1 to 100"),
        ({"footprint_bytes": 0.0}, "above 0"),
    ],
)
def test_impossible_classes_are_refused(changes: dict[str, object], said: str) -> None:
    with pytest.raises(InputError, match=said):
        rate(**changes)


def test_names_are_distinguished() -> None:
    with pytest.raises(InputError, match="same name"):
        share([ROUTER, ROUTER], CACHE, MEMORY)
