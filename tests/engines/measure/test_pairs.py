"""Two scenarios' windows, made up, so that the factor is known."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.engines.measure.conftest import Columns, together, windows

from planecast.engines.measure.pairs import paired_speed


def starts(a: list[float], b: list[float], canaries: float = 2.0) -> Columns:
    """A start for each pair of costs, both points at a visit of forty windows."""
    parts = []
    for restart, costs in enumerate(zip(a, b, strict=True)):
        for point, cost in enumerate(costs):
            place = {"point": point, "restart": restart, "visit": 2 * restart + point}
            parts.append(windows([cost] * 40, canaries=canaries, **place))
    return together(parts)


def test_the_mean_factor_over_the_pairs() -> None:
    speed, note = paired_speed(starts([100, 101, 99, 100], [112, 113, 111, 112]))
    assert speed.value == pytest.approx(1.12, rel=1e-3)
    assert speed.low is not None
    assert speed.high is not None
    assert 1.11 < speed.low < 1.12 < speed.high < 1.13
    assert (speed.samples, speed.kind, speed.unit, note) == (4, "measured", "ratio", "")


def test_what_both_halves_of_a_pair_have_does_not_widen_it() -> None:
    """Starts differ by a quarter; within each the factor is the same."""
    costs = [100.0, 125.0, 90.0, 110.0]
    speed, _ = paired_speed(starts(costs, [1.05 * cost for cost in costs]))
    assert speed.value == pytest.approx(1.05)
    assert speed.low == pytest.approx(speed.high)


@settings(deadline=None, max_examples=20)
@given(st.lists(st.floats(80, 120), min_size=3, max_size=8), st.data())
def test_swapped_it_is_the_inverse(a: list[float], data: st.DataObject) -> None:
    b = data.draw(st.lists(st.floats(80, 120), min_size=len(a), max_size=len(a)))
    (one, _), (other, _) = paired_speed(starts(a, b)), paired_speed(starts(b, a))
    assert one.value == pytest.approx(1 / other.value)
    assert one.low == pytest.approx(1 / (other.high or 1))


def test_disturbed_pairs_are_left_out_while_enough_remain() -> None:
    quiet = starts([100] * 3, [110] * 3)
    loud = starts([100] * 2, [150] * 2, canaries=3.0)
    loud["restart"] = loud["restart"] + 3
    loud["visit"] = loud["visit"] + 6
    speed, note = paired_speed(together([quiet, loud]))
    assert (speed.samples, note) == (3, "")
    assert speed.value == pytest.approx(1.1)


def test_too_few_pairs_have_no_interval() -> None:
    speed, _ = paired_speed(starts([100, 100], [110, 110]))
    assert (speed.samples, speed.interval) == (2, None)
    one_sided = starts([100], [110])
    keep = one_sided["point"] == 0
    with pytest.raises(ValueError, match="no start"):
        paired_speed({name: column[keep] for name, column in one_sided.items()})


def test_all_lcores_count() -> None:
    """One of two lcores is twice as slow: together they are as fast as 0.75 times two."""
    parts = []
    for restart in range(3):
        for point, costs in enumerate(((100.0, 200.0), (100.0, 100.0))):
            for cpu, cost in enumerate(costs):
                place = {"point": point, "restart": restart, "visit": 2 * restart + point}
                parts.append(windows([cost] * 40, cpu=cpu, **place))
    speed, _ = paired_speed(together(parts))
    assert speed.value == pytest.approx(0.75)
