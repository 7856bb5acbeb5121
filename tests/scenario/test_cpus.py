"""CPU lists."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from planecast.scenario import format_cpus, parse_cpus


@pytest.mark.parametrize(
    ("text", "cpus"),
    [("1", (1,)), ("0-3,8", (0, 1, 2, 3, 8)), ("8, 0-1", (0, 1, 8)), ("2,2,1-2", (1, 2))],
)
def test_lists(text: str, cpus: tuple[int, ...]) -> None:
    assert parse_cpus(text) == cpus


@pytest.mark.parametrize("text", ["", "a", "1,", "-1", "1-", "1024", "0-9999", "1.5", "1 2", "٣"])
def test_what_is_no_list_says_so(text: str) -> None:
    with pytest.raises(ValueError, match="which is not a CPU list such as 1 or 0-3,8"):
        parse_cpus(text)


def test_a_range_that_runs_backwards_says_so() -> None:
    with pytest.raises(ValueError, match="3-1 runs backwards"):
        parse_cpus("3-1")


@given(st.sets(st.integers(0, 1023), min_size=1))
def test_formatting_and_parsing_are_inverse(cpus: set[int]) -> None:
    text = format_cpus(cpus)
    assert parse_cpus(text) == tuple(sorted(cpus))
    assert format_cpus(parse_cpus(text)) == text
