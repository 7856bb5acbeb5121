"""Tenants in a shared cache."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from planecast.machine.hierarchy import SharedMemory
from planecast.machine.memory import Memory
from planecast.machine.tenants import Settled, Shared, settle
from planecast.scenario.machine import machine_of

MACHINE = machine_of("gold-6230n")
WAYS = 11


@dataclass(frozen=True)
class Tenant:
    threads: float
    near_ns: float
    lines: float
    footprint_bytes: float
    exposed: float
    mask: int = (1 << WAYS) - 1
    bandwidth_percent: float = 100.0


ROUTER = Tenant(6, near_ns=200, lines=8, footprint_bytes=6e6, exposed=0.25)
NOISY = Tenant(8, near_ns=1, lines=1, footprint_bytes=1e9, exposed=0.1)


def share(*tenants: Tenant) -> Settled:
    near = [[t.near_ns - t.lines * t.exposed * MACHINE.l3_ns for t in tenants]]
    return settle(
        Shared(
            threads=np.array([[[t.threads] for t in tenants]]),
            core_ns=np.array(near),
            touches=np.array([[t.lines for t in tenants]]),
            exposed=np.array([[t.exposed for t in tenants]]),
            held_back=np.array([[[100 / t.bandwidth_percent] for t in tenants]]),
            footprint=np.array([t.footprint_bytes for t in tenants]),
            inside=np.array([[[bool(t.mask >> w & 1) for w in range(WAYS)] for t in tenants]]),
            way_bytes=np.array([MACHINE.way_bytes]),
            llc_ns=MACHINE.l3_ns,
            memory=SharedMemory.of(MACHINE).curve(),
            same_memory=np.ones((1, 1)),
            demand=lambda capacity: capacity,
        )
    )


def rate(*others: Tenant, mask: int = (1 << WAYS) - 1) -> float:
    return float(share(replace(ROUTER, mask=mask), *others).rates[0, 0, 0]) * 1e9


def test_alone_all_is_near() -> None:
    assert rate() == pytest.approx(6 / 200e-9, rel=1e-3)


def test_a_stream_next_to_it_costs_and_classes_give_it_back() -> None:
    alone, stressed = rate(), rate(NOISY)
    kept = replace(NOISY, mask=0x3, bandwidth_percent=10)
    assert stressed < 0.85 * alone
    assert rate(kept, mask=0x7F0) > 0.98 * alone


def test_a_cache_is_never_given_twice() -> None:
    found = share(ROUTER, NOISY)
    assert found.held.sum() <= WAYS * MACHINE.way_bytes * 1.001


@settings(max_examples=15, deadline=None)
@given(st.integers(1, 10), st.integers(1, 16), st.integers(10, 100))
def test_more_ways_never_harm_and_more_neighbours_never_help(
    ways: int, threads: int, percent: int
) -> None:
    noisy = replace(NOISY, threads=threads, bandwidth_percent=percent, mask=0x400)
    few = rate(noisy, mask=(1 << ways) - 1)
    assert rate(noisy, mask=(1 << ways + 1) - 1 & 0x3FF) >= few * 0.999 or ways == 10
    more = replace(noisy, threads=threads + 4)
    assert rate(more, mask=(1 << ways) - 1) <= few * 1.001


@given(st.floats(0, 500), st.floats(0, 500))
def test_latency_never_falls_with_load(one: float, other: float) -> None:
    memory = Memory(80, 100)
    low, high = sorted((one, other))
    assert memory.idle_ns <= memory.latency_ns(low) <= memory.latency_ns(high)
