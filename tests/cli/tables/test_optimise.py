"""The table of `optimise`: a winner in a gap of the calibration is named."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import pytest
from tests.sweep.conftest import (
    MakeJob,
    base,
    calibration,
    counts,
    hierarchy,
    make_job,
    manifest,
)

from planecast.cli.tables.optimise import optimise_sheet
from planecast.model.calibrated_range import Nearest
from planecast.sweep.confirm import Confirmation, Ranked, Verdict, unconfirmed
from planecast.sweep.optimise import Found, Target, optimise, parse_price

__all__ = ["base", "calibration", "counts", "hierarchy", "make_job", "manifest"]

TARGET = Target(rate_pps=1e6)
FAR = Nearest(distance=0.4, key="placement.burst", spacing=0.1)
NEAR = Nearest(distance=0.05, key="placement.burst", spacing=0.1)


@pytest.fixture
def ranked(make_job: MakeJob) -> tuple[Found, list[Ranked]]:
    job = make_job("placement.burst=8,16,32,64", sample="lhs", points=10, engine="simulate")
    found = optimise(job, [parse_price("placement.burst=1")], TARGET, 10, lambda *_: None)
    return found, list(unconfirmed(job, found.best).ranked)


def notes(found: Found, shown: Sequence[Ranked]) -> list[str]:
    after = Confirmation(shown, {})
    return list(optimise_sheet(shown, after, found, TARGET, "--no-confirm", Path("runs/r")).notes)


def test_a_winner_in_a_gap_is_named(ranked: tuple[Found, list[Ranked]]) -> None:
    found, best = ranked
    shown = [replace(best[0], nearest=FAR), replace(best[1], nearest=NEAR)]
    said = [note for note in notes(found, shown) if "gap of the calibration" in note]
    assert said == [
        "1 lies in a gap of the calibration: the nearest calibration point is 40 % of the "
        "calibrated range away in placement.burst; three of four calibration points have another "
        "within 10 %"
    ]
    sheet = optimise_sheet(shown, Confirmation(shown, {}), found, TARGET, "", Path("runs/r"))
    assert [row["calibration_gap"] for row in sheet.rows] == [True, False]


@pytest.mark.parametrize("verdict", ["undecided", "refuted"])
def test_a_prediction_that_wins_says_no_more_of_the_measured_than_is_known(
    ranked: tuple[Found, list[Ranked]], verdict: Verdict
) -> None:
    found, best = ranked
    shown = [best[1], replace(best[0], measured=best[0].candidate.rate, verdict=verdict)]

    def said(after: Confirmation) -> list[str]:
        sheet = optimise_sheet(shown, after, found, TARGET, "", Path("runs/r"))
        return [note for note in sheet.notes if note.startswith("the first one is a prediction")]

    known = "the first one is a prediction: none of those measured is confirmed"
    assert said(Confirmation(shown, {})) == [f"{known}; --confirm-best measures more of them"]
    assert said(Confirmation(shown, {"machine.llc_size=2 is another machine": 1})) == [known]


def test_next_to_calibration_points_nothing_is_said(ranked: tuple[Found, list[Ranked]]) -> None:
    found, best = ranked
    near = [replace(one, nearest=NEAR) for one in best] + [replace(best[0], nearest=None)]
    assert not [note for note in notes(found, near) if "gap" in note]
