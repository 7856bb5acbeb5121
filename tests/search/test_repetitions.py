"""Which repetitions are out of line, and what is said of them."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from planecast.results.search import Bounds
from planecast.search.repetitions import (
    handoff_note,
    moved_repetition,
    outlying,
    outlying_notes,
    sibling_note,
    state_note,
)
from planecast.search.trial import Trial


def _bounds(*rates: float, width: float = 0.005) -> list[Bounds]:
    return [
        Bounds(repetition=number, low_pps=rate * (1 - width), high_pps=rate, trials=9)
        for number, rate in enumerate(rates)
    ]


@pytest.mark.parametrize(
    ("rates", "out"),
    [
        ((8e6, 8e6, 8e6, 8e6), []),
        ((7.7e6, 4.2e6, 8.6e6, 8.1e6), [1]),  # as it came in a search of Open vSwitch
        ((8e6, 8.1e6, 12e6, 8e6), [2]),
        ((8e6, 4e6, 8.1e6, 4.1e6, 8e6), [1, 3]),  # two states
        ((8e6, 7.8e6, 8.2e6, 7.9e6), []),
        ((4e6, 5e6, 6e6, 7e6, 8e6), []),  # spread, and none of them apart
        ((8e6, 4e6), []),  # which of two?
    ],
)
def test_those_apart_from_others_that_agree(rates: tuple[float, ...], out: list[int]) -> None:
    assert list(outlying(_bounds(*rates))) == out


def test_bounds_that_are_wide_are_not_apart() -> None:
    assert outlying(_bounds(8e6, 8e6, 7e6, width=0.2)) == {}


def test_the_distance_to_the_others() -> None:
    assert outlying(_bounds(8e6, 4e6, 8e6)) == {1: pytest.approx(-50.0, abs=0.1)}
    none = [one.model_copy(update={"high_pps": None}) for one in _bounds(8e6, 8e6, 6e6)]
    assert outlying(none) == {2: pytest.approx(-25.0, abs=0.2)}


@given(st.floats(1e3, 1e9), st.lists(st.floats(-0.001, 0.001), min_size=3, max_size=10))
def test_noise_is_not_out_of_line(rate: float, noise: list[float]) -> None:
    assert outlying(_bounds(*(rate * (1 + one) for one in noise), width=0.0)) == {}


def _trial(repetition: int, intended_pps: float = 1e6, **keys: Any) -> Trial:
    return Trial(
        repetition=repetition,
        intended_pps=intended_pps,
        intended_seconds=1,
        seconds=1,
        offered=10,
        received=10,
        **keys,
    )


@pytest.mark.parametrize(
    ("odd", "usual", "says"),
    [
        ({"handoff_ns": 340.0}, {"handoff_ns": 60.0}, "340 ns apart, the others' 60"),
        (
            {"dataplane_cpu": 0.7},
            {"dataplane_cpu": 0.99},
            "the data plane's thread had 70% of its CPU, 99% in the others",
        ),
        ({"canary_cycles": 4.0}, {"canary_cycles": 2.8}, "cost 4 cycles, 2.8 in the others"),
        ({"pages": "mixed"}, {"pages": "2MiB"}, "in pages of mixed, the others' in 2MiB"),
        ({"handoff_ns": 62.0}, {"handoff_ns": 60.0}, "no cause is seen"),
    ],
)
def test_what_was_different_is_said(odd: dict[str, Any], usual: dict[str, Any], says: str) -> None:
    trials = [_trial(number, **(odd if number == 1 else usual)) for number in range(4)]
    (note,) = outlying_notes("NDR", _bounds(8e6, 4e6, 8e6, 8e6), trials)
    assert note.startswith("NDR: repetition 2 is out of line: 3.99 Mpps, -50 % of the others' 7.98")
    assert says in note


def test_cpus_that_were_moved_in_the_course_of_one_are_said() -> None:
    ways = ((0, 60.0), (1, 60.0), (1, 170.0), (2, 60.0), (3, 61.0))
    trials = [_trial(repetition, handoff_ns=ns) for repetition, ns in ways]
    (note,) = outlying_notes("NDR", _bounds(8e6, 4e6, 8e6, 8e6), trials)
    assert "its CPUs were 60 to 170 ns apart in the course of it" in note


def test_the_way_between_the_cpus_is_said() -> None:
    assert handoff_note([_trial(0)]) == []
    (same,) = handoff_note([_trial(0, handoff_ns=60.0), _trial(1, handoff_ns=64.0)])
    assert "62 ns" in same
    (moved,) = handoff_note([_trial(0, handoff_ns=60.0), _trial(1, handoff_ns=340.0)])
    assert "60 to 340 ns" in moved


def test_a_busy_sibling_is_said() -> None:
    assert sibling_note([_trial(0)]) == []
    quiet = [_trial(0, canary_cycles=2.8), _trial(1, canary_cycles=2.9)] * 4
    assert sibling_note(quiet) == []
    (said,) = sibling_note([*quiet, *[_trial(2, canary_cycles=3.9)] * 2])
    assert said == (
        "another guest was busy on the data plane's core in 20% of the trials: a fixed piece of "
        "work cost 3.9 cycles there, 2.85 in the others"
    )


def test_rates_are_said_by_state() -> None:
    bounds = _bounds(8e6, 4e6, 8.2e6, 4e6, width=0)
    apart = (50.0, 220.0, 55.0, 230.0)
    trials = [_trial(number, handoff_ns=ns) for number, ns in enumerate(apart)]
    (note,) = state_note("NDR", bounds, trials)
    assert (
        "50 to 55 ns apart 8 to 8.2 Mpps (2 of 4 repetitions); 220 to 230 ns apart 4 Mpps" in note
    )
    assert state_note("NDR", bounds, [_trial(number, handoff_ns=50.0) for number in range(4)]) == []
    assert state_note("NDR", bounds, [_trial(0)]) == []


def test_the_way_that_counts_is_that_of_the_trials_at_the_rate() -> None:
    """CPUs that were far apart for a part of a repetition, in which its rate was found."""
    bounds = _bounds(8e6, 4e6, width=0)
    trials = [
        *(_trial(number, handoff_ns=25.0) for number in (0, 1, 1)),
        *(_trial(1, handoff_ns=160.0, intended_pps=rate) for rate in (4.1e6, 3.9e6)),
    ]
    (note,) = state_note("PDR", bounds, trials)
    assert "25 ns apart 8 Mpps (1 of 2 repetitions); 160 ns apart 4 Mpps (1)" in note


@pytest.mark.parametrize(
    ("ways", "left_out"),
    [
        ([26.0] * 10, ""),
        ([26.0] * 8 + [160.0] * 2, "in 2 of 10 trials a cache line took 160 ns"),
        ([26.0] * 19 + [160.0], ""),  # no search rests on it
        ([160.0] * 10, "in 10 of 10 trials"),
        ([26.0] * 7 + [10.0, 11.0, 160.0], "in 3 of 10 trials a cache line took 10 to 160 ns"),
        ([None] * 10, ""),
    ],
)
def test_a_repetition_with_its_cpus_apart_is_left_out(
    ways: list[float | None], left_out: str
) -> None:
    trials = [_trial(0, handoff_ns=25.0)] * 10 + [_trial(1, handoff_ns=way) for way in ways]
    said = moved_repetition(trials, 1)
    assert said.startswith("repetition 2 is left out: " if left_out else "")
    assert left_out in said
    assert bool(said) is bool(left_out)
    assert not moved_repetition([trial for trial in trials if trial.repetition == 1], 1) or left_out


def test_waits_for_cpus_are_said() -> None:
    (said,) = handoff_note([_trial(0, handoff_ns=26.0, waited_s=1.4), _trial(0, handoff_ns=27.0)])
    assert said == (
        "a cache line took 26 ns from CPU to CPU, while trials ran; 1.4 s were waited for them to "
        "come back"
    )
