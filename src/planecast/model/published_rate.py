"""A program of which one rate is known: what other clocks, threads, lcores and cores make of it.

A rate of so many lcores is cycles a packet of one of them. What they consist of is not published,
so it is a prior (`Priors`):

- the share of the core's slots that retire instructions, and with it instructions a packet;
- the time of a packet that doesn't follow the core's clock (`machine.clocks`);
- the use that a second thread makes of empty slots (`machine.smt`).

Of the cycles at a clock f, n follow the core's clock and t nanoseconds don't. Another core takes
n · g + t · f: g has retired slots by the width and the others by buffers (`machine.generations`).
A busy sibling raises all of it. Cores add up. Two errors have no mechanism: a share of g's
logarithm, and a part for every doubling of cores. Medians, spreads and errors are those of
published rows: `planecast reproduce rates` finds them again, and leaves out each document that it
predicts.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from planecast.errors import InputError
from planecast.machine.clocks import core_ghz
from planecast.machine.generations import ERROR_SHARE, backend_factor, slots_factor
from planecast.machine.slots import Slots
from planecast.machine.smt import busy_sibling_slowdown
from planecast.model.prediction import Prediction
from planecast.results.student import t_quantile
from planecast.scenario.machine import HOST, Card, Machine, machine_of, microarchitecture_of
from planecast.scenario.override import SCENARIO_KEYS
from planecast.scenario.points import value_if_any
from planecast.scenario.scenario import Scenario

REFERENCE_GHZ = 2.2
"""Clock of the core at which the time that doesn't follow it is stated: BSDP's."""
REFERENCE_CORE = "broadwell"
"""Whose slots the forwarders' top-down shares are of: BSDP's."""
RATE_ERROR = 0.01
"""Of a published rate: NDR searches end at about a percent."""
FREEDOM = 4
"""Of Student's t: a rate is one number, so its tails are heavier than those of a calibration."""
_FREE = ("machine", "placement.lcores", "placement.cpus", "placement.core_ghz")
_ALSO = ("placement.core_priority", "placement.busy_siblings", "traffic.offered_pps")
_USUAL = Scenario(name="usual")
_MOST_RETIRED = 0.98
_MOST_FIXED = 9.0


@dataclass(frozen=True)
class Guess:
    """A positive number that is not published. Its logarithm is normal."""

    median: float
    spread: float
    """Standard deviation of the logarithm."""


@dataclass(frozen=True)
class Priors:
    """What is assumed where a rate alone is known."""

    retired: Guess
    """Share of the slots of a `REFERENCE_CORE` with one thread that retire something."""
    use: Guess
    """Of empty slots, by a second thread."""
    fixed: Guess
    """Time that doesn't follow the core's clock, over the time that does, at `REFERENCE_GHZ`."""
    generation: float
    """Standard deviation of the logarithm of a cost on other cores, over that of its factor."""
    doubling: float
    """The same of a cost for every doubling of cores."""
    pcie: float
    """The same of what PCIe lets through."""


PRIORS = Priors(
    retired=Guess(0.42, 0.21),
    use=Guess(0.52, 0.21),
    fixed=Guess(0.057, 1.3),
    generation=ERROR_SHARE,
    doubling=0.08,
    pcie=0.06,
)
"""Of all published rows; `tests/model/test_published_rate.py` holds them."""


@dataclass(frozen=True)
class PublishedRate:
    """A rate, and the scenario that it is of, on a machine of the catalogue or of a file."""

    pps: float
    scenario: Scenario
    card: Card | None = None
    """Card that all of it passes; None: nobody says."""
    ports: int | None = None
    """Ports of it that are used; None: all."""


@dataclass(frozen=True)
class _Way:
    """How a core runs."""

    machine: Machine
    ghz: float
    busy_siblings: bool
    lcores: int
    cores: float

    @property
    def per_cycle(self) -> float:
        """Slots of a cycle."""
        return self.machine.core.issue_width.value


def predict_from_rate(
    published: PublishedRate, scenarios: Sequence[Scenario], priors: Priors = PRIORS
) -> Prediction:
    """Cycles a packet of scenarios, of their machines' time-stamp counters.

    Raises InputError for scenarios that differ from the published one in more than machine, clock,
    lcores and siblings.
    """
    for scenario in scenarios:
        refuse_other_work(published.scenario, scenario)
    here = _way(published.scenario, published)
    there = [_way(scenario, published) for scenario in scenarios]
    costs = np.array([_cost(published, here, way, priors) for way in there])
    none = np.zeros(len(there))
    return Prediction(
        value=costs[:, 0],
        deviation=costs[:, 1],
        quantile=t_quantile(FREEDOM),
        stages={},
        capped_by_memory=none.astype(np.bool_),
        extrapolates=none.astype(np.bool_),
        memory_lines=none,
    )


def instructions_from_rate(
    published: PublishedRate, priors: Priors = PRIORS
) -> tuple[float, float]:
    """(Instructions a packet, standard deviation of the logarithm): retired slots, one each."""
    here = _way(published.scenario, published)

    def count(priors: Priors) -> float:
        alone = _alone(_cycles(published, here), here, priors)
        return alone * _retired(here, priors) * here.per_cycle

    return count(priors), _open_part(count, priors, ("retired", "use"))


def machine_at(scenario: Scenario, published: PublishedRate) -> Machine:
    """Where a scenario runs: `host` is the machine of the published rate."""
    name = scenario.machine
    return machine_of(published.scenario.machine if name == HOST else name)


def cores_of(scenario: Scenario) -> float:
    """Cores that forward: two threads are on one."""
    placement = scenario.placement
    return placement.lcores / (2 if placement.busy_siblings else 1)


def refuse_other_work(of: Scenario, asked: Scenario) -> None:
    """Raises InputError for a scenario of other work than the one that the rate is of."""
    for key in SCENARIO_KEYS:
        if key in (*_FREE, *_ALSO, "name"):
            continue
        if key.startswith("nic.") and value_if_any(asked, key) not in (
            None,
            value_if_any(_USUAL, key),
        ):
            raise InputError(
                "a published rate's card is one of the catalogue",
                key,
                "leave it out, and name the card: --from-rate …,card=x520",
            )
        if value_if_any(of, key) != value_if_any(asked, key):
            raise InputError(
                f"a published rate does not apply to another {key}",
                key,
                f"leave it as it was there; if the rate is of that: --from-rate …,{key}=VALUE",
            )


def _way(scenario: Scenario, published: PublishedRate) -> _Way:
    machine, placement = machine_at(scenario, published), scenario.placement
    ghz = placement.core_ghz or core_ghz(machine, placement.core_priority)
    return _Way(machine, ghz, placement.busy_siblings, placement.lcores, cores_of(scenario))


def _cycles(published: PublishedRate, here: _Way) -> float:
    """Core cycles that an lcore takes for a packet there."""
    return here.ghz * 1e9 * here.lcores / published.pps


def _cost(published: PublishedRate, here: _Way, there: _Way, priors: Priors) -> tuple[float, float]:
    """(TSC cycles a packet there, standard deviation of their logarithm)."""

    def cost(priors: Priors) -> float:
        return _moved(_cycles(published, here), here, there, priors)

    factor = _factor(there, priors) / _factor(here, priors)
    deviation = np.linalg.norm(
        [
            RATE_ERROR,
            _open_part(cost, priors, ("retired", "use", "fixed")),
            priors.generation * np.log(factor),
            priors.doubling * np.log2(there.cores / here.cores),
        ]
    )
    tsc = there.machine.values.base_ghz.value / there.ghz
    return cost(priors) * tsc, float(deviation)


def _moved(cycles: float, here: _Way, there: _Way, priors: Priors) -> float:
    """Core cycles of a packet there."""
    alone = _alone(cycles, here, priors)
    near = alone / (1 + priors.fixed.median * here.ghz / REFERENCE_GHZ)
    fixed_ns = (alone - near) / here.ghz
    factor = _factor(there, priors) / _factor(here, priors)
    return (near * factor + fixed_ns * there.ghz) * _slower(there, priors)


def _alone(cycles: float, here: _Way, priors: Priors) -> float:
    """Core cycles of a packet next to an idle sibling."""
    return cycles / _slower(here, priors)


def _slower(way: _Way, priors: Priors) -> float:
    """Cost next to a busy sibling over that next to an idle one."""
    if not way.busy_siblings:
        return 1.0
    share = 100 * min(_retired(way, priors), _MOST_RETIRED)
    return busy_sibling_slowdown(Slots(share, 0.0, 0.0, 100 - share), priors.use.median)


def _factor(way: _Way, priors: Priors) -> float:
    """Cycles on its core over those on the reference."""
    old, new = microarchitecture_of(REFERENCE_CORE).values, way.machine.core
    return slots_factor(priors.retired.median, old, new, backend_factor(old, new))


def _retired(way: _Way, priors: Priors) -> float:
    """Share of its core's slots that retire something: as many as on the reference."""
    width = microarchitecture_of(REFERENCE_CORE).values.issue_width.value / way.per_cycle
    return priors.retired.median * width / _factor(way, priors)


def _open_part(value: Callable[[Priors], float], priors: Priors, names: Sequence[str]) -> float:
    """What priors leave open of a number: standard deviation of its logarithm.

    By both ends of each prior's 95 % interval, the one that moves it more: shares bend.
    """
    reach, middle = t_quantile(FREEDOM), value(priors)
    most = {"retired": _MOST_RETIRED, "use": 1.0, "fixed": _MOST_FIXED}
    moves = []
    for name in names:
        guess: Guess = getattr(priors, name)
        ends = [
            min(most[name], guess.median * float(np.exp(way * reach * guess.spread)))
            for way in (-1, 1)
        ]
        found = [value(_with(priors, name, Guess(end, guess.spread))) for end in ends]
        moves.append(max(abs(float(np.log(one / middle))) for one in found) / reach)
    return float(np.linalg.norm(moves))


def _with(priors: Priors, name: str, guess: Guess) -> Priors:
    change: dict[str, Any] = {name: guess}
    return replace(priors, **change)
