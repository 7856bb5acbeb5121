"""The knee of a curve: where the loss passes a limit."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from planecast.results import Result
from planecast.results.load_curve import KNEE_LOSS, LoadPoint, knee_pps


@pytest.mark.parametrize(
    ("losses", "knee"),
    [
        ([0.0, 0.0, 0.0, 0.01], 3.1),  # a tenth of the way from 0 to 1 %
        ([0.0, 0.0005, 0.0015, 0.1], 2.5),
        ([0.0, 0.002, 0.0, 0.002], 3.5),  # the highest load, whatever was lost below it
        ([0.0, KNEE_LOSS, 0.5, 0.6], 2.0),  # at the limit is not under it
    ],
)
def test_between_the_last_load_under_the_limit_and_the_next(
    losses: list[float], knee: float
) -> None:
    assert knee_pps([1.0, 2.0, 3.0, 4.0], losses) == pytest.approx(knee)


@pytest.mark.parametrize("losses", [[0.0, 0.0005], [0.002, 0.1], []])
def test_there_is_none_outside_the_loads(losses: list[float]) -> None:
    assert knee_pps([1.0, 2.0][: len(losses)], losses) is None


def test_another_limit() -> None:
    assert knee_pps([1.0, 2.0], [0.0, 0.1], limit=0.05) == pytest.approx(1.5)


def test_what_all_trials_together_lost(make_result: Callable[..., Result]) -> None:
    def lost(packets_in: int | None, packets_out: int | None) -> float | None:
        measured = make_result(packets_in=packets_in, packets_out=packets_out)
        return LoadPoint.model_construct(measured=measured).lost_share

    assert lost(1000, 760) == pytest.approx(0.24)
    assert lost(1000, 1001) == 0  # a packet of the warm-up came back
    assert lost(None, None) is None
