"""Clock domains, hyper-threads, misses, ceilings, generations: they move the right way."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from planecast.errors import InputError
from planecast.machine.ceilings import card_ceilings, forward, hottest_queue
from planecast.machine.clocks import Clocked, core_ghz, forwarding_fixed_share
from planecast.machine.generations import carried_cycles, carried_slots
from planecast.machine.memory import fitted
from planecast.machine.slots import Slots
from planecast.machine.smt import FORWARDERS_USE, busy_sibling_slowdown, speedup
from planecast.machine.stalls import Stalls, footprint_of, miss_share
from planecast.machine.vswitch import Pass, switched
from planecast.reproduce.smt_use import forwarders_use
from planecast.scenario.frames import line_rate_pps
from planecast.scenario.machine import card_of, machine_of, microarchitecture_of

SLOTS = Slots(40, 2, 8, 50)
CLOCKS = st.floats(0.8, 5.0)
SHARES = st.floats(0.0, 0.9)


@given(CLOCKS, CLOCKS, SHARES)
def test_a_faster_clock_helps_less_than_linearly(one: float, other: float, fixed: float) -> None:
    cost = Clocked.split(100, 2.2, fixed)
    assert cost.cycles(2.2) == pytest.approx(100)
    slow, fast = sorted((one, other))
    assert cost.pps(slow) <= cost.pps(fast) * (1 + 1e-12)
    assert cost.pps(fast) <= cost.pps(slow) * fast / slow * (1 + 1e-12)


def test_the_published_uncore_fit() -> None:
    assert forwarding_fixed_share() == pytest.approx(0.0543, abs=1e-4)


def test_classes_of_cores_have_clocks() -> None:
    machine = machine_of("gold-6230n")
    assert core_ghz(machine) == 2.3
    assert core_ghz(machine, priority="high") == 2.7
    with pytest.raises(InputError, match="no cores of high priority"):
        core_ghz(machine_of("gold-6152"), priority="high")


@given(st.floats(1, 99))
def test_a_second_thread_never_harms_nor_doubles(retiring: float) -> None:
    slots = Slots(retiring, 0, 0, 100 - retiring)
    assert 1 <= speedup(slots) <= 2
    assert busy_sibling_slowdown(slots) * speedup(slots) == pytest.approx(2)


def test_the_stated_use_is_the_fitted_one() -> None:
    assert forwarders_use() == pytest.approx(FORWARDERS_USE, abs=0.02)


def test_slots_are_all_of_them() -> None:
    with pytest.raises(ValueError, match="slots of"):
        Slots(40, 2, 8, 40)


@given(st.floats(0.0, 0.3), st.floats(0.31, 1.0), st.floats(0.0, 0.2))
def test_a_loss_comes_back(few: float, many: float, loss: float) -> None:
    if (1 - loss) * many <= few + 0.05:
        return
    stalls = Stalls.of_loss(0.5, 1.8, few, many, loss)
    assert stalls.cpi(few) == pytest.approx((1 - loss) * stalls.cpi(many))
    assert stalls.cpi(many, 3.6) >= stalls.cpi(many)


@given(st.floats(1e5, 1e8), st.floats(1e5, 1e8))
def test_misses_never_rise_with_cache(one: float, other: float) -> None:
    footprint = footprint_of(0.016, 0.32, 2e6)
    assert miss_share(2e6, footprint, 0.016) == pytest.approx(0.32)
    small, large = sorted((one, other))
    assert miss_share(small, footprint, 0.016) >= miss_share(large, footprint, 0.016) >= 0.016


@given(st.integers(1, 32))
def test_more_cores_never_harm_until_a_ceiling(cores: int) -> None:
    limits = card_ceilings(card_of("x710"), ports=4, cards=1, frame_bytes=64)
    more, fewer = forward(5e6, cores + 1, limits), forward(5e6, cores, limits)
    assert more.pps >= fewer.pps
    assert (more.capped_by == "NIC") == (5e6 * (cores + 1) > 35.8e6)


def test_hashing_spreads_few_flows_worse() -> None:
    assert hottest_queue(100, 1) == 1
    assert hottest_queue(100, 8) > hottest_queue(10_000, 8) > 1


def test_line_rate() -> None:
    assert line_rate_pps(10, 64) == pytest.approx(14.88e6, rel=1e-3)


def test_wider_cores_need_fewer_cycles() -> None:
    old, new = microarchitecture_of("broadwell").values, microarchitecture_of("skylake").values
    assert carried_cycles(100, SLOTS, old, old) == pytest.approx(100)
    assert carried_cycles(100, SLOTS, old, new) < 100
    assert carried_slots(SLOTS, old, new).retiring > SLOTS.retiring


def test_memory_goes_through_its_points() -> None:
    points = ((1.2, 82.0), (68.4, 98.9), (135.7, 130.3))
    memory = fitted(points, 136.5)
    assert memory.latency_ns(68.4) == pytest.approx(98.9)
    assert memory.latency_ns(135.7) == pytest.approx(130.3)
    default = memory._replace(rise=0.66, reach=2.11)
    assert default.latency_ns(100) == pytest.approx(memory.latency_ns(100), rel=0.01)
    with pytest.raises(ValueError, match="faster than the load"):
        fitted(((0, 80), (50, 90), (100, 95)), 120)


def test_a_pass_through_a_switch_has_its_nanoseconds() -> None:
    machine = machine_of("gold-6230n")
    small, large = (switched(260, machine, Pass(5, 0.2), size) for size in (64, 1518))
    assert small.core_cycles == large.core_cycles == 260
    assert 0 < small.fixed_ns < large.fixed_ns
