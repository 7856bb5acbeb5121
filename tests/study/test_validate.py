"""A whole study on a machine that is made up, and on one that obeys the model."""

from __future__ import annotations

import hashlib
import json
import shlex
from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from tests.calibrations import true_costs

from planecast.instruments.host_state import HostStates
from planecast.instruments.probe import probe_machine
from planecast.machine.hierarchy import Hierarchy
from planecast.results import Estimate, Manifest, Result, RunDirectory, StageResult, read_parquet
from planecast.scenario import Scenario, load_scenario
from planecast.scenario.override import parse_set
from planecast.scenario.study import Study, load_study
from planecast.study.calibrate import Context, calibrate_study
from planecast.study.instructions import count_pipelines
from planecast.study.validate import reproduce, validate


@pytest.fixture
def context(study: Study, machine: Any, manifest: Manifest, tmp_path: Path) -> Context:
    run = RunDirectory.create(tmp_path / "runs", "validate", study.name)
    # Less than a person may ask for: every point is visited twice all the same.
    study = study.model_copy(update={"budget": study.budget.model_copy(update={"seconds": 0.01})})
    return Context(study, run, manifest, lambda done, total, words: None)


def obeying(study: Study, percent: float = 1.0) -> Callable[..., list[Result]]:
    """A measurement on a machine whose every cost is that of the model with known parameters."""
    hierarchy = Hierarchy.of(probe_machine(cpu=0))
    counts = count_pipelines(study.scenarios((*study.calibrate, *study.hold_out)))

    def estimate(value: float) -> Estimate:
        half = value * percent / 100
        return Estimate(
            value=value,
            low=value - half,
            high=value + half,
            samples=50,
            unit="cycles/packet",
            kind="measured",
        )

    def answer(scenarios: Sequence[Scenario], manifest: Manifest) -> list[Result]:
        stages = true_costs(scenarios, hierarchy, counts)
        whole = sum(stages.values(), np.zeros(len(scenarios)))
        return [
            Result(
                scenario=scenario,
                throughput_pps=estimate(float(2e9 / whole[i])).scaled(1, "pps"),
                cycles_per_packet=estimate(float(whole[i])),
                stages={
                    name: StageResult(cycles_per_packet=estimate(float(cost[i])))
                    for name, cost in stages.items()
                    if cost[i] > 0
                },
                capped_by="core",
                notes=("pages of 4KiB",),
                manifest=manifest,
            )
            for i, scenario in enumerate(scenarios)
        ]

    def made_up(
        scenarios: Sequence[Scenario], budget: Any, manifest: Manifest, **_: Any
    ) -> list[Result]:
        return answer(scenarios, manifest)

    return made_up


def test_a_machine_that_obeys_the_model_is_predicted(
    context: Context, monkeypatch: pytest.MonkeyPatch
) -> None:
    truth = obeying(context.study)
    there: list[tuple[int, set[str]]] = []

    def watched(
        scenarios: Sequence[Scenario], columns: Any, facts: Any, manifest: Manifest
    ) -> list[Result]:
        assert {fact.point for fact in facts} == set(columns["point"])
        there.append((len(scenarios), {path.name for path in context.run.path.iterdir()}))
        return truth(scenarios, context.study.budget, manifest)

    monkeypatch.setattr("planecast.study.interleaved.estimate", watched)
    with context.run:
        found = validate(context)
    # Calibration rows are read first; then, the predictions being there, the held-out ones and an
    # anchor's.
    calibrated, held = len(context.study.calibrate), len(context.study.hold_out)
    assert [count for count, _ in there] == [calibrated, held + 1]
    assert "predictions.json" not in there[0][1]
    assert {"calibration.json", "predictions.json", "held-out.parquet"} < there[1][1]
    assert "result.json" not in there[1][1]
    kept = (context.run.path / "predictions.json").read_bytes()
    assert found.predictions_sha256 == hashlib.sha256(kept).hexdigest()
    assert not (context.run.path / "held-out.parquet").exists()

    assert found.max_error_percent < 2
    assert found.coverage_percent == 100
    assert [point.held_out for point in found.points] == [False] * calibrated + [True] * held
    beyond = {"workload.flows", "placement.rx_ring"}
    for point in found.points:
        assert point.extrapolates == bool(beyond & set(point.overrides))
    assert found.repeatability is not None
    assert found.repeatability.value == pytest.approx(1.0)
    for point in found.points:
        assert point.measured.instructions_per_packet is not None
        assert point.predicted.cycles_per_packet.kind == "computed"
    assert context.run.read() == found
    assert not context.run.partial
    # What is on disk from before is what is compared.
    kept = json.loads((context.run.path / "predictions.json").read_text())["results"]
    assert kept == [p.predicted.model_dump(mode="json") for p in found.points if p.held_out]


def test_a_whole_study_on_the_made_up_machine(context: Context, machine: Any) -> None:
    heard: list[tuple[float, str]] = []
    context = Context(
        context.study,
        context.run,
        context.manifest,
        lambda done, total, words: heard.append((done / total, words)),
    )
    with context.run:
        found = validate(context)
    trials = read_parquet(context.run.path / "trials.parquet")
    assert set(trials["phase"]) == {0, 1}
    labels = [set(trials["label"][trials["phase"] == phase]) for phase in (0, 1)]
    assert labels[0] == {p.label for p in found.points if not p.held_out}
    assert labels[1] == {p.label for p in found.points if p.held_out} | {"base"}
    shares = [share for share, _ in heard]
    assert shares == sorted(shares)
    assert shares[0] >= 0
    assert shares[-1] <= 1
    assert {"probing caches and memory", "counting instructions"} < {words for _, words in heard}
    # Both kinds were visited by the same processes, and two visits in a row are of one point.
    for restart in set(trials["restart"]):
        assert set(trials["phase"][trials["restart"] == restart]) == {0, 1}
    first = np.unique(trials["visit"], return_index=True)[1]
    order = [trials["point"][i] for i in first]
    assert order[::2] == order[1::2]
    assert (np.diff(np.sort(trials["began_tsc"][first])) > 0).all()
    text = (context.run.path / "host-state.json").read_text()
    times = [state.began_tsc for state in HostStates.model_validate_json(text).states]
    assert len(times) == 2  # one start of the processes: none at half-time
    assert times[0] < trials["began_tsc"].min()
    assert times[1] > trials["began_tsc"].max()


def test_an_interrupt_while_measuring_leaves_both_kinds_of_rows_apart(
    context: Context, monkeypatch: pytest.MonkeyPatch
) -> None:
    heard: list[str] = []

    def interrupted(done: float, total: float, words: str) -> None:
        rows = {path.name for path in context.run.path.iterdir()}
        assert not rows & {"trials.parquet", "held-out.parquet"}
        heard.append(words)
        every = len(context.study.calibrate) + len(context.study.hold_out) + 1
        if "building the tables" in heard[:-every]:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt), context.run:
        validate(replace(context, progress=interrupted))
    assert (context.run.path / "partial").read_text() == "interrupted\n"
    trials = read_parquet(context.run.path / "trials.parquet")
    held = read_parquet(context.run.path / "held-out.parquet")
    assert set(trials["phase"]) == {0}
    assert set(held["phase"]) == {1}
    assert not set(trials["point"]) & set(held["point"])
    assert not (context.run.path / "predictions.json").exists()


def test_points_that_leave_a_parameter_open_leave_it_at_its_prior(
    context: Context, study: Study
) -> None:
    fewer = replace(context, study=study.model_copy(update={"calibrate": study.calibrate[:3]}))
    found = calibrate_study(fewer).calibration
    open_ones = {one.name for one in found.parameters if one.informed < 0.1}
    assert "neighbour.stream" in open_ones  # no point has a neighbour


def scenario_of(command: str, folder: Path) -> Scenario:
    """The scenario that a `planecast measure` command measures."""
    program, verb, path, *options = shlex.split(command)
    assert (program, verb) == ("planecast", "measure")
    assert options[::2] == ["--set"] * (len(options) // 2)
    return load_scenario(folder / path, dict(parse_set(text) for text in options[1::2]))


def test_the_command_of_a_point_measures_that_point(repository: Path) -> None:
    study = load_study(repository / "studies" / "vpe-upstream.yaml")
    points = (*study.calibrate, *study.hold_out, *study.check)
    wanted = study.scenarios(points)
    assert len(points) > 25
    for point, scenario in zip(points, wanted, strict=True):
        assert scenario_of(reproduce(Path(study.source), point), Path()) == scenario
    assert any("none" in reproduce(Path(study.source), point) for point in points)
    assert any("lcores=2" in reproduce(Path(study.source), point) for point in points)


def test_the_command_names_a_file_with_spaces(tmp_path: Path, scenario_file: Path) -> None:
    folder = tmp_path / "my studies"
    folder.mkdir()
    path = folder / "it's one.yaml"
    path.write_text(
        f"name: s\nscenario: ../{scenario_file.name}\n"
        "calibrate: [{traffic.flows: 4Ki}]\nhold_out: [{workload.stages: none}]\n"
    )
    study = load_study(path)
    for point in (*study.calibrate, *study.hold_out):
        assert scenario_of(reproduce(Path(study.source), point), Path()) in study.scenarios(
            (point,)
        )
