"""The studies that are shipped: one for each network function, and what their points are."""

from __future__ import annotations

from pathlib import Path

import pytest

from planecast.scenario import FUNCTIONS
from planecast.scenario.study import load_study


@pytest.mark.parametrize("kind", FUNCTIONS)
def test_each_function_has_a_study_whose_points_are_held_out_or_calibrated_on(
    kind: str, repository: Path
) -> None:
    study = load_study(repository / "studies" / f"{kind}.yaml")
    assert study.name == kind
    calibrated = study.scenarios(study.calibrate)
    held_out = study.scenarios(study.hold_out)
    assert calibrated[0] == study.scenario  # measured again among the others: the anchor
    assert {one.workload.kind for one in (*calibrated, *held_out)} == {kind}
    assert not [one for one in held_out if one in calibrated]
    bursts = {one.placement.burst for one in calibrated}
    assert len(bursts) >= 3
    # The source and the sink alone, where there are stages to leave out.
    stages = {one.workload.stages for one in calibrated}
    assert {(), study.scenario.workload.stages} <= stages
