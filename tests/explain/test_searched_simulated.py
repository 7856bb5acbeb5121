"""A simulated search, explained: its stages are those that the simulator was given."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest
from tests.explain.test_searched import answer

from planecast.explain.explain_inputs import own_calibration
from planecast.explain.search_basis import SearchBasis
from planecast.explain.searched import GIVEN, explain_search
from planecast.model.calibration import Calibration
from planecast.model.prediction import predict
from planecast.results import RunDirectory
from planecast.results.basis import Basis
from planecast.results.search import SearchAnswer
from planecast.scenario import Scenario


def simulated(scenario: Scenario) -> SearchAnswer:
    """As `answer`, but for who answered the trials."""
    made = answer("testpmd", {})
    found = made.rates["NDR"]
    rate = found.rate_pps.model_copy(update={"kind": "simulated"})
    rates = {"NDR": found.model_copy(update={"rate_pps": rate})}
    return made.model_copy(update={"scenario": scenario, "rates": rates})


def test_stages_are_what_the_simulator_was_given(base: Scenario, calibration: Calibration) -> None:
    found = explain_search(simulated(base), "run", SearchBasis(calibration=calibration))
    said = predict([base], calibration)
    assert found.cycles_per_packet is not None
    assert found.cycles_per_packet.value == pytest.approx(float(said.value[0]))
    assert found.cycles_per_packet.kind == "computed"
    cycles = {stage.stage: stage.cycles.value for stage in found.stages if stage.cycles}
    assert cycles == pytest.approx({name: one[0] for name, (one, _) in said.stages.items()})
    assert all(stage.instructions is not None for stage in found.stages)
    assert all(stage.causes for stage in found.stages)
    assert GIVEN in found.notes


def test_without_a_calibration_it_has_its_rate(base: Scenario) -> None:
    found = explain_search(simulated(base), "run")
    assert found.stages == ()
    assert GIVEN not in found.notes


def test_its_calibration_is_the_one_that_it_ran_with(repository: Path, tmp_path: Path) -> None:
    name = "20261125T033438Z-validate-ovs"
    shutil.copytree(repository / "docs/examples/explain/runs" / name, tmp_path / name)
    basis = Basis(
        run=name, digest="0", made_at="", cpu="", this_host=True, choice="latest of this host"
    )
    made = simulated(Scenario(name="any"))
    made = made.model_copy(
        update={"manifest": made.manifest.model_copy(update={"calibration": basis})}
    )
    with RunDirectory.create(tmp_path, "search", "any") as run:
        run.write_result(made)
    assert own_calibration(RunDirectory(run.path)).run == str(tmp_path / name)
