"""A column is one entry of the registry: added there, it is in every output."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path

import pytest
from tests.cli.conftest import Run

from planecast.cli.shared.output import emit
from planecast.cli.tables.results import results_sheet
from planecast.report import report_html
from planecast.results import Result, ResultSet, RunDirectory, read_parquet
from planecast.results import columns as registry
from planecast.results.columns import Column, Form, columns_markdown
from planecast.results.compare import compare
from planecast.results.history import observations
from planecast.results.prometheus import prometheus_text
from planecast.results.query import query

MakeResult = Callable[..., Result]


@pytest.fixture
def added(monkeypatch: pytest.MonkeyPatch) -> Column:
    """A column that nobody has: nanoseconds a packet at 2.6 GHz."""
    column = Column(
        "ns_per_packet", Form.ESTIMATE, "ns", title="time", header="ns/packet", better="lower",
        said="Nanoseconds per packet.",
        of=lambda result: result.cycles_per_packet.scaled(1 / 2.6, "ns"),
    )  # fmt: skip
    monkeypatch.setattr(registry, "COLUMNS", (*registry.COLUMNS, column))
    return column


def test_a_column_is_one_entry(
    added: Column,
    run: Run,
    make_result: MakeResult,
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
) -> None:
    result, other = make_result(260.0), make_result(130.0)
    with RunDirectory.create(tmp_path / "runs", "measure", "one") as kept:
        kept.write_result([result])

    emit(results_sheet([result], ["x"]))
    table = capsys.readouterr().out
    assert "ns/packet" in table
    assert "[98.00, 102.0]" in table
    stored = results_sheet([result], ["x"])
    emit(stored, "csv")
    assert "ns_per_packet,ns_per_packet_low,ns_per_packet_high" in capsys.readouterr().out
    emit(stored, "parquet", tmp_path / "x.parquet")
    assert read_parquet(tmp_path / "x.parquet")["ns_per_packet"][0] == pytest.approx(100.0)

    ((value,),) = query("SELECT ns_per_packet FROM results", tmp_path / "runs").rows
    assert value == pytest.approx(100.0)
    assert "<th" in (page := report_html(ResultSet(results=(result,))))
    assert ">time" in page
    compared = {row.metric: row.verdict for row in compare(result, other, interleaved=True).rows}
    assert compared["ns_per_packet"] == "B lower"
    followed = [
        point
        for name, one in (("a", result), ("b", other))
        for point in observations(Path(name), one, "ns_per_packet")
    ]
    assert [round(point.value.value) for point in followed] == [100, 50]
    assert "# HELP planecast_ns_per_packet Nanoseconds per packet." in prometheus_text([result])
    properties = run("schema", "columns").json()["properties"]
    assert properties["ns_per_packet_low"]["unit"] == "ns"
    assert "| `ns_per_packet`, `_low`, `_high` | ns | Nanoseconds per packet. |" in (
        columns_markdown()
    )


def test_the_documented_columns_are_those_of_the_registry(repository: Path) -> None:
    page = repository / "docs/reference/columns.md"
    text = page.read_text(encoding="utf-8")
    said, bar, _ = text.partition("| column |")
    assert bar
    if os.environ.get("PLANECAST_WRITE_GOLDEN") == "1":
        page.write_text(said + columns_markdown(), encoding="utf-8")
    else:
        assert text == said + columns_markdown()
