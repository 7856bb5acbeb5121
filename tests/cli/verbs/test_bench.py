"""``planecast bench``: one line, a table, and a run."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from tests.cli.conftest import SMALL, Run
from tests.dataplanes.conftest import Fake

from planecast.cli.verbs.bench import verdict
from planecast.native import native_folder
from planecast.results import Estimate, RunDirectory, read_parquet
from planecast.results.content import results_of


def speed(value: float, low: float, high: float, pairs: int = 8) -> Estimate:
    return Estimate(value=value, low=low, high=high, samples=pairs, unit="ratio", kind="measured")


@pytest.fixture
def other(tmp_path: Path) -> Path:
    path = tmp_path / "other.yaml"
    path.write_text(SMALL.replace("small", "other"))
    return path


@pytest.mark.parametrize(
    ("found", "line"),
    [
        (speed(1.12, 1.10, 1.14), "a is 1.12 ± 0.02 times faster than b (95 % interval 1.10 to "
         "1.14, 8 pairs)"),
        (speed(0.5, 0.495, 0.505), "b is 2.00 ± 0.02 times faster than a (95 % interval 1.98 to "
         "2.02, 8 pairs)"),
        (speed(1.003, 0.998, 1.008), "no difference was shown: a is 1.003 ± 0.005 times as fast as "
         "b (95 % interval 0.998 to 1.008, 8 pairs); they are the same within 1 %"),
        (speed(1.05, 0.9, 1.2), "no difference was shown: a is 1.05 ± 0.15 times as fast as b "
         "(95 % interval 0.90 to 1.20, 8 pairs)"),
    ],
)  # fmt: skip
def test_the_line(found: Estimate, line: str) -> None:
    assert verdict(found, ("a", "b")) == line


def test_too_few_pairs_show_nothing() -> None:
    few = Estimate(value=1.5, samples=2, unit="ratio", kind="measured")
    assert verdict(few, ("a", "b")).startswith("no difference was shown: a was 1.5 times as fast")


def test_a_line_a_table_and_a_run(
    run: Run, small: Path, other: Path, fake: Fake, quick: None
) -> None:
    answer = run("bench", small, other, "--pairs", "3")
    assert answer.code == 0, answer.err
    first = answer.out.splitlines()[0]
    assert "times" in first
    assert "3 pairs" in first
    (folder,) = Path("runs").iterdir()
    assert "-bench-small-other" in folder.name
    results = results_of(RunDirectory(folder).read())
    assert [result.scenario.name for result in results] == ["small", "other"]
    assert all(first in result.notes for result in results)
    trials = read_parquet(folder / "trials.parquet")
    assert set(trials["restart"]) == {0, 1, 2}
    assert len(set(trials["cpu"])) == 1


def test_for_machines(run: Run, small: Path, other: Path, fake: Fake, quick: None) -> None:
    answer = run("bench", small, other, "--pairs", "3", "--format", "json")
    found = answer.json()
    assert [one["scenario"] for one in found["scenarios"]] == ["small", "other"]
    assert found["faster"]["samples"] == 3
    assert found["faster"]["low"] <= found["faster"]["value"] <= found["faster"]["high"]
    assert "3 pairs" in found["verdict"]


def test_different_cpus_are_no_bench(run: Run, small: Path, tmp_path: Path, fake: Fake) -> None:
    elsewhere = tmp_path / "elsewhere.yaml"
    elsewhere.write_text(SMALL.replace("cpus: 0", "cpus: 1").replace("small", "elsewhere"))
    answer = run("bench", small, elsewhere)
    assert answer.code == 2
    assert "they would run on different CPUs, 0 and 1" in answer.err
    assert fake.starts() == []


def test_a_dry_run(run: Run, small: Path, other: Path, fake: Fake) -> None:
    answer = run("bench", small, other, "--dry-run")
    assert answer.code == 0
    assert "started 8 times" in answer.out
    assert not Path("runs").exists()


@pytest.mark.live
def test_the_same_scenario_twice(run: Run, small: Path, alone: None) -> None:
    if not (native_folder() / "planecast-dataplane").exists():
        pytest.skip("the data plane is not built")
    words = ("--pairs", "3", "--seconds", "2", "--patience", "0")
    answer = run("bench", small, small, *words, "--format", "json")
    found = json.loads(answer.out)
    # Whatever the machine does at the time, neither is twice as fast as itself.
    assert 0.5 < found["faster"]["value"] < 2
    assert found["faster"]["samples"] >= 1
