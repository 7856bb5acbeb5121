"""``planecast sweep``: from the words to Parquet."""

from __future__ import annotations

from pathlib import Path

from tests.cli.conftest import Run
from tests.cli.test_predict import asked, calibrated

__all__ = ["asked", "calibrated"]


def test_a_sweep_and_its_query(run: Run, asked: Path, calibrated: Path) -> None:
    burst = ("--vary", "placement.burst=16:64:4")
    refusals: tuple[tuple[tuple[str | Path, ...], str], ...] = (
        ((asked, *burst, "--vary", "traffic.flows=1,99Mi"), "--vary traffic.flows=1,99Mi"),
        (("--resume", "latest", *burst), "a sweep goes on with what it began with"),
        (("--resume", "latest"), "the run is no sweep"),
        ((), "name a scenario"),
        ((asked, "--vary", "nic.link_gbps=10,25"), "all 2 points were refused"),
    )
    for words, fragment in refusals:
        answer = run("sweep", *words)
        assert answer.code == 2
        assert fragment in answer.err
    answer = run("sweep", asked, *burst, "--vary", "traffic.flows=1024,32Ki")
    assert answer.code == 0, answer.err
    assert "8 of 8 points answered" in answer.out
    sql = "SELECT count(*) AS n FROM sweeps WHERE throughput_pps > 0"
    assert run("query", sql, "--format", "json").json() == [{"n": 8}]
    sql = "SELECT count(*) AS n FROM results WHERE verb = 'sweep'"
    assert run("query", sql, "--format", "json").json() == [{"n": 5}]
    again = run("sweep", "--resume", "latest")
    assert again.code == 2
    assert "complete" in again.err
