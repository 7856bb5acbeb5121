"""The data plane that behaves as the test says, columns of made-up windows, and patience."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

import numpy as np
import pytest
from tests.dataplanes.conftest import fake, scenario

from planecast.engines.measure.counted_windows import undisturbed_rows
from planecast.engines.measure.estimate import QUANTILE, PointFacts, estimate_point
from planecast.engines.measure.testbed import Testbed, dut_of
from planecast.results import Manifest, Result
from planecast.scenario import Scenario

__all__ = ["fake", "scenario"]

Columns = dict[str, np.ndarray[Any, Any]]
MakeScenario = Callable[..., Scenario]
Answer = Callable[..., Result]

TSC_HZ = 2_000_000_000

PATIENCE_S = 60.0


def tries() -> Iterator[int]:
    """Numbers from 0 on, for a minute: a busy machine may leave a process without its CPU for as
    long as it likes, so what takes one good moment is tried again until there is one."""
    until, number = time.monotonic() + PATIENCE_S, 0
    while time.monotonic() < until:
        yield number
        number += 1


def joined_testbed(scenario: Scenario, cpu: int) -> Testbed:
    """The scenario's data plane, and the generator on a CPU."""
    return Testbed(scenario, dut_of(scenario, cpu), cpu)


def comes_through(testbed: Testbed) -> bool:
    """Whether some trial loses nothing: rings of 1,024 hold more than is sent in one."""
    trials = (testbed.trial(20_000.0, 0.01).sent["total"] for _ in tries())
    return any(trial["received"] == trial["sent"] > 0 for trial in trials)


def windows(
    costs: Sequence[float],
    *,
    canaries: Sequence[float] | float = 2.0,
    stages: Mapping[str, float] | None = None,
    **fixed: Any,
) -> Columns:
    """Windows of one visit that cost so many cycles a packet; `stages` have shares of them."""
    count = len(costs)
    packets, sampled = np.full(count, 1000), np.full(count, 100)
    cycles = np.asarray(costs, dtype=np.float64)
    canary = np.broadcast_to(np.asarray(canaries, dtype=np.float64), count)
    found: Columns = {
        name: np.full(count, fixed.get(name, 0))
        for name in ("point", "restart", "visit", "cpu", "segment")
    }
    found["steady"] = np.full(count, bool(fixed.get("steady", True)))
    found |= {
        "cycles": np.round(cycles * packets),
        "packets": packets,
        "canary_compute_before": canary,
        "canary_compute_after": canary,
        "sampled_packets": sampled,
    }
    for name, share in (stages or {}).items():
        found[f"stage_{name}_cycles"] = cycles * sampled * share
    return found


def together(parts: Sequence[Columns]) -> Columns:
    """All windows as one table; a stage that a part lacks is NaN there."""
    names = dict.fromkeys(name for part in parts for name in part)
    return {
        name: np.concatenate(
            [part.get(name, np.full(len(part["cycles"]), np.nan)) for part in parts]
        )
        for name in names
    }


def facts(point: int = 0) -> PointFacts:
    return PointFacts(point, 100, 90, {"acl": 10}, TSC_HZ, "2MiB")


@pytest.fixture
def answer(scenario: MakeScenario, manifest: Manifest) -> Answer:
    """Estimates point 0 of a table."""

    def estimate(
        columns: Columns,
        lcores: str = "0",
        point: int = 0,
        cuts: str = "none",
        neighbour: Mapping[str, str] | None = None,
    ) -> Result:
        wanted = scenario({"placement.cpus": lcores, "placement.cuts": cuts, **(neighbour or {})})
        good = undisturbed_rows(columns)
        return estimate_point(wanted, columns, good, facts(point), manifest)

    return estimate


def spread(value: float, count: int = 50, width: float = 0.1) -> list[float]:
    """Costs whose lower quartile is `value`, evenly over `width` of it."""
    return [value * (1 + width * (i / (count - 1) - QUANTILE)) for i in range(count)]
