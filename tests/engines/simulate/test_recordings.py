"""``--duration``, ``--series``, ``--trace``; rings and lcores in the result."""

from __future__ import annotations

import csv
import json
from pathlib import Path

import pytest
from tests.cli.conftest import Run, run
from tests.engines.simulate.test_cli import asked

from planecast.results import ResultSet, read_parquet

__all__ = ["asked", "run"]

LOADED = ("predict", "asked.yaml", "--engine", "simulate", "--set", "traffic.offered_pps=5Mpps")


def test_a_series_adds_up_to_the_result(run: Run, tmp_path: Path) -> None:
    answer = run(*LOADED, "--series", "s.csv", "--interval", "5us", "--format", "json")
    assert answer.code == 0, answer.err
    (found,) = ResultSet.model_validate_json(answer.out).results
    rows = list(csv.DictReader((tmp_path / "s.csv").read_text().splitlines()))
    assert len(rows) == 1000
    assert float(rows[-1]["end_ns"]) == pytest.approx(5e6)
    assert sum(int(row["forwarded"]) for row in rows) == found.packets_out
    assert sum(int(row["offered"]) for row in rows) == found.packets_in
    (lcore,) = found.lcores
    busy = [float(row[f"busy_{lcore}"]) for row in rows]
    assert sum(busy) / len(busy) == pytest.approx(found.lcores[lcore].busy, abs=0.01)
    waiting = [int(row["waiting_port0.rx0"]) for row in rows]
    assert max(waiting) <= found.queues["port0.rx0"].max <= found.queues["port0.rx0"].capacity
    assert any("5 ms from empty rings on" in note for note in found.notes)
    polls = [float(row[f"vectors_{lcore}"]) for row in rows]
    mean = found.lcores[lcore].vectors_per_call.value
    assert min(polls) <= mean <= max(polls)


def test_the_run_keeps_the_series_for_its_report(run: Run, tmp_path: Path) -> None:
    answer = run(*LOADED, "--series", "s.csv", "--interval", "50us")
    assert answer.code == 0, answer.err
    assert run("report", "latest", "-o", "page.html").code == 0
    page = (tmp_path / "page.html").read_text()
    assert 'id="over-time-0"' in page
    assert "simulated time, µs" in page or "simulated time, \\u00b5s" in page


def test_several_scenarios_in_one_series(run: Run, tmp_path: Path) -> None:
    answer = run(
        *LOADED, "--vary", "placement.lcores=1,2", "--series", "s.parquet", "--duration", "1ms"
    )
    assert answer.code == 0, answer.err
    columns = read_parquet(tmp_path / "s.parquet")
    assert list(dict.fromkeys(columns["scenario"])) == ["lcores=1", "lcores=2"]
    assert len(columns["end_ns"]) == 200


def test_a_trace_opens_in_perfetto(run: Run, tmp_path: Path) -> None:
    answer = run(*LOADED, "--trace", "t.json", "--duration", "100us")
    assert answer.code == 0, answer.err
    events = json.loads((tmp_path / "t.json").read_text())["traceEvents"]
    assert {"M", "X", "C"} == {event["ph"] for event in events}
    bursts = [event for event in events if event["ph"] == "X"]
    assert all(event["ts"] >= 0 and event["dur"] > 0 for event in bursts)
    packets = sum(event["args"]["packets"] for event in bursts)
    assert packets == pytest.approx(500, abs=40)


@pytest.mark.parametrize(
    ("words", "sentence"),
    [
        (["--trace", "t", "--engine", "solve"], "--trace: the closed form simulates no time"),
        (
            ["--interval", "1us"],
            "--interval: an interval is of a series, and none is asked for; add --series, or leave",
        ),
        (["--trace", "t", "--vary", "traffic.flows=1,2"], "a trace is of one scenario, not of 2"),
        (["--duration", "soon"], "--duration: got 'soon', which is not a time such as"),
        (["--duration", "0"], "--duration: got '0'; give 1ns to 11 days"),
        (
            ["--series", "s", "--duration", "1h", "--interval", "1us"],
            "the duration has 3,600,000,000 intervals, more than 1,000,000; take longer ones",
        ),
    ],
)
def test_mistakes_are_sentences(run: Run, words: list[str], sentence: str) -> None:
    answer = run(*LOADED, *words)
    assert (answer.code, answer.out) == (2, "")
    assert sentence in " ".join(answer.err.split())


def test_help_reports_them(run: Run) -> None:
    words = " ".join(run("predict", "--help").out.split())
    for option in ("--trace", "--series", "--interval", "--duration", "accelerator"):
        assert option in words
