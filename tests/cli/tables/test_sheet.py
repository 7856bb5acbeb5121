"""A column's values as people read them, and as machines get them."""

from __future__ import annotations

from typing import Any

import pytest

from planecast.cli.tables import neighbours
from planecast.cli.tables.sheet import Column, Sheet, Worded, percent
from planecast.results import Estimate

COST = Estimate(value=250e6, low=240e6, high=260e6, unit="pps", kind="measured")


@pytest.mark.parametrize(
    ("column", "value", "text"),
    [
        (Column("x", "x", absent="–"), None, "–"),
        (Column("x", "x", form="{:.1f} %"), 12.34, "12.3 %"),
        (Column("x", "x", form="{:.4g}"), "1 to 2", "1 to 2"),
        (Column("x", "x", form=percent("{:.0f} %")), 0.25, "25 %"),
        (Column("x", "x", form="{:.2f}", scale=1e6), 2_500_000, "2.50"),
        (Column("x", "x", scale=1e6), COST, "250.0 [240.0, 260.0]"),
        (Column("x", "x", form="{:.4g}"), Worded(1.0, "one"), "one"),
        (Column("x", "x"), True, "yes"),
        (Column("x", "x"), 1234, "1234"),
        (Column("x", "x"), 1234.5, "1,234"),
    ],
)
def test_people_read(column: Column, value: Any, text: str) -> None:
    assert column.text(value) == text


def test_machines_get_values_and_ends() -> None:
    columns = (
        Column("name", "name"),
        Column("pps", "Mpps", scale=1e6, ends=("pps_low", "pps_high")),
        Column("shown", "shown", of=lambda item: item["name"], people_only=True),
        Column("hidden"),
    )
    sheet = Sheet(columns, [{"name": Worded("a", "A"), "pps": COST, "shown": "s", "more": 1}, {}])
    assert sheet.keys == ["name", "pps", "pps_low", "pps_high", "hidden"]
    assert [column.key for column in sheet.shown] == ["name", "pps", "shown"]
    full = {"name": "a", "pps": 250e6, "pps_low": 240e6, "pps_high": 260e6, "more": 1}
    assert sheet.rows == [full, {}]


def test_columns_read_what_a_row_is_about() -> None:
    sheet = Sheet.of((Column("value", "v"), Column("half", of=lambda one: one.value / 2)), [COST])
    assert sheet.rows == [{"value": 250e6, "half": 125e6}]


def test_an_error_that_rounds_to_zero_has_no_minus() -> None:
    (error,) = (one for one in neighbours._COLUMNS if one.key == "error_percent")
    assert [error.text(value) for value in (-0.04, 0.04, -1.26)] == ["+0.0", "+0.0", "-1.3"]
