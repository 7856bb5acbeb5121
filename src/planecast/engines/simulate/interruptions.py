"""How much simulated time interruptions need, and how many fell into it.

What comes seldom is not there in a short run, whose interval is then small: a precision alone would
end it before the first one.
"""

from __future__ import annotations

from planecast.engines.simulate import _simulator as sim
from planecast.engines.simulate.generator_latency import without_generator
from planecast.scenario.scenario import Scenario

LEAST = 10
"""Of all lcores together, that a run which ends at a precision has to hold."""


def least_ns(scenario: Scenario, lcores: int) -> float:
    """Simulated time that holds so many; 0 without any."""
    per_second = scenario.interference.per_second
    return LEAST / (per_second * lcores) * 1e9 if per_second else 0.0


def about_interruptions(scenario: Scenario, answer: sim.Results) -> list[str]:
    """A sentence on how many there were, where lcores are interrupted at all."""
    per_second = scenario.interference.per_second
    if not per_second:
        return []
    lcores = without_generator(answer)
    seconds = answer.measured_ns * 1e-9
    length = f"{seconds:.3g} s" if seconds >= 1 else f"{1e3 * seconds:.3g} ms"
    time = f"the {length} that were simulated"
    count = per_second * len(lcores) * seconds
    if not any(lcore.disturbed for lcore in lcores):
        return [f"no interruption fell into {time}, so the answer is of an lcore that has none"]
    few = "" if round(count) >= LEAST else ", too few to say what they cost"
    return [f"about {max(count, 1):,.0f} interruptions fell into {time}{few}"]
