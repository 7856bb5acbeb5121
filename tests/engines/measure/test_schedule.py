"""Whose turn it is, on CPUs whose neighbours come and go."""

from __future__ import annotations

import itertools
from collections import Counter
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
import pytest

from planecast.dataplanes import TrialAnswer
from planecast.engines.measure import schedule as module
from planecast.engines.measure.schedule import ENOUGH, MIN_ROUNDS, WAIT_S, Schedule
from planecast.instruments.core_to_core import CpuDistance

LOOK_S = 0.001
VISIT_S = 0.01
WINDOWS = 16


class Machine:
    """A clock of its own; on each CPU a sibling that is busy when the test says so."""

    def __init__(
        self,
        cpus: list[tuple[int, ...]],
        busy: Callable[[int, float], bool],
        cycles: Callable[[int], int] = lambda point: 1,
    ) -> None:
        self.now = 0.0
        self.cpus = cpus
        self.busy = busy
        self.cycles = cycles
        self.readings = itertools.cycle((3.0, 3.4, 3.9, 3.2, 4.3))

    def answer(self, point: int, windows: int) -> TrialAnswer:
        lcores: list[dict[str, Any]] = []
        for cpu in self.cpus[point]:
            pairs = [
                [next(self.readings), next(self.readings)]
                if self.busy(cpu, self.now)
                else [2.5, 2.5]
                for _ in range(windows)
            ]
            rows: dict[str, Any] = dict.fromkeys(
                ("cycles", "packets", "bursts", "empty_polls", "sampled_packets", "sampled_bursts"),
                [1] * windows,
            )
            rows["cycles"] = [self.cycles(point)] * windows
            rows |= {"count": windows, "canary_compute": pairs, "canary_chase": pairs}
            lcores.append(
                {
                    "cpu": cpu,
                    "chain": 0,
                    "segment": 0,
                    "clock_cost": 0,
                    "windows": rows | {"stage_cycles": {}},
                }
            )
        return TrialAnswer.model_construct(
            lcores=tuple(_lcore(lcore) for lcore in lcores), trial={}
        )

    def look(self, point: int) -> TrialAnswer:
        self.now += LOOK_S
        return self.answer(point, 1)


class Moved(CpuDistance):
    """CPUs that a hypervisor moves apart when the test says so."""

    def __init__(self, machine: Machine, apart: Callable[[float], bool]) -> None:
        super().__init__(0)
        self._machine, self._apart = machine, apart

    @property
    def moved(self) -> bool:
        return self._apart(self._machine.now)


def _lcore(raw: dict[str, Any]) -> Any:
    from planecast.dataplanes.trial import LcoreAnswer

    return LcoreAnswer.model_validate(raw)


def run(
    machine: Machine,
    monkeypatch: pytest.MonkeyPatch,
    until: float,
    patience: float = 0.0,
    *,
    usual_only: Sequence[bool] = (False,) * 9,
    apart: Callable[[float], bool] = lambda now: False,
) -> list[tuple[float, int]]:
    """(time, point) of each visit."""
    monkeypatch.setattr(module.time, "monotonic", lambda: machine.now)
    distance = Moved(machine, apart)
    plan = Schedule(machine.cpus, np.random.default_rng(1), usual_only, distance)
    visits = []
    for point in plan.turns(until, patience, machine.look):
        visits.append((machine.now, point))
        answer = machine.answer(point, WINDOWS)
        machine.now += VISIT_S
        plan.seen(point, answer)
    return visits


def test_on_a_quiet_machine_all_points_get_as_many_visits(monkeypatch: pytest.MonkeyPatch) -> None:
    visits = run(Machine([(1,)] * 5, lambda cpu, now: False), monkeypatch, 2.0)
    counts = Counter(point for _, point in visits)
    assert max(counts.values()) - min(counts.values()) <= 1
    assert len(visits) > 150


def test_points_whose_visits_differ_get_more_of_them(monkeypatch: pytest.MonkeyPatch) -> None:
    random = np.random.default_rng(1)

    def cycles(point: int) -> int:
        return int(random.normal(10_000, 2_000 if point < 2 else 20))

    visits = run(Machine([(1,)] * 8, lambda cpu, now: False, cycles), monkeypatch, 4.0)
    counts = Counter(point for _, point in visits)
    wide, narrow = [counts[n] for n in (0, 1)], [counts[n] for n in range(2, 8)]
    assert min(wide) > 4 * max(narrow)
    assert min(narrow) > len(visits) / 8 / 4  # not before they were seen to be alike


def test_patience_asks_for_no_more_where_visits_differ(monkeypatch: pytest.MonkeyPatch) -> None:
    """And for less where they agree."""
    random = np.random.default_rng(1)

    def cycles(point: int) -> int:
        return int(random.normal(10_000, 2_000 if point == 0 else 20))

    machine = Machine([(1,)] * 8, lambda cpu, now: False, cycles)
    visits = run(machine, monkeypatch, 0.1, patience=60.0)
    counts = Counter(point for _, point in visits)
    assert machine.now < 5
    assert WINDOWS * counts[0] >= ENOUGH
    assert all(ENOUGH / 3 <= WINDOWS * counts[n] < ENOUGH for n in range(1, 8))


def test_each_process_instance_has_visits_by_the_shares(monkeypatch: pytest.MonkeyPatch) -> None:
    """What a point had of the first, before its visits were known to agree, is no debt."""
    random = np.random.default_rng(1)

    def cycles(point: int) -> int:
        return int(random.normal(10_000, 2_000 if point == 0 else 20))

    machine = Machine([(1,)] * 4, lambda cpu, now: False, cycles)
    monkeypatch.setattr(module.time, "monotonic", lambda: machine.now)
    moved = Moved(machine, lambda now: False)
    plan = Schedule(machine.cpus, np.random.default_rng(1), (False,) * 4, moved)
    for restart in range(2):
        counts: Counter[int] = Counter()
        for point in plan.turns(machine.now + 2.0, 0.0, machine.look):
            counts[point] += 1
            machine.now += VISIT_S
            plan.seen(point, machine.answer(point, WINDOWS))
        narrow = [counts[n] for n in (1, 2, 3)]
        assert counts[0] > 3 * max(narrow), restart
        assert max(narrow) - min(narrow) <= 4, restart
        assert min(narrow) > sum(counts.values()) / 4 / 4, restart


def test_visits_fall_into_the_quiet_moments(monkeypatch: pytest.MonkeyPatch) -> None:
    def busy(cpu: int, now: float) -> bool:
        return now % 1.0 > 0.08

    visits = run(Machine([(1,)] * 5, busy), monkeypatch, 20.0)[5 * MIN_ROUNDS :]
    calm = [point for now, point in visits if not busy(1, now)]
    # Of 8 ms in 100, and as many for each point.
    assert len(calm) > 0.3 * len(visits)
    counts = Counter(calm)
    assert max(counts.values()) - min(counts.values()) <= 2


def test_a_machine_that_is_never_quiet_is_visited_all_the_same(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    visits = run(Machine([(1,)] * 3, lambda cpu, now: True), monkeypatch, 3.0)
    late = [now for now, _ in visits[3 * MIN_ROUNDS :]]
    assert {point for _, point in visits} == {0, 1, 2}
    assert all(b - a < WAIT_S + VISIT_S + 3 * LOOK_S for a, b in itertools.pairwise(late))


def test_patience_ends_when_every_point_has_enough(monkeypatch: pytest.MonkeyPatch) -> None:
    machine = Machine([(1,)] * 3, lambda cpu, now: now < 5.0)
    visits = run(machine, monkeypatch, 2.0, patience=60.0)
    assert 5.0 < machine.now < 6.0
    calm = Counter(point for now, point in visits if now >= 5.0)
    assert all(count == -(-ENOUGH // WINDOWS) for count in calm.values())
    never = Machine([(1,)] * 3, lambda cpu, now: True)
    run(never, monkeypatch, 2.0, patience=3.0)
    assert 5.0 <= never.now < 5.2


def test_two_lcores_wait_for_both_and_one_for_its_own(monkeypatch: pytest.MonkeyPatch) -> None:
    machine = Machine([(1,), (0, 1)], lambda cpu, now: cpu == 0 and now % 0.5 > 0.1)
    visits = run(machine, monkeypatch, 10.0)[2 * MIN_ROUNDS :]
    # While CPU 0 is busy, CPU 1 is used by the other point.
    assert {point for now, point in visits if now % 0.5 > 0.12} == {0}
    assert {point for now, point in visits if now % 0.5 < 0.08} >= {1}


def test_points_that_need_the_cpus_near_wait_while_they_are_apart(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    def apart(now: float) -> bool:
        return now % 1.0 > 0.7

    machine = Machine([(1,)] * 4, lambda cpu, now: False)
    usual_only = (True, True, False, False)
    visits = run(machine, monkeypatch, 7.6, usual_only=usual_only, apart=apart)[4 * MIN_ROUNDS :]
    assert {point for now, point in visits if apart(now)} == {2, 3}
    # They lose nothing by it: the others' turns came in that time.
    counts = Counter(point for _, point in visits)
    assert max(counts.values()) - min(counts.values()) <= 2


def test_where_all_need_it_they_are_visited_all_the_same(monkeypatch: pytest.MonkeyPatch) -> None:
    machine = Machine([(1,)] * 2, lambda cpu, now: False)
    visits = run(machine, monkeypatch, 2.0, usual_only=(True, True), apart=lambda now: True)
    assert len(visits) > 50


def test_patience_is_for_windows_that_count(monkeypatch: pytest.MonkeyPatch) -> None:
    machine = Machine([(1,)], lambda cpu, now: False)
    run(machine, monkeypatch, 2.0, patience=60.0, usual_only=(True,), apart=lambda now: now < 5.0)
    assert 5.0 < machine.now < 6.0
