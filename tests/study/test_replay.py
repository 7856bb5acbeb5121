"""Recorded validations, fitted and checked again: regressions show here."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from planecast.errors import InputError
from planecast.study.replay import replay

SHARED = Path(os.environ.get("PLANECAST_SHARED_DATA", Path(__file__).parents[3] / "shared/data"))
OWN = Path(__file__).parent / "recorded"
GOLDEN = {
    SHARED / "hosts" / "zen4-run1": (5.3, 12.7, 93, 33, 10, 4),
    SHARED / "hosts" / "zen4-run2": (4.2, 11.1, 97, 29, 10, 4),
    OWN / "zen4-guest-vpe-upstream": (12.0, 50.4, 83, 113, 20, 4),
    OWN / "zen4-guest-vpe-downstream": (5.2, 12.0, 92, 43, 15, 4),
    OWN / "zen4-guest-ip4": (4.7, 11.2, 100, 31, 15, 4),
    OWN / "zen4-guest-l2bridge": (6.9, 38.8, 92, 72, 14, 3),
}
"""Mean and largest error of the held-out points, their coverage, their interval score and what
their half-widths stay below, in percent, and how many times as much no skill misses, as they were
when the model was last changed: no goals, but what a change must not worsen unseen. Ours are blind
runs of one busy guest, without trials and predictions; the vPE upstream's has only visits next to a
stream during which the CPUs were near each other; l2bridge's is of a stage that asked for a whole
burst's lines."""


@pytest.mark.parametrize("folder", GOLDEN, ids=lambda folder: folder.name)
def test_a_host_that_nobody_tuned_for(folder: Path) -> None:
    if not folder.is_dir():
        pytest.skip("the recordings are not here")
    found = replay(folder)
    mean, most, coverage, score, half_width, times = GOLDEN[folder]
    print(
        f"{folder.name}: mean {found.mean_error_percent:.1f}, max {found.max_error_percent:.1f}, "
        f"coverage {found.coverage_percent:.0f}, half-width {found.half_width_percent or 0:.1f}, "
        f"floor {found.noise_floor_percent or 0:.1f}, no skill "
        f"{found.baseline_error_percent or 0:.1f}"
    )
    assert found.mean_error_percent == pytest.approx(mean, abs=0.3)
    assert found.max_error_percent == pytest.approx(most, abs=1.0)
    assert found.coverage_percent == pytest.approx(coverage, abs=4)
    assert found.interval_score_percent == pytest.approx(score, abs=3)
    assert found.half_width_percent is not None
    assert found.half_width_percent < half_width
    assert found.baseline_error_percent is not None
    assert found.mean_error_percent < found.baseline_error_percent / times


def test_a_folder_that_is_no_recording_is_refused(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="there is no such file"):
        replay(tmp_path)
    (tmp_path / "result.json").write_text("{}")
    (tmp_path / "calibration.json").write_text("{}")
    with pytest.raises(InputError, match="not a recording of a validation"):
        replay(tmp_path)
