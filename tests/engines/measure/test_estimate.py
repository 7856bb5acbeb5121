"""Windows that were made up, so that the truth is known."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.engines.measure.conftest import TSC_HZ, Answer, facts, spread, together, windows

from planecast.engines.measure.counted_windows import undisturbed_rows
from planecast.engines.measure.estimate import (
    OPINION,
    QUANTILE,
    ROTATES,
    PointFacts,
    at_reference,
    clock_step,
    estimate_point,
    own_opinion,
)
from planecast.engines.measure.reference import CLOCK_SHARE, Reference
from planecast.results import Estimate, Manifest, Result
from planecast.results.result import FEW_WINDOWS
from planecast.scenario import Scenario

STAGES = {"tx": 0.1, "source": 0.3, "acl": 0.4}


def test_the_lower_quartile_of_all_visits(answer: Answer) -> None:
    found = answer(together([windows(spread(200), visit=visit) for visit in range(8)]))
    cost = found.cycles_per_packet
    assert cost.value == pytest.approx(200, rel=1e-3)
    assert cost.low is not None
    assert cost.high is not None
    assert cost.low <= cost.value <= cost.high
    assert (cost.samples, cost.unit, cost.kind) == (400, "cycles/packet", "measured")
    assert found.throughput_pps.value == pytest.approx(TSC_HZ / 200, rel=1e-3)
    assert (found.packets_in, found.packets_out, found.drops) == (100, 90, {"acl": 10})
    assert (found.disturbed_share, found.capped_by) == (0.0, "core")
    assert found.notes == ("pages of 2MiB",)


@pytest.mark.parametrize(
    ("share", "buffers", "notes"), [(np.nan, np.nan, 0), (0.05, 8191.0, 0), (0.5, 8191.0, 1)]
)
def test_packet_buffers_that_go_round_are_named(
    answer: Answer, share: float, buffers: float, notes: int
) -> None:
    parts = [windows(spread(200), visit=visit) for visit in range(8)]
    for part in parts:
        part["rotation_share"] = np.full(len(part["cycles"]), share)
        part["rotation_buffers"] = np.full(len(part["cycles"]), buffers)
    said = [note for note in answer(together(parts)).notes if note.startswith(ROTATES)]
    assert len(said) == notes
    assert not said or "50% of the packets" in said[0]
    assert not said or "all 8,191 of the memory pool" in said[0]


def test_disturbed_windows_are_left_out(answer: Answer) -> None:
    parts = []
    for visit in range(0, 24, 4):
        parts.append(windows(spread(200), visit=visit))
        parts.append(windows(spread(300), canaries=3.0, visit=visit + 1))
        parts.append(windows(spread(250), canaries=2.5, visit=visit + 2))
        # The canary before each window is undisturbed, that after it isn't.
        parts.append(windows(spread(150), visit=visit + 3))
        parts[-1]["canary_compute_after"] = np.full(50, 2.1)
    found = answer(together(parts))
    assert found.cycles_per_packet.value == pytest.approx(200, rel=1e-3)
    assert found.cycles_per_packet.samples == 300
    assert found.disturbed_share == pytest.approx(3 / 4)


def test_windows_of_all_clocks_are_stated_at_one(answer: Answer) -> None:
    clocks = (2.0, 2.0, 2.0, 2.08, 2.16)
    parts = [
        windows(spread(200 * (clock / 2.08) ** CLOCK_SHARE, width=0.01), canaries=clock, visit=v)
        for v, clock in enumerate(clocks * 3)
    ]
    columns = together(parts)
    good = undisturbed_rows(columns)
    assert good.all()
    stated = dict(at_reference(columns, good, Reference(canary_cycles=2.08)))
    assert answer(stated).cycles_per_packet.value == pytest.approx(200, rel=2e-3)
    assert answer(columns).cycles_per_packet.value < 197
    assert at_reference(columns, good, None) is columns


def test_too_few_undisturbed_windows_are_owned_up_to(answer: Answer) -> None:
    # Another point, undisturbed, shows what undisturbed is.
    parts = [windows(spread(100), point=1, visit=9)]
    parts += [windows(spread(200, 10), visit=1), windows(spread(300, 30), canaries=3.0, visit=2)]
    found = answer(together(parts))
    assert found.notes[1].startswith(f"{FEW_WINDOWS}, 10 of 40")
    assert found.cycles_per_packet.samples == 20
    assert found.disturbed_share == 0.75


def test_one_lcore_may_be_disturbed_all_the_time(answer: Answer) -> None:
    parts = [windows(spread(100), point=1, visit=0, cpu=cpu) for cpu in (0, 1)]
    for visit in range(1, 5):
        parts.append(windows(spread(200), visit=visit, cpu=0))
        parts.append(windows(spread(400), canaries=3.0, visit=visit, cpu=1))
    found = answer(together(parts), "0-1")
    assert found.notes[1].startswith(f"{FEW_WINDOWS} on CPU 1, 0 of 200")
    assert len(found.notes) == 2
    # The twenty of a disturbed CPU are the first ones: their canaries are all the same.
    rate = TSC_HZ / 200 + TSC_HZ / (400 * (1 + 0.1 * (4.75 / 49 - QUANTILE)))
    assert found.throughput_pps.value == pytest.approx(rate, rel=5e-3)


def test_two_lcores_add_up(answer: Answer) -> None:
    parts = [
        windows(spread(cost), visit=visit, cpu=cpu)
        for visit in range(6)
        for cpu, cost in ((0, 200), (1, 250))
    ]
    found = answer(together(parts), "0-1")
    rate = TSC_HZ / 200 + TSC_HZ / 250
    assert found.throughput_pps.value == pytest.approx(rate, rel=1e-3)
    assert found.cycles_per_packet.value == pytest.approx(2 * TSC_HZ / rate, rel=1e-3)
    assert found.cycles_per_packet.samples == 600


def test_a_chain_forwards_what_its_last_lcore_does(answer: Answer) -> None:
    """The first one also got what was dropped on the way; both lcores' time is spent."""
    first, last = {"source": 0.2, "acl": 0.4}, {"dequeue": 0.2, "route": 0.3, "tx": 0.1}
    parts = [
        windows(spread(cost), visit=visit, cpu=cpu, segment=cpu, stages=stages)
        for visit in range(6)
        for cpu, cost, stages in ((0, 200, first), (1, 250, last))
    ]
    found = answer(together(parts), "0-1", cuts="classify")
    assert found.throughput_pps.value == pytest.approx(TSC_HZ / 250, rel=1e-3)
    assert found.cycles_per_packet.value == pytest.approx(500, rel=1e-3)
    values = {name: stage.cycles_per_packet for name, stage in found.stages.items()}
    assert list(values) == ["source", "dequeue", "acl", "route", "tx"]
    # As they are: the lcores spent the rest waiting for each other.
    assert values["dequeue"] is not None
    assert values["dequeue"].value == pytest.approx(50, rel=0.01)


def test_stages_add_up_to_the_whole(answer: Answer) -> None:
    parts = [windows(spread(200), visit=visit, stages=STAGES) for visit in range(6)]
    # A point with other stages, so that columns of both are there.
    parts.append(windows(spread(90), visit=7, point=1, stages={"source": 0.5, "route": 0.5}))
    columns = together(parts)
    found = answer(columns)
    assert list(found.stages) == ["source", "acl", "tx"]
    costs = {name: stage.cycles_per_packet for name, stage in found.stages.items()}
    assert all(cost is not None and cost.covers(cost.value) for cost in costs.values())
    values = {name: cost.value for name, cost in costs.items() if cost is not None}
    assert sum(values.values()) == pytest.approx(found.cycles_per_packet.value)
    assert values["acl"] / values["tx"] == pytest.approx(4, rel=1e-6)
    assert list(answer(columns, point=1).stages) == ["source", "route"]


def test_without_a_clock_between_stages_there_are_none(answer: Answer) -> None:
    columns = windows(spread(200), stages=STAGES)
    columns["sampled_packets"] = np.zeros(50)
    for name in STAGES:
        columns[f"stage_{name}_cycles"] = np.zeros(50)
    assert answer(columns).stages == {}


def test_restarts_that_differ_widen_the_interval(answer: Answer) -> None:
    def width(*costs: float) -> float:
        parts = [
            windows(spread(cost), restart=number, visit=10 * number + visit)
            for number, cost in enumerate(costs)
            for visit in range(6)
        ]
        return answer(together(parts)).cycles_per_packet.half_width_percent or 0.0

    same, near, far = width(200, 200, 200), width(198, 200, 202), width(180, 200, 220)
    assert same < near < far
    # Half the 95 % interval of a mean of three instances whose deviation is 2 of 200.
    assert near > 100 * 1.96 * 2 / 3**0.5 / 202


def test_disturbed_instances_do_not_count_and_a_note_says_that_they_differ(
    answer: Answer,
) -> None:
    def found(*costs: float) -> Result:
        parts = [
            windows(spread(cost, width=0.01), restart=number, visit=number)
            for number, cost in enumerate(costs)
        ]
        return answer(together(parts))

    quiet, one, most = found(200, 200, 200), found(200, 200, 300), found(200, 280, 300)
    assert one.cycles_per_packet.value == pytest.approx(200, rel=2e-3)
    assert most.cycles_per_packet.value == pytest.approx(201, rel=5e-3)  # a third of its windows
    widths = [f.cycles_per_packet.half_width_percent or 0.0 for f in (quiet, one, most)]
    assert widths[0] <= widths[1] < widths[2]
    assert found(200, 204, 204).notes == ("pages of 2MiB",)
    said = found(200, 230, 230).notes[1]
    assert all(fact in said for fact in ("14 %", "to 230", "in 3"))


def test_visits_that_were_not_steady_are_not_counted(answer: Answer) -> None:
    parts = [windows(spread(200), visit=visit, steady=True) for visit in range(3)]
    parts.append(windows(spread(300), visit=3, steady=False))
    found = answer(together(parts))
    assert found.cycles_per_packet.value == pytest.approx(200, rel=1e-3)
    assert (found.cycles_per_packet.samples, found.steady_share) == (150, 0.75)
    assert found.notes[1].startswith("not steady: 1 of 4")
    assert found.notes[1].endswith("not counted")
    # Where too few instances have steady visits all are counted, and the result says so.
    parts = [
        windows(spread(cost), visit=n, restart=n, steady=n == 0)
        for n, cost in enumerate((200, 300, 310))
    ]
    found = answer(together(parts))
    assert found.cycles_per_packet.samples == 150
    assert found.notes[1].startswith("not steady: 2 of 3 visits")
    assert "included because too few other windows" in found.notes[1]
    found = answer(together([windows(spread(300), visit=v, steady=False) for v in range(2)]))
    assert found.cycles_per_packet.value == pytest.approx(300, rel=1e-3)
    assert (found.steady_share, found.disturbed_share) == (0, 0)
    assert found.notes[1].startswith("not steady: 2 of 2")


def test_restarts_that_differ_wildly_leave_a_positive_cost(answer: Answer) -> None:
    parts = [
        windows(spread(cost), restart=number, visit=number) for number, cost in enumerate((10, 900))
    ]
    found = answer(together(parts))
    assert found.cycles_per_packet.low is not None
    assert found.cycles_per_packet.low > 0
    assert found.throughput_pps.interval is not None
    assert found.throughput_pps.interval[0] > 0
    assert np.isfinite(found.throughput_pps.interval[1])


@given(
    st.lists(st.lists(st.floats(10, 1000), min_size=1, max_size=30), min_size=1, max_size=5),
    st.integers(1, 3),
)
def test_the_value_lies_in_its_interval(costs: list[list[float]], restarts: int) -> None:
    columns = together(
        [windows(c, visit=visit, restart=visit % restarts) for visit, c in enumerate(costs)]
    )
    made_by = Manifest(command="c", seed=1, started_at="t", host={}, versions={}, engine="measure")
    good: Any = undisturbed_rows(columns)
    alone = Scenario.model_validate({"name": "s", "placement": {"cpus": "0"}})
    found = estimate_point(alone, columns, good, facts(), made_by)
    for part in (found.cycles_per_packet, found.throughput_pps):
        assert part.covers(part.value)
        assert part.low is not None
        assert part.low > 0


def test_visits_of_a_point_are_summed() -> None:
    class Answer:
        tsc_hz, page_size = TSC_HZ, "4KiB"
        packets_in, packets_out, drops = 10, 8, {"acl": 2, "tx": 0}
        own_cycles_per_packet = 100.0

    found = PointFacts(3)
    for _ in range(2):
        found.add(Answer())  # type: ignore[arg-type]
    assert (found.packets_in, found.packets_out, found.drops) == (20, 16, {"acl": 4, "tx": 0})
    assert found.own == [100.0, 100.0]


@pytest.mark.parametrize(
    ("visits", "said"),
    [
        ([104.0, 108.0, 400.0], None),
        ([104.0, 150.0, 400.0], "150.0 cycles a packet in the median of 3 visits, 50% more"),
        ([80.0], "20% less"),
    ],
)
def test_a_programs_own_counters_are_a_second_opinion(
    visits: list[float], said: str | None
) -> None:
    ours = Estimate(value=100.0, samples=9, unit="cycles/packet", kind="measured")
    assert own_opinion([], ours) == ({}, ())
    found, notes = own_opinion(visits, ours)
    assert found[OPINION].samples == len(visits)
    assert (said is None) == (notes == ())
    assert said is None or said in notes[0]


def test_no_stage_is_known_better_than_a_step_of_the_clock(answer: Answer) -> None:
    """All bursts of a stage read alike: the clock has steps, and its median no spread."""
    parts = [windows([200.0] * 50, visit=visit, stages=STAGES) for visit in range(6)]
    for stage in answer(together(parts)).stages.values():
        cost = stage.cycles_per_packet
        assert cost is not None
        assert cost.low is not None
        assert cost.high is not None
        assert cost.low < cost.value < cost.high


def test_a_stage_is_known_no_better_than_process_instances_agree(
    answer: Answer,
) -> None:
    """A stage that took 76, 80 and 84 cycles in three instances: its cost is not known to 1 %,
    and a comparison of two such runs must not find a difference."""
    parts = [
        windows(spread(cost), visit=visit, restart=restart, stages=STAGES)
        for restart, cost in enumerate((190, 200, 210))
        for visit in range(6 * restart, 6 * restart + 6)
    ]
    found = answer(together(parts))
    whole = found.cycles_per_packet
    assert whole.low is not None
    for stage in found.stages.values():
        cost = stage.cycles_per_packet
        assert cost is not None
        assert cost.low is not None
        assert cost.low / cost.value == pytest.approx(whole.low / whole.value, rel=0.03)


@pytest.mark.parametrize("share", [1 / 16, 1 / 4, 1 / 2, 3 / 4, 0.9, 1.0])
def test_what_some_polls_do_has_its_share(answer: Answer, share: float) -> None:
    """A program gathers packets and sends them once in several polls: of a window four polls are
    sampled, and many windows have too little of it among them, or nothing."""
    rng = np.random.default_rng(5)
    parts = []
    for visit in range(24):
        part = windows(spread(200), visit=visit, stages=STAGES)
        sent = rng.binomial(4, share, 50) / 4
        part["stage_tx_cycles"] = part["stage_tx_cycles"] * sent / share
        parts.append(part)
    found = answer(together(parts)).stages["tx"].cycles_per_packet
    usual = answer(windows(spread(200), stages=STAGES)).stages["tx"].cycles_per_packet
    assert found is not None
    assert usual is not None
    assert found.covers(found.value)
    assert found.value == pytest.approx(usual.value, rel=0.25)


def test_a_step_of_the_clock_is_the_distance_of_the_next_readings() -> None:
    coarse = np.array([26.0, 26.0, 26.0, 52.0, 78.0]) / 32
    assert clock_step(coarse, 26 / 32) == pytest.approx(26 / 32)
    assert clock_step(np.full(9, 3.0), 3.0) == 0
    assert clock_step(np.linspace(10, 20, 1001), 15.0) == pytest.approx(0.01)
