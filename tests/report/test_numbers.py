"""Numbers as a reader sees them."""

from __future__ import annotations

import pytest

from planecast.report.numbers import count_text, digits, estimate_text, kinds_text, percent
from planecast.results import Estimate


@pytest.mark.parametrize(
    ("number", "text"),
    [
        (0.0, "0.000"),
        (0.0123456, "0.01235"),
        (0.5, "0.5"),
        (2.0214, "2.021"),
        (45.678, "45.68"),
        (-260.14, "-260.1"),
        (10412.4, "10,412"),
    ],
)
def test_four_digits_are_enough(number: float, text: str) -> None:
    assert digits(number) == text


def test_a_percentage_has_its_sign() -> None:
    assert [percent(2.14), percent(-0.35), percent(0.0)] == ["+2.1 %", "−0.3 %", "+0.0 %"]


def test_an_estimate_says_all_it_knows() -> None:
    known = Estimate(value=250, low=245, high=256, samples=9, unit="cycles/packet", kind="measured")
    bare = Estimate(value=1.5, unit="ratio", kind="computed")
    assert estimate_text(known) == "250.0 [245.0, 256.0] cycles/packet (measured)"
    assert estimate_text(bare) == "1.500 ratio (computed)"
    assert kinds_text([known, None, bare, known]) == "measured or computed"


def test_one_is_singular() -> None:
    assert [count_text(1, "point"), count_text(2400, "point")] == ["1 point", "2,400 points"]
