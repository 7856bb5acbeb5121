"""Quantities that a person types."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from planecast.scenario.units import (
    bytes_text,
    parse_bytes,
    parse_count,
    parse_duration_s,
    parse_percent,
    parse_rate_pps,
    parse_share,
)


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("4096", 4096),
        ("64Ki", 65536),
        ("1.5k", 1500),
        ("16Mi", 1 << 24),
        ("2K", 2000),
        ("1e6", 10**6),
    ],
)
def test_counts(text: str, value: int) -> None:
    assert parse_count(text) == value


@pytest.mark.parametrize(
    ("text", "value"),
    [("64", 64), ("64B", 64), ("1.5kB", 1500), ("2MiB", 1 << 21), ("9 kB", 9000), ("1Gi", 1 << 30)],
)
def test_bytes(text: str, value: int) -> None:
    assert parse_bytes(text) == value


def test_shares_and_percentages() -> None:
    assert [parse_share(text) for text in ("0.01%", "1e-4", "0.5")] == [1e-4, 1e-4, 0.5]
    assert [parse_percent(text) for text in ("90", "90%", " 0.5 % ", "120")] == [
        0.9,
        0.9,
        0.005,
        1.2,
    ]


@pytest.mark.parametrize("text", ["x", "", "-5", "nan", "inf", "5Mpps", "5%%"])
def test_no_percentage_says_what_it_got(text: str) -> None:
    with pytest.raises(ValueError, match="which is not a percentage such as 90 or 90%"):
        parse_percent(text)


def test_rates_and_durations() -> None:
    assert parse_rate_pps("14.88Mpps") == 14.88e6
    assert parse_rate_pps("500k") == 5e5
    assert [parse_duration_s(t) for t in ("90", "500ms", "2min", "2m", "1h")] == [
        90,
        0.5,
        120,
        120,
        3600,
    ]


@pytest.mark.parametrize(
    "text",
    ["abc", "", "-1", "1.5", "1 2", "0x10", "64kb", "5m", "1e", "nan", "inf", "9" * 40, "1.5B"],
)
def test_a_count_that_is_no_whole_number_says_what_it_got(text: str) -> None:
    with pytest.raises(
        ValueError, match="which is not a whole number such as 4096 or 64Ki"
    ) as error:
        parse_count(text)
    assert f"got '{text}'" in str(error.value)


@given(st.integers(0, 10**15))
def test_a_plain_number_is_itself(number: int) -> None:
    assert parse_count(str(number)) == parse_bytes(f"{number}B") == number
    assert parse_rate_pps(f"{number % 10**12}pps") == float(number % 10**12)


@pytest.mark.parametrize("text", ["1e13", "1e30pps", "9" * 200_000])
def test_no_link_carries_as_much(text: str) -> None:
    with pytest.raises(ValueError, match="got '") as error:
        parse_rate_pps(text)
    assert len(str(error.value)) < 200


@given(
    st.integers(0, 10**6),
    st.sampled_from([("k", 10**3), ("M", 10**6), ("Ki", 2**10), ("Gi", 2**30)]),
)
def test_a_prefix_multiplies(number: int, prefix: tuple[str, int]) -> None:
    assert parse_count(f"{number}{prefix[0]}") == number * prefix[1]


@given(st.text())
def test_any_text_parses_or_says_why(text: str) -> None:
    for parse in (
        parse_count,
        parse_bytes,
        parse_rate_pps,
        parse_duration_s,
        parse_share,
        parse_percent,
    ):
        try:
            assert parse(text) >= 0
        except ValueError as error:
            assert "which is not a" in str(error)  # noqa: PT017  either outcome is right


@given(st.integers(min_value=0, max_value=1 << 40))
def test_a_size_is_read_back_as_it_was(size: int) -> None:
    assert parse_bytes(bytes_text(size)) == size


def test_a_size_is_written_as_a_person_types_it() -> None:
    assert [bytes_text(n) for n in (1 << 28, 1536 << 10, 65)] == ["256MiB", "1536KiB", "65B"]
