"""The scenario's history: equal runs in a series, its levels, and nothing of other scenarios."""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.explore.conftest import Ask

from planecast.explore.past import MOST_POINTS
from planecast.explore.session import Session
from planecast.results import Result, RunDirectory
from planecast.scenario import with_overrides

LEVELS = (1.0, 1.001, 0.999, 1.0, 0.8, 0.801, 0.799)
"""Rates of runs over the first one's: the fifth is slower by a fifth."""


BURST = {"placement.burst": 5}
"""A scenario that no point of the calibration has."""


def recorded(root: Path, first: Result, shares: tuple[float, ...]) -> list[str]:
    """Runs of that scenario, a day apart, and what they are called."""
    base = first.model_copy(update={"scenario": with_overrides(first.scenario, BURST)})
    names = []
    for day, share in enumerate(shares, 1):
        manifest = base.manifest.model_copy(update={"started_at": f"2026-01-{day:02}T12:00:00Z"})
        rate = base.throughput_pps.scaled(share, "pps")
        with RunDirectory.create(root, "measure", f"day-{day}") as run:
            run.write_result(base.model_copy(update={"manifest": manifest, "throughput_pps": rate}))
        names.append(run.path.name)
    return names


def test_levels_and_the_run_at_which_they_changed(
    ask: Ask, session: Session, points: list[Result]
) -> None:
    slower = recorded(session.root, points[0], LEVELS)[4]
    found = ask("history", changes=BURST)
    assert found["runs"] == len(LEVELS)
    (series,) = found["series"]
    before, now = series["levels"]
    assert (before["verdict"], now["verdict"]) == ("", "regression")
    assert now["first_run"] == slower
    assert now["runs"] == 3
    assert now["change"]["value"] == pytest.approx(0.8, abs=0.01)
    assert now["value"]["low"] < now["value"]["value"] < now["value"]["high"]
    (alone,) = ask("history", changes={})["series"]  # the calibration's own point
    assert [level["verdict"] for level in alone["levels"]] == [""]
    assert ask("history", changes={"placement.burst": 6})["series"] == []


def test_a_new_run_is_seen_and_a_broken_one_passed_over(
    ask: Ask, session: Session, points: list[Result]
) -> None:
    recorded(session.root, points[0], LEVELS[:2])
    first = ask("history", changes=BURST)["runs"]
    recorded(session.root, points[0], (1.002,))
    broken = session.root / "20260101T000000Z-measure-broken"
    broken.mkdir()
    (broken / "result.json").write_text("{")
    assert ask("history", changes=BURST)["runs"] == first + 1


def test_of_a_long_series_the_newest_runs_are_shown(session: Session, points: list[Result]) -> None:
    from planecast.explore.past import history
    from planecast.results.columns import metrics
    from planecast.results.history import Observation

    column = metrics()["throughput_pps"]
    first = points[0].throughput_pps
    many = [
        Observation(
            Path(f"run-{number:04}"),
            session.base,
            column,
            first.scaled(1 + number % 7 / 1e4, "pps"),
            points[0].manifest.model_copy(update={"started_at": f"2026-01-01T00:{number:06}Z"}),
        )
        for number in range(MOST_POINTS + 30)
    ]
    session.past.observations = lambda: many  # type: ignore[method-assign]
    (series,) = history(session.past, session.base)["series"]
    shown = [point["run"] for level in series["levels"] for point in level["points"]]
    assert len(shown) == MOST_POINTS
    assert shown[-1] == many[-1].run.name
    assert sum(level["runs"] for level in series["levels"]) == len(many)
