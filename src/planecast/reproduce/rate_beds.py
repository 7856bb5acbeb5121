"""Test beds of published rates as scenarios: what a reader of one row could write down."""

from __future__ import annotations

from planecast.engines.solve.from_rate import FULL, ceilings
from planecast.model.published_rate import PublishedRate
from planecast.reproduce.catalogued import card_of
from planecast.reproduce.core_rates import Suite
from planecast.scenario.override import with_overrides
from planecast.scenario.scenario import Scenario

MOST_BYTES = 9000
"""Of a scenario's frames."""


def scenario_of(machine: str, keys: dict[str, object]) -> Scenario:
    """A scenario that says nothing but these keys."""
    return with_overrides(Scenario(name="published"), {"machine": machine, **keys})


def threads(machine: str, mode: str) -> Scenario:
    """One core: one thread, or two that do the same (mode HT)."""
    two = mode == "HT"
    return scenario_of(machine, {"placement.lcores": 1 + two, "placement.busy_siblings": two})


def known(suite: Suite) -> bool:
    """Whether cores, links and PCIe are all that a row meets, as its name says."""
    return suite.card == "x520" and "vm" not in suite.name and "lisp" not in suite.name


def bed(suite: Suite, cores: int) -> Scenario:
    """The test bed of a suite."""
    size = min(MOST_BYTES, round(suite.frame_bytes + suite.added_bytes))
    return scenario_of("e5-2699v3", {"placement.lcores": cores, "traffic.frame_bytes": size})


def row_of(suite: Suite, pps: float) -> PublishedRate:
    """A suite's rate on one core, with its card where nothing else is said to hold it."""
    return PublishedRate(pps, bed(suite, 1), card_of(suite.card) if known(suite) else None)


def full(suite: Suite) -> bool:
    """Whether one core fills what the card lets through."""
    return dict(suite.mpps)[1] >= FULL * ceiling_mpps(suite)


def ceiling_mpps(suite: Suite) -> float:
    """What the card lets through."""
    row = PublishedRate(0.0, bed(suite, 1), card_of(suite.card))
    return min(ceilings(row, row.scenario).values()) / 1e6
