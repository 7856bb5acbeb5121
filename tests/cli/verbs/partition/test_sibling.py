"""``planecast partition sibling``."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from tests.cli.conftest import Run
from tests.partition.test_sibling import make_run, trials

from planecast.results import RunDirectory

__all__ = ["make_run"]


def test_the_table_has_both_states_and_the_model(
    run: Run, make_run: Callable[..., RunDirectory], tmp_path: Path
) -> None:
    path = make_run(trials(20, 8, 1.3)).path
    answer = run("partition", "sibling", path)
    assert answer.code == 0, answer.err
    assert "1.300" in answer.out or "1.30" in answer.out
    assert "as of any workload" in answer.out
    (row, _) = run("partition", "sibling", path, "--format", "json").json()["workloads"]
    assert row["slowdown"] == pytest.approx(1.3, rel=0.01)
    assert row["slowdown_low"] < 1.3 < row["slowdown_high"]


def test_too_few_is_said(run: Run, make_run: Callable[..., RunDirectory]) -> None:
    answer = run("partition", "sibling", make_run(trials(10, 1, 1.3)).path)
    assert "w0: too few: 48 busy windows of 1 visits" in answer.out
