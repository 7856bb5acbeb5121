"""A load curve next to a hypervisor that moves the CPUs: a fake host with its own clock."""

from __future__ import annotations

from collections.abc import Callable
from types import SimpleNamespace
from typing import Any, Self

import pytest
from tests.calibrations import manifest
from tests.dataplanes.test_trial import answer
from tests.engines.measure.test_load_estimate import sent_of

from planecast.dataplanes import TrialAnswer
from planecast.engines.measure import load_sweep, unmoved_cpus
from planecast.engines.measure.load_pauses import PauseTable
from planecast.engines.measure.load_sweep import LoadBudget, MeasuredLoads, measure_loads
from planecast.engines.measure.load_trials import LoadTable
from planecast.engines.measure.testbed import LoadTrial
from planecast.engines.measure.unmoved_cpus import PATIENCE_S
from planecast.instruments import core_to_core
from planecast.instruments.core_to_core import CoreToCore
from planecast.results import Manifest
from planecast.scenario import Scenario, with_overrides

__all__ = ["manifest"]

NEAR_PPS, FAR_PPS = 5e6, 2.5e6
NEAR_NS, FAR_NS = 26.0, 160.0
TRIAL_S = 0.02
BUDGET = LoadBudget(loads=(0.5, 0.8, 1.1), seconds=12.0, trial_seconds=TRIAL_S, restarts=2)
SCENARIO = with_overrides(Scenario(name="s"), {"placement.cpus": "1"})


class Host:
    """Time that passes with trials, looks and sleep; spans of it in which the CPUs are apart."""

    def __init__(self, *apart: tuple[float, float]) -> None:
        self.now, self.apart = 0.0, apart
        self.began: list[bool] = []
        """Of each trial, whether the CPUs were apart when it began."""

    @property
    def far(self) -> bool:
        return any(begin <= self.now < end for begin, end in self.apart)

    def monotonic(self) -> float:
        return self.now

    def sleep(self, seconds: float) -> None:
        self.now += seconds

    def look(self, cpu: int, other: int) -> CoreToCore:
        assert {cpu, other} == {0, 1}
        self.now += 0.01
        ns = FAR_NS if self.far else NEAR_NS
        return CoreToCore(cpu=cpu, other=other, ns=ns, canary_cycles=2.0)

    def pps(self) -> float:
        self.began.append(self.far)
        self.now += 2 * TRIAL_S
        return FAR_PPS if self.far else NEAR_PPS


class FakeTestbed:
    """Forwards what the way between the CPUs allows."""

    cpus = (1, 0)

    def __init__(self, host: Host) -> None:
        self.host = host

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *about: object) -> None:
        pass

    def idle(self, seconds: float) -> TrialAnswer:
        self.host.now += seconds
        return answer(0, cycles=52_000, empty_polls=1300)

    def trial(self, rate: float | None, seconds: float, **_: Any) -> LoadTrial:
        able = self.host.pps()
        offered = round((rate or 1.3 * NEAR_PPS) * TRIAL_S)
        out = min(offered, round(able * TRIAL_S))
        return LoadTrial(sent_of(offered, offered - out), answer(out), whole=True)


Measured = Callable[..., tuple[MeasuredLoads, LoadTable]]


@pytest.fixture
def curve(monkeypatch: pytest.MonkeyPatch, manifest: Manifest) -> Measured:
    def made(host: Host) -> tuple[MeasuredLoads, LoadTable]:
        table = LoadTable()
        monkeypatch.setattr(load_sweep, "time", host)
        monkeypatch.setattr(unmoved_cpus, "time", host)
        monkeypatch.setattr(core_to_core, "ping_pong_now", host.look)
        monkeypatch.setattr(load_sweep, "Testbed", lambda *_: FakeTestbed(host))
        monkeypatch.setattr(load_sweep, "dut_of", lambda *_: SimpleNamespace())
        monkeypatch.setattr(load_sweep, "watch_pauses", lambda *_: [])
        found = measure_loads(SCENARIO, 0, BUDGET, manifest, table=table, pauses=PauseTable())
        return found, table

    return made


def test_a_host_that_leaves_the_cpus_alone_is_not_spoken_of(curve: Measured) -> None:
    found, table = curve(Host())
    assert found.capacity_pps.value == pytest.approx(NEAR_PPS, rel=0.01)
    assert not [note for note in found.notes if "hypervisor" in note]
    assert {row["handoff_ns"] for row in table.rows} == {NEAR_NS}


def test_rounds_wait_for_cpus_that_are_apart(curve: Measured) -> None:
    """Half of the time they are; the answer is that of a host that leaves them alone."""
    host = Host(*((second, second + 2.0) for second in range(3, 40, 4)))
    found, table = curve(host)
    alone, usual = curve(Host())
    assert found.capacity_pps.value == pytest.approx(alone.capacity_pps.value, rel=0.001)
    for load, as_alone in zip(found.loads, alone.loads, strict=True):
        assert load.loss.value == pytest.approx(as_alone.loss.value, abs=0.001)
        assert load.loss.high == pytest.approx(as_alone.loss.high, abs=0.001)
    (said,) = [note for note in found.notes if "hypervisor" in note]
    moved = {row["round"] for row in table.rows if row["moved"]}
    assert moved
    assert said.endswith(f"are left out: {len(moved)}")
    kept = len({row["round"] for row in table.rows}) - len(moved)
    rounds = len({row["round"] for row in usual.rows})
    assert kept >= 0.8 * rounds, "waiting takes nothing from the time for rounds"
    assert sum(host.began) < 0.2 * len(host.began)


def test_a_host_that_keeps_them_apart_is_waited_for_no_longer_than_patience(
    curve: Measured,
) -> None:
    host = Host((2.0, 1e9))
    found, _ = curve(host)
    assert host.now < BUDGET.seconds + BUDGET.restarts * PATIENCE_S + 5
    assert any("hypervisor" in note for note in found.notes)
    assert found.loads, "it is measured as it is then"
