"""Answers on their way out."""

from __future__ import annotations

import json
from decimal import Decimal
from pathlib import Path

import pytest

from planecast.cli.shared.output import chosen_format, emit
from planecast.cli.tables.sheet import Column, Sheet, estimate_text
from planecast.errors import RunError
from planecast.results import Estimate, read_parquet

SHEET = Sheet(
    columns=(Column("name", "Name"), Column("cost_cycles", "cycles", number=True)),
    values=[{"name": "a, b", "cost_cycles": 1234.5678}, {"name": "[red]", "cost_cycles": None}],
    notes=("a note",),
)


def test_the_format_follows_the_name_of_the_file() -> None:
    assert chosen_format(None, None) == "table"
    assert chosen_format(None, Path("x.JSON")) == "json"
    assert chosen_format(None, Path("x.txt")) == "table"
    assert chosen_format("csv", Path("x.json")) == "csv"


def test_a_table_shows_text_as_it_is(capsys: pytest.CaptureFixture[str]) -> None:
    emit(SHEET)
    out = capsys.readouterr().out
    assert "[red]" in out
    assert "1,235" in out
    assert out.endswith("a note\n")
    assert all(line == line.rstrip() for line in out.splitlines())


def test_machines_get_raw_values(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    emit(SHEET, "csv")
    assert capsys.readouterr().out == 'name,cost_cycles\n"a, b",1234.5678\n[red],\n'
    emit(SHEET, "json")
    assert json.loads(capsys.readouterr().out)[0] == {"name": "a, b", "cost_cycles": 1234.5678}
    emit(SHEET, None, tmp_path / "s.parquet")
    assert list(read_parquet(tmp_path / "s.parquet")["name"]) == ["a, b", "[red]"]


def test_a_file_that_cannot_be_written_is_a_sentence(tmp_path: Path) -> None:
    for name in ("s.csv", "s.parquet"):
        with pytest.raises(RunError, match="can't write"):
            emit(SHEET, None, tmp_path / "absent" / name)


@pytest.mark.parametrize(
    ("value", "low", "high", "text"),
    [
        (260.1234, 254.8, 265.21, "260.1 [254.8, 265.2]"),
        (12.3456, None, None, "12.35"),
        (0.98765, 0.9, 1.1, "0.988 [0.900, 1.100]"),
        (10_400_000.0, 1e7, 1.1e7, "10,400,000 [10,000,000, 11,000,000]"),
    ],
)
def test_estimates_have_four_digits(
    value: float, low: float | None, high: float | None, text: str
) -> None:
    estimate = Estimate(value=value, low=low, high=high, unit="x", kind="measured")
    assert estimate_text(estimate) == text
    assert estimate_text(None) == "–"
    assert estimate_text(estimate, scale=value).startswith("1.000")


def test_json_has_no_value_that_is_none_of_json(capsys: pytest.CaptureFixture[str]) -> None:
    nan, infinite = float("nan"), float("inf")
    estimate = Estimate(value=1.0, samples=1, unit="pps", kind="measured")
    estimate = estimate.model_copy(update={"value": nan})
    row = {"a": nan, "b": [infinite, 1], "c": Decimal("1.5"), "d": (estimate,), "e": Path("x")}
    emit(Sheet((), (), document={"rows": [row]}), "json")
    read = json.loads(capsys.readouterr().out, parse_constant=pytest.fail)["rows"][0]
    assert (read["a"], read["b"], read["c"], read["e"]) == (None, [None, 1], 1.5, "x")
    assert read["d"][0]["value"] is None
    emit(Sheet((), (), document=estimate), "json")
    assert json.loads(capsys.readouterr().out, parse_constant=pytest.fail)["value"] is None
