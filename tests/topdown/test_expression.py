"""Formulas: what is read, what it gives, what is refused and with which sentence."""

from __future__ import annotations

from contextlib import suppress

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from planecast.topdown.dimension import PLAIN, parse_dimension
from planecast.topdown.expression import dimension, evaluate, names, parse_expression

VALUES = {"A": np.array([8.0, 1.0]), "B.C:c1": np.array([2.0, 4.0]), "Z": np.array([0.0, 0.0])}


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("A - B.C:c1 - 1", [5, -4]),
        ("A / B.C:c1 / 2", [2, 0.125]),
        ("2 * (A + 1) - -3", [21, 7]),
        ("min(A, B.C:c1, 3)", [2, 1]),
        ("max(A, B.C:c1)", [8, 4]),
        ("A if A > B.C:c1 else 0", [8, 0]),
        ("1 if A > 5 else 2 if A < 5 else 3", [1, 2]),
        ("1e3 * 1.5", [1500, 1500]),
    ],
)
def test_a_formula_gives(text: str, expected: list[float]) -> None:
    found = np.broadcast_to(evaluate(parse_expression(text), VALUES), (2,))
    assert found.tolist() == expected


def test_division_by_nothing_is_not_a_number() -> None:
    assert np.isnan(evaluate(parse_expression("Z / Z"), VALUES)).all()
    assert np.isinf(evaluate(parse_expression("A / Z"), VALUES)).all()


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ("", "is not a valid formula"),
        ("A +", "is not a valid formula"),
        ("A B", "is not a valid formula"),
        ("(A", "never closed"),
        ("A) + (B", "is not a valid formula"),
        ("1 x", "is not a valid formula"),
        ("min(A)", "of two or more"),
        ("min", "of two or more"),
        ("A < B < 2", "one comparison"),
        ("A if B.C:c1", "is not a valid formula"),
        ("__import__('os')", "is not allowed in a formula"),
        ("A(1)", "a formula has"),
        ("(A := 2)", "a formula has"),
        ("A; B", "is not allowed in a formula"),
        ("A ** 2", "a formula has"),
        ("(" * 500 + "A" + ")" * 500, "is not a valid formula|nested too deeply"),
        ("A" * 3000, "3000 characters"),
        ("else", "is not a valid formula"),
    ],
)
def test_what_is_no_formula_gets_a_sentence(text: str, sentence: str) -> None:
    with pytest.raises(ValueError, match=sentence):
        parse_expression(text)


@given(st.text(alphabet="AB.:()+-*/<>=, ifelsmnax019", max_size=40))
def test_any_text_is_read_or_refused(text: str) -> None:
    with suppress(ValueError):  # anything else fails the test
        assert all(name[0].isalpha() for name in names(parse_expression(text)))


UNITS = {
    "CLKS": parse_dimension("cycles"),
    "UOPS": parse_dimension("slots"),
    "WIDTH": parse_dimension("slots/cycle"),
}


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("UOPS / (WIDTH * CLKS)", "1"),
        ("UOPS / CLKS", "slots/cycle"),
        ("CLKS * CLKS / CLKS", "cycles"),
        ("CLKS if UOPS > 0 else 0", "cycles"),
        ("max(0, CLKS - CLKS)", "cycles"),
        ("UOPS / WIDTH < CLKS", "1"),
    ],
)
def test_units_follow_from_the_formula(text: str, expected: str) -> None:
    assert dimension(parse_expression(text), UNITS) == parse_dimension(expected)


@pytest.mark.parametrize("text", ["CLKS + UOPS", "CLKS - 1", "max(CLKS, UOPS)", "CLKS > UOPS"])
def test_different_units_are_not_joined(text: str) -> None:
    with pytest.raises(ValueError, match="joins"):
        dimension(parse_expression(text), UNITS)


def test_units_are_named() -> None:
    assert str(parse_dimension("slots/cycle")) == "slots/cycle"
    assert str(parse_dimension("cycles") / parse_dimension("cycles")) == str(PLAIN)
    with pytest.raises(ValueError, match="allowed are"):
        parse_dimension("furlongs")
