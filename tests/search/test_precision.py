"""When a rate needs further starts, and what is said of one that is less precise than wanted."""

from __future__ import annotations

import pytest

from planecast.results.search import Bounds, FoundRate
from planecast.scenario import Scenario
from planecast.search.combine import found_rate
from planecast.search.precision import ONE_REPETITION, needs_more, precision_notes
from planecast.search.question import Question
from planecast.search.tester import Ceiling

GENERATOR = Ceiling(6e6, "generator", "the generator sent no more than 6 Mpps")


def _bounds(*rates: float, capped: int = 0) -> list[Bounds]:
    """Met rates, 0.5 % wide, and after them some that the generator capped below them."""
    met = [
        Bounds(repetition=n, low_pps=rate * 0.995, high_pps=rate, trials=9)
        for n, rate in enumerate(rates)
    ]
    none = Bounds(repetition=0, low_pps=6e6, high_pps=None, trials=9)
    return met + [
        none.model_copy(update={"repetition": len(met) + number}) for number in range(capped)
    ]


def _rate(bounds: list[Bounds]) -> FoundRate:
    return found_rate(bounds, 0.0, [GENERATOR] * len(bounds), "measured")


def _question(repetitions: int = 4) -> Question:
    return Question(
        method="mlr", engine="measure", scenario=Scenario(name="t"), repetitions=repetitions
    )


@pytest.mark.parametrize(
    ("bounds", "more"),
    [
        (_bounds(8e6, 8.01e6, 8e6, 8.02e6), False),
        (_bounds(7.7e6, 4.2e6, 8.6e6, 8.1e6), True),
        (_bounds(8e6, capped=3), True),  # one start is no spread
        (_bounds(8e6, 8.01e6, 8e6, capped=1), False),
        (_bounds(capped=4), False),  # further starts would be capped, too
        (_bounds(8e6), False),  # one was asked for
    ],
)
def test_starts_that_differ_need_more(bounds: list[Bounds], more: bool) -> None:
    assert needs_more(bounds, 0.03, "measured") is more


def test_starts_of_a_simulation_do_not_differ() -> None:
    assert not needs_more(_bounds(8e6, capped=3), 0.03, "simulated")


def test_a_rate_known_worse_than_wanted_is_named() -> None:
    rates = {"NDR": _rate(_bounds(7.7e6, 4.2e6, 8.6e6, 8.1e6)), "PDR": _rate(_bounds(8e6, 8e6))}
    (note,) = precision_notes(rates, _question())
    half = rates["NDR"].rate_pps.half_width_percent
    assert half is not None
    assert note.startswith(f"NDR is known to ±{half:.1f} %, more than the 3 % wanted: its 4 starts")


def test_a_rate_of_one_start_of_several_is_named() -> None:
    (note,) = precision_notes({"NDR": _rate(_bounds(8e6, capped=3))}, _question())
    assert note.startswith("NDR rests on one repetition")


def test_one_repetition_is_said_once() -> None:
    rates = {name: _rate(_bounds(8e6)) for name in ("NDR", "PDR")}
    assert precision_notes(rates, _question(1)) == [ONE_REPETITION]


def test_a_rate_without_an_interval_is_not_judged() -> None:
    assert precision_notes({"NDR": _rate(_bounds(capped=4))}, _question()) == []
