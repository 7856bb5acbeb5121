"""A busy sibling's cost from the canaries of a run: found when it is there, not when it isn't."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
from tests.calibrations import base, calibration, counts, hierarchy, manifest

from planecast.errors import InputError
from planecast.instruments.canary import busy
from planecast.model.calibration import Calibration
from planecast.partition.sibling import predicted_slowdown, sibling_costs
from planecast.results import Result, RunDirectory
from planecast.scenario import Scenario

__all__ = ["base", "calibration", "counts", "hierarchy", "manifest"]

CANARY, WINDOWS = 2.4, 48


def trials(visits: int, busy_visits: int, slower: float) -> dict[str, np.ndarray]:
    """Two workloads of 100 and 200 cycles, slower in visits in which a sibling is busy."""
    random = np.random.default_rng(1)
    rows: dict[str, list[float]] = {}
    labels = []
    for visit in range(2 * visits):
        point, disturbed = visit % 2, visit // 2 < busy_visits
        canary = CANARY * (random.uniform(1.25, 1.6) if disturbed else 1.0)
        for window in range(WINDOWS):
            cost = 100 * (point + 1) * (slower if disturbed else 1.0) * random.uniform(1, 1.02)
            row = {
                "point": point,
                "visit": visit,
                "cpu": 1,
                "restart": 0,
                "window": window,
                "packets": 2048,
                "cycles": 2048 * cost,
                "canary_compute_before": canary * random.uniform(1, 1.004),
                "canary_compute_after": canary * random.uniform(1, 1.004),
            }
            labels.append(f"w{point}")
            for name, value in row.items():
                rows.setdefault(name, []).append(value)
    found = {name: np.array(values) for name, values in rows.items()}
    return {**found, "label": np.array(labels, dtype=object)}


@pytest.fixture
def make_run(tmp_path: Path, make_result: Callable[..., Result]) -> Callable[..., RunDirectory]:
    def make(columns: dict[str, np.ndarray] | None) -> RunDirectory:
        with RunDirectory.create(tmp_path, "measure", "vpe") as run:
            run.write_result([make_result(100.0), make_result(200.0)])
            if columns is not None:
                run.write_trials(columns)
        return run

    return make


def test_what_was_put_in_is_found(make_run: Callable[..., RunDirectory]) -> None:
    one, two = sibling_costs(make_run(trials(20, 8, 1.4)), None)
    assert (one.label, two.label) == ("w0", "w1")
    for cost in (one, two):
        assert cost.slowdown is not None
        assert cost.slowdown.value == pytest.approx(1.4, rel=0.01)
        assert cost.slowdown.covers(1.4)
        assert cost.busy_windows == 8 * WINDOWS
        assert cost.canary_slowdown == pytest.approx(1.42, abs=0.15)
        assert cost.predicted_slowdown == pytest.approx(1.6)
        assert cost.lacking == ""
    assert one.own is not None
    assert one.own.value == pytest.approx(101, rel=0.01)


def test_too_few_trials_in_a_state_give_no_figure(make_run: Callable[..., RunDirectory]) -> None:
    (one, _) = sibling_costs(make_run(trials(20, 2, 1.4)), None)
    assert one.own is not None
    assert one.slowdown is None
    assert one.lacking == "too few: 96 busy windows of 2 visits"
    (never, _) = sibling_costs(make_run(trials(20, 0, 1.4)), None)
    assert never.lacking == "too few: 0 busy windows of 0 visits"


def test_the_model_says_what_the_workloads_empty_slots_say(calibration: Calibration) -> None:
    found = predicted_slowdown(Scenario(name="vpe"), calibration)
    assert 1.2 < found < 2.0
    assert found != pytest.approx(1.6)


def test_a_run_without_trials_or_canaries_is_reported(
    make_run: Callable[..., RunDirectory],
) -> None:
    with pytest.raises(InputError, match="the run has no trials"):
        sibling_costs(make_run(None), None)
    bare = {name: c for name, c in trials(4, 1, 1.4).items() if not name.startswith("canary")}
    with pytest.raises(InputError, match="have no canaries"):
        sibling_costs(make_run(bare), None)


def test_busy_is_between_a_clock_step_and_a_stop() -> None:
    pairs = np.array([[1.0, 1.0], [1.15, 1.15], [1.3, 1.5], [1.3, 1.0], [1.3, 5.0]])
    assert busy(pairs, 1.0).tolist() == [False, False, True, False, False]
