"""Runs that lie outside each other's intervals are distinguished from noise."""

from __future__ import annotations

from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path

import pytest

from planecast.results import Manifest, Result, RunDirectory
from planecast.results.between_runs import rate_notes, state_notes
from planecast.results.estimate import Estimate
from planecast.results.search import FoundRate, SearchAnswer
from planecast.scenario import Scenario

MakeResult = Callable[..., Result]


@pytest.fixture
def run_of(tmp_path: Path, make_result: MakeResult) -> Callable[..., str]:
    """Makes a run of one result; its note."""
    made = 0

    def make(cycles: float, half: float = 0.03, name: str = "vpe", versions: str = "1") -> str:
        nonlocal made
        made += 1
        result = make_result(cycles)
        low, high = cycles * (1 - half), cycles * (1 + half)
        cost = result.cycles_per_packet.model_copy(update={"low": low, "high": high})
        manifest = result.manifest.model_copy(update={"versions": {"planecast": versions}})
        result = result.model_copy(update={"cycles_per_packet": cost, "manifest": manifest})
        moment = datetime(2026, 1, 2, 3, 4, made, tzinfo=UTC)
        with RunDirectory.create(tmp_path, "measure", name, moment) as run:
            (note,) = state_notes(run, [result])
            run.write_result([result])
        return note

    return make


def test_runs_in_another_state_are_named(run_of: Callable[..., str]) -> None:
    assert run_of(117) == ""
    assert run_of(115) == ""
    note = run_of(142)
    assert note.startswith("outside this interval: 2 of the last 2 runs of this scenario here")
    assert "(115 to 142 cycles/packet)" in note
    assert "1 of the last 3 runs" in run_of(116)


def test_what_is_no_other_run_of_the_same(run_of: Callable[..., str]) -> None:
    run_of(100)
    assert run_of(150, name="other") == ""
    assert run_of(150, versions="2") == ""
    assert run_of(150, half=0.4) == ""  # as unsure as that
    assert run_of(150) != ""


def test_a_run_that_cannot_be_read_is_passed_over(
    run_of: Callable[..., str], tmp_path: Path
) -> None:
    run_of(100)
    (file,) = tmp_path.glob("*/result.json")
    file.write_text("{}")
    assert run_of(150) == ""


def _searched(
    root: Path, manifest: Manifest, mpps: float, *, seconds: float = 0.02, capped: str = ""
) -> list[str]:
    """Keeps a search that found a rate; its notes."""
    pps = mpps * 1e6
    found = Estimate(
        value=pps, low=0.97 * pps, high=1.03 * pps, samples=4, unit="pps", kind="measured"
    )
    by = capped or "data plane"
    rate = FoundRate(loss_ratio=0.005, rate_pps=found, bounds=(), capped_by=by, why="so")
    answer = SearchAnswer(
        method="mlr",
        scenario=Scenario(name="vpe"),
        dataplane="ours",
        trial_seconds=seconds,
        rates={"PDR": rate},
        trials=60,
        manifest=manifest,
    )
    with RunDirectory.create(root, "search", "vpe") as run:
        notes = rate_notes(run, answer)
        run.write_result(answer)
    return notes


def test_searches_in_another_state_are_named(tmp_path: Path, manifest: Manifest) -> None:
    """As they came within ten minutes on a shared guest."""
    assert _searched(tmp_path, manifest, 8.53) == []
    (note,) = _searched(tmp_path, manifest, 9.9)
    assert note.startswith("PDR: outside this interval: 1 of the last 1 runs")
    assert "(8.53 to 9.9 Mpps)" in note
    assert "draw" not in note  # two say too little
    (note,) = _searched(tmp_path, manifest, 11.48)
    assert note.endswith("over these runs, each a draw of the state, 9.97 [6.303, 13.64] Mpps")


def test_searches_that_say_nothing_of_this_one(tmp_path: Path, manifest: Manifest) -> None:
    _searched(tmp_path, manifest, 8.5)
    assert _searched(tmp_path, manifest, 11, seconds=1) == []
    assert _searched(tmp_path, manifest, 11, capped="link") == []
    assert _searched(tmp_path, manifest, 8.6) == []
