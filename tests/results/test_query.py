"""SQL over runs."""

from __future__ import annotations

import logging
import os
import signal
import threading
from collections.abc import Callable
from pathlib import Path
from typing import NoReturn

import numpy as np
import pytest

from planecast.errors import InputError
from planecast.results import Result, RunDirectory
from planecast.results.query import query
from planecast.results.validation import Validation, ValidationPoint

MakeResult = Callable[..., Result]


@pytest.fixture
def runs(tmp_path: Path, make_result: MakeResult) -> Path:
    """Two runs: two measured results with trials, and a validation."""
    with RunDirectory.create(tmp_path, "measure", "x") as run:
        run.write_result([make_result(250.0), make_result(300.0, {"traffic.flows": 8})])
        run.write_trials({"cycles": np.array([1, 2, 3])})
    with RunDirectory.create(tmp_path, "validate", "x") as run:
        measured, predicted = make_result(100.0), make_result(110.0, kind="computed")
        point = ValidationPoint.of(
            {}, measured, predicted, held_out=True, extrapolates=False, reproduce=""
        )
        run.write_result(Validation.of("s", [point], {}, measured.manifest))
        run.write_trials({"cycles": np.array([4]), "canary": np.array([0.5])})
    return tmp_path


def test_a_long_question_can_be_interrupted(tmp_path: Path) -> None:
    def interrupt(_: int, __: object) -> NoReturn:
        raise KeyboardInterrupt

    before = signal.signal(signal.SIGUSR1, interrupt)
    late = threading.Timer(0.5, os.kill, (os.getpid(), signal.SIGUSR1))
    late.start()
    try:
        with pytest.raises(KeyboardInterrupt):
            query("SELECT count(*) FROM range(10000000000) a, range(1000) b", tmp_path)
    finally:
        late.cancel()
        signal.signal(signal.SIGUSR1, before)


def test_results_have_a_row_each(runs: Path) -> None:
    table = query(
        "SELECT verb, role, traffic_flows, cycles_per_packet, cycles_per_packet_low, dropped, "
        "round(error_percent, 3) FROM results ORDER BY cycles_per_packet",
        runs,
    )
    assert table.columns[:2] == ["verb", "role"]
    assert table.rows == [
        ("validate", "measured", 65536, 100.0, 98.0, 10, None),
        ("validate", "predicted", 65536, 110.0, 107.8, 10, 10.0),
        ("measure", "result", 65536, 250.0, 245.0, 10, None),
        ("measure", "result", 8, 300.0, 294.0, 10, None),
    ]


def test_trials_of_all_runs_are_one_view(runs: Path) -> None:
    table = query(
        "SELECT split_part(run, '-', 2) AS verb, sum(cycles), max(canary) FROM trials GROUP BY 1 "
        "ORDER BY 1",
        runs,
    )
    assert table.rows == [("measure", 6, None), ("validate", 4, 0.5)]


def test_no_runs_are_no_rows(tmp_path: Path) -> None:
    assert query("SELECT * FROM results", tmp_path / "absent").rows == []
    assert query("SELECT * FROM trials", tmp_path).rows == []


def test_a_run_that_cannot_be_read_is_left_out_and_said(
    runs: Path, caplog: pytest.LogCaptureFixture
) -> None:
    with RunDirectory.create(runs, "measure", "broken") as run:
        (run.path / "result.json").write_text("{")
    RunDirectory.create(runs, "measure", "unfinished")
    with caplog.at_level(logging.WARNING):
        assert query("SELECT count(*) FROM results", runs).rows == [(4,)]
    (message,) = caplog.messages
    assert "left out: " in message
    assert "broken" in message


@pytest.mark.parametrize(
    ("sql", "got"),
    [
        ("COPY trials TO '{there}' (FORMAT parquet, USE_TMP_FILE false)", "got COPY"),
        ("COPY (SELECT 1) TO '{elsewhere}'", "got COPY"),
        ("COPY (PIVOT trials ON run USING sum(cycles)) TO '{elsewhere}'", "columns are not known"),
        ("EXPLAIN ANALYZE COPY trials TO '{there}' (USE_TMP_FILE false)", "got EXPLAIN"),
        ("EXPORT DATABASE '{elsewhere}'", "got EXPORT"),
        ("ATTACH '{elsewhere}'", "got ATTACH"),
        ("SELECT 1; COPY trials TO '{elsewhere}'", "got SELECT and COPY"),
        ("SET enable_external_access = true", "got SET"),
        ("-- nothing", "got nothing"),
        ("SELECT * FROM read_text('{private}')", "disabled by configuration"),
        ("SELECT * FROM '{private}'", "disabled by configuration"),
        ("SELECT * FROM glob('{folder}/*')", "disabled by configuration"),
    ],
)
def test_a_question_reads_runs_and_writes_nothing(
    runs: Path, tmp_path_factory: pytest.TempPathFactory, sql: str, got: str
) -> None:
    outside = tmp_path_factory.mktemp("outside")
    private, elsewhere = outside / "private.csv", outside / "written"
    private.write_text("secret\n1\n")
    there = next(runs.glob("*/trials.parquet"))
    before = there.read_bytes()
    places = {"there": there, "elsewhere": elsewhere, "private": private, "folder": outside}
    with pytest.raises(InputError, match=got):
        query(sql.format(**places), runs)
    assert there.read_bytes() == before
    assert not elsewhere.exists()


def test_a_question_may_have_any_form(runs: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(runs)
    for sql, rows in (
        ("WITH t AS (SELECT cycles FROM trials) SELECT sum(cycles) FROM t", 1),
        ("FROM trials", 4),
        ("DESCRIBE trials", 3),
        ("PIVOT trials ON cycles IN (1, 4) USING count(*)", 2),
    ):
        assert len(query(sql, Path()).rows) == rows


def test_wrong_sql_is_a_sentence(runs: Path) -> None:
    with pytest.raises(
        InputError, match=r"query: .*nope.*; the views are results, trials and sweeps"
    ):
        query("SELECT * FROM nope", runs)
