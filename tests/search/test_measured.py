"""The generator's answers as trials, and what a tester of real packets does around them."""

from __future__ import annotations

from typing import Any, Self

import pytest

from planecast.dataplanes.dut import Dut
from planecast.engines.measure.testbed import LoadTrial, Opinions
from planecast.engines.measure.tx_pacing import WARM_UP_S
from planecast.errors import InputError, MissingError
from planecast.results import Estimate
from planecast.scenario import Scenario, with_overrides
from planecast.search.measured import MeasuredTester, _refuse_spread, trial_of

DRAIN_S = Dut.drain_s
SCENARIO = with_overrides(Scenario(name="s"), {"dataplane.kind": "testpmd"})


def answer(asked: int = 1000, **total: int) -> dict[str, Any]:
    """What the generator says of a run (docs/reference/interfaces.md, section 4)."""
    counts = {"asked": asked, "sent": asked, "unsent": 0, "refused": 0, "lost": 0} | total
    return {
        "running": False,
        "seconds": 0.001,
        "total": counts | {"latency_ns": {"mean": 900.0, "p50": 800, "p99": 2000, "count": 9}},
        "drain_ms": {"asked": 1e3 * DRAIN_S, "took": 1e3 * DRAIN_S},
    }


def done(sent: dict[str, Any], *, whole: bool = True) -> LoadTrial:
    return LoadTrial(sent, None, whole)


class FakeTestbed:
    """A data plane that loses half of what comes in its first trial after a start."""

    trials: list[tuple[float, float, float]]

    def __init__(self, scenario: Scenario, dut: Dut, cpu: int) -> None:
        FakeTestbed.trials = []
        self.dut = dut

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *about: object) -> None:
        pass

    def trial(self, offered_pps: float, seconds: float, warm_up_s: float = 0.0) -> LoadTrial:
        self.trials.append((offered_pps, seconds, warm_up_s))
        return done(answer(lost=500 if len(self.trials) == 1 else 0))

    def opinions(self, offered_pps: float, seconds: float) -> Opinions:
        ours = Estimate(value=seconds, unit="cycles/packet", kind="measured")
        return Opinions({}, ours)


@pytest.fixture
def tester(monkeypatch: pytest.MonkeyPatch) -> MeasuredTester:
    monkeypatch.setattr("planecast.search.measured.Testbed", FakeTestbed)
    monkeypatch.setattr("planecast.search.measured.sweep_leftovers", list)
    monkeypatch.setattr("os.sched_getaffinity", lambda _: {0, 1})
    return MeasuredTester(SCENARIO, None)


def test_a_data_plane_that_is_cold_is_warmed_up(tester: MeasuredTester) -> None:
    for repetition in range(2):
        tester.start(repetition)
        assert len(FakeTestbed.trials) == 1
        assert tester.trial(1e6, 0.001, 0).lost == 0


def test_a_trial_has_a_ramp_up_and_a_burst_comes_to_empty_queues(tester: MeasuredTester) -> None:
    """After some milliseconds without packets the first ones cost twice as much."""
    tester.start(0)
    tester.trial(1e6, 0.02, 0)
    tester.burst(1000, 1e6, 1)
    assert FakeTestbed.trials[1:] == [(1e6, 0.02, WARM_UP_S), (1e6, 0.001, 0.0)]


def test_what_a_full_ring_refused_was_offered_and_is_lost() -> None:
    sent = answer(1000, sent=700, unsent=300, refused=200, lost=10)
    trial = trial_of(done(sent), 1e6, 0.001, drain_s=DRAIN_S)
    assert (trial.offered, trial.lost, trial.unsent) == (900, 210, 100)
    assert trial.drained


def test_what_is_unsent_because_its_cpu_was_away_is_distinguished() -> None:
    sent = answer(1000, sent=700, unsent=300, refused=100)
    sent["stalls"] = {"count": 1, "ns": 2e5, "longest_ns": 2e5, "unsent": 150}
    trial = trial_of(done(sent), 1e6, 0.001, drain_s=DRAIN_S)
    assert (trial.offered, trial.unsent, trial.away, trial.due) == (800, 50, 150, 1000)
    assert trial.longest_stall_s == pytest.approx(2e-4)


@pytest.mark.parametrize(
    ("lost", "away_s", "explained"), [(100, 4e-4, True), (400, 4e-4, False), (0, 4e-4, False)]
)
def test_a_loss_is_explained_by_the_time_without_a_cpu(
    lost: int, away_s: float, explained: bool
) -> None:
    """At 1 Mpps: away for 400 µs, of which the ring bridges 100, loses 300 packets at the most."""
    sent = answer(1000, lost=lost) | {"dataplane_away_s": away_s, "watched_s": 0.004}
    trial = trial_of(done(sent), 1e6, 0.001, drain_s=DRAIN_S, ring_s=1e-4)
    assert trial.lost_cpu is explained
    assert trial.dataplane_away_s == pytest.approx(away_s / 4)  # a quarter of it was sending


@pytest.mark.parametrize(
    ("ns", "away_s", "refused", "found"),
    [
        (4e5, 5e-4, 100, (4e-4, 90)),  # the kernel knows of a wait so long
        (4e5, 1e-4, 100, (None, 0)),  # it does not: the data plane paused by itself
        (4e5, None, 100, (None, 0)),
        (0.0, 5e-4, 0, (None, 0)),  # a port that loses and refuses nothing
    ],
)
def test_a_silence_is_a_lost_cpu_where_the_kernel_says_so(
    ns: float, away_s: float | None, refused: int, found: tuple[float | None, int]
) -> None:
    sent = answer(1000, sent=1000 - refused, unsent=refused, refused=refused, lost=8)
    lost = 90 if refused else 0
    sent["silence"] = {"count": int(ns > 0), "ns": ns, "longest_ns": ns, "lost": lost}
    sent |= {"dataplane_away_s": away_s, "watched_s": 0.004}
    trial = trial_of(done(sent), 1e6, 0.001, drain_s=DRAIN_S, ring_s=1e-3)
    assert (trial.silent_s, trial.silent_lost) == found
    assert trial.kept_lost == trial.lost - found[1]
    assert not trial.lost_cpu  # what is left is more than the ring would have lost


def test_counters_of_a_run_that_continues_are_seen() -> None:
    running = answer() | {"running": True}
    assert not trial_of(done(running), 1e6, 0.001, drain_s=DRAIN_S).drained
    hasty = answer() | {"drain_ms": {"asked": 0.0, "took": 0.0}}
    assert not trial_of(done(hasty), 1e6, 0.001, drain_s=DRAIN_S).drained
    assert not trial_of(done(answer(), whole=False), 1e6, 0.001, drain_s=DRAIN_S).drained


def test_its_opinion_is_asked_for_longer_than_a_trial(tester: MeasuredTester) -> None:
    tester.start(0)
    ours = tester.opinion(1e6, 0.02).cycles_per_packet
    assert ours is not None
    assert ours.value == 1.0


@pytest.mark.parametrize(
    ("keys", "said"),
    [
        ({"placement.cpus": "0,1"}, "feeds one"),
        ({"placement.cpus": "0,1", "placement.cuts": "tx", "dataplane.chain": 2}, "cut as well"),
        ({"placement.cpus": "0,1", "dataplane.kind": "l3fwd"}, "feeds one"),
    ],
)
def test_lcores_that_one_port_can_not_feed(keys: dict[str, object], said: str) -> None:
    with pytest.raises(InputError, match=said):
        MeasuredTester(with_overrides(Scenario(name="s"), keys), None)


def test_more_lcores_than_programs() -> None:
    """Of a machine with more CPUs than this one may have."""
    keys = {"placement.cpus": "0-2", "dataplane.kind": "ovs", "dataplane.guests": 2}
    _refuse_spread(with_overrides(Scenario(name="s"), keys))
    with pytest.raises(InputError, match="3 programs forward, on one each; name 3 or fewer"):
        _refuse_spread(with_overrides(Scenario(name="s"), keys | {"placement.cpus": "0-3"}))


def test_another_hosts_cpus_are_its_own(monkeypatch: pytest.MonkeyPatch) -> None:
    """On one of two CPUs here the generator sends, whatever forwards there."""
    monkeypatch.setattr("os.sched_getaffinity", lambda _: {0, 1})
    keys = {"dataplane.host": "other", "placement.cpus": "0,1", "dataplane.chain": 2}
    MeasuredTester(with_overrides(SCENARIO, keys), None)
    with pytest.raises(MissingError, match="two CPUs"):
        MeasuredTester(with_overrides(SCENARIO, keys | {"dataplane.host": None}), None)


def test_a_scenario_that_only_the_simulator_knows_is_refused() -> None:
    with pytest.raises(InputError, match="network card"):
        MeasuredTester(with_overrides(Scenario(name="s"), {"nic.link_gbps": 40.0}), None)
