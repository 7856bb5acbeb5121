"""Small models: cores of 1 GHz, so that a cycle is a nanosecond."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from planecast.engines.simulate import _simulator as sim

NO_TIME = 1e-3
"""Cycles of an empty poll where polling's grain must not show: a picosecond."""


def task(
    name: str,
    source: sim.Input,
    packet: sim.Distribution,
    burst: int = 1,
    poll: float = NO_TIME,
    **changes: Any,
) -> sim.Task:
    stage = sim.Stage(name="work", packet_cycles=packet, **changes)
    return sim.Task(name=name, input=source, burst=burst, empty_poll_cycles=poll, stages=[stage])


def queue(
    arrivals: sim.Arrivals,
    packet: sim.Distribution,
    *,
    ring: int = 1 << 16,
    burst: int = 1,
    poll: float = NO_TIME,
    run: sim.Run | None = None,
    **changes: Any,
) -> sim.Model:
    """One source, one receive ring, one core."""
    one = task("task", sim.Input(name="port"), packet, burst, poll, **changes)
    return sim.Model(
        sources=[sim.Source(port="port", arrivals=arrivals)],
        ports=[sim.Port(name="port", rx_ring=ring)],
        cores=[sim.Core(name="core", clock_hz=1e9, tasks=[one])],
        run=run or sim.Run(duration_ns=2e9, warmup_ns=1e7, confidence=0.99),
    )


@pytest.fixture
def make_queue() -> Callable[..., sim.Model]:
    return queue


@pytest.fixture
def make_task() -> Callable[..., sim.Task]:
    return task
