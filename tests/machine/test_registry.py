"""Every mechanism says what it is: parameters with priors, a cause, advice, a clock."""

from __future__ import annotations

from tests.calibrations import hierarchy

from planecast.machine.hierarchy import Hierarchy
from planecast.machine.registry import MECHANISMS

__all__ = ["hierarchy"]


def test_mechanisms_are_complete(hierarchy: Hierarchy) -> None:
    shared = hierarchy.model_copy(update={"background": True})
    names = [one.name for mechanism in MECHANISMS for one in mechanism.parameters(shared)]
    assert len(names) == len(set(names))
    assert len(names) < 15
    for mechanism in MECHANISMS:
        assert mechanism.cause
        assert mechanism.advice
        assert mechanism.domain in ("core", "uncore", "memory", "none")
        assert mechanism.parameters(shared)


def test_only_a_shared_host_has_a_lifetime(hierarchy: Hierarchy) -> None:
    own = {one.name for mechanism in MECHANISMS for one in mechanism.parameters(hierarchy)}
    assert "last_level.lifetime" not in own
