"""``planecast partition verify`` on a measurement that is made up."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from tests.cli.conftest import Run
from tests.partition.test_verify import measured, study

from planecast.partition import interleaved_trials as room
from planecast.results import Result

__all__ = ["measured", "study"]


@pytest.mark.usefixtures("measured")
def test_the_table_says_what_a_neighbour_costs(run: Run, study: Path) -> None:
    answer = run("partition", "verify", study, "--seconds", "1")
    assert answer.code == 0, answer.err
    assert "walk 4MiB" in answer.out
    assert "1.100 [" in answer.out
    assert "nothing is predicted" in answer.out
    assert "the idle neighbour measured twice" in answer.out
    rows = run("partition", "verify", study, "--format", "json").json()["points"]
    assert rows[0]["neighbour"] == "idle"
    assert rows[1]["slowdown"] == pytest.approx(1.1)


def test_a_study_that_is_wrong_is_reported(run: Run, study: Path) -> None:
    study.write_text(study.read_text().replace("spin: true", "spni: true"))
    answer = run("partition", "verify", study)
    assert answer.code == 2
    assert "study.yaml:7: unknown key" in answer.err


@pytest.mark.usefixtures("measured")
def test_a_plan_that_cannot_be_applied_here_is_predicted(
    run: Run, study: Path, repository: Path
) -> None:
    plan = repository / "studies" / "res-6230n.yaml"
    answer = run("partition", "verify", study, "--plan", plan, "--seconds", "1")
    assert answer.code == 0, answer.err
    assert "the plan res-6230n is not applied: the plan is for another machine" in answer.out
    assert "the data plane 0x7f0, the neighbour 0x3" in answer.out


@pytest.mark.usefixtures("measured")
def test_a_busy_machine_is_owned_up_to(
    run: Run, study: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    quiet = room.measure

    def measure(*given: Any, **more: Any) -> list[Result]:
        few = {"notes": ("too few undisturbed windows, 3 of 90",), "disturbed_share": 0.9}
        return [result.model_copy(update=few) for result in quiet(*given, **more)]

    assert "the machine was busy" not in run("partition", "verify", study).out
    monkeypatch.setattr(room, "measure", measure)
    said = run("partition", "verify", study).out
    assert "the machine was busy: 4 of 4 points have too few undisturbed windows, 90 %" in said
