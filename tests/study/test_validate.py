"""A whole study on a machine that is made up, and on one that obeys the model."""

from __future__ import annotations

import json
import shlex
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import pytest
from tests.calibrations import results_of

from planecast.engines.measure import measure
from planecast.errors import InputError
from planecast.instruments.probe import probe_machine
from planecast.machine.hierarchy import Hierarchy
from planecast.results import Manifest, Result, RunDirectory, read_parquet
from planecast.scenario import Scenario, Study, load_scenario, load_study
from planecast.scenario.override import parse_set
from planecast.study.calibrate import Context, calibrate_study
from planecast.study.instructions import count_pipelines
from planecast.study.validate import reproduce, validate


@pytest.fixture
def context(study: Study, machine: Any, manifest: Manifest, tmp_path: Path) -> Context:
    run = RunDirectory.create(tmp_path / "runs", "validate", study.name)
    # Less than a person may ask for: every point is visited twice all the same.
    study = study.model_copy(update={"budget": study.budget.model_copy(update={"seconds": 0.01})})
    return Context(study, run, manifest, lambda done, total, words: None)


def obeying(study: Study) -> Callable[..., list[Result]]:
    """A measurement on a machine whose every cost is that of the model."""
    hierarchy = Hierarchy.of(probe_machine(cpu=0))
    counts = count_pipelines(study.scenarios((*study.calibrate, *study.hold_out)))

    def made_up(
        scenarios: Sequence[Scenario], budget: Any, manifest: Manifest, **_: Any
    ) -> list[Result]:
        return results_of(scenarios, hierarchy, counts, manifest)

    return made_up


def test_a_machine_that_obeys_the_model_is_predicted(
    context: Context, monkeypatch: pytest.MonkeyPatch
) -> None:
    truth = obeying(context.study)
    there: list[tuple[int, set[str]]] = []

    def watched(scenarios: Sequence[Scenario], *words: Any, **named: Any) -> list[Result]:
        there.append((len(scenarios), {path.name for path in context.run.path.iterdir()}))
        return truth(scenarios, *words, **named)

    monkeypatch.setattr("planecast.study.calibrate.measure", watched)
    with context.run:
        found = validate(context)
    # Calibration points first; then, the predictions being there, the held-out ones and an anchor.
    calibrated, held = len(context.study.calibrate), len(context.study.hold_out)
    assert [count for count, _ in there] == [calibrated, held + 1]
    assert "predictions.json" not in there[0][1]
    assert {"calibration.json", "predictions.json"} < there[1][1]
    assert "result.json" not in there[1][1]

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
    told = Context(
        context.study,
        context.run,
        context.manifest,
        lambda done, total, words: heard.append((done / total, words)),
    )
    with context.run:
        found = validate(told)
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
    # What is held out is not asked before the predictions are there.
    asked = [line for line in machine.log() if "flows=1024 " in line]
    starts = [i for i, line in enumerate(machine.log()) if " start " in line]
    assert asked
    assert machine.log().index(asked[0]) > starts[1]


@pytest.mark.parametrize("phase", [0, 1])
def test_an_interrupt_leaves_a_partial_run_with_its_trials(
    context: Context, monkeypatch: pytest.MonkeyPatch, phase: int
) -> None:
    calls: list[int] = []

    def interrupted(scenarios: Sequence[Scenario], *words: Any, **named: Any) -> list[Result]:
        calls.append(len(scenarios))
        results = measure(scenarios, *words, **named)
        if len(calls) > phase:
            raise KeyboardInterrupt
        return results

    monkeypatch.setattr("planecast.study.calibrate.measure", interrupted)
    with pytest.raises(KeyboardInterrupt), context.run:
        validate(context)
    names = {path.name for path in context.run.path.iterdir()}
    assert (context.run.path / "partial").read_text() == "interrupted\n"
    assert "result.json" not in names
    assert ("predictions.json" in names) == (phase == 1)
    trials = read_parquet(context.run.path / "trials.parquet")
    assert set(trials["phase"]) == set(range(phase + 1))


def test_two_points_are_too_few_and_measured_is_measured(context: Context, study: Study) -> None:
    fewer = Context(
        study.model_copy(update={"calibrate": study.calibrate[:2]}),
        context.run,
        context.manifest,
        context.progress,
    )
    with pytest.raises(InputError, match="2 points are too few"):
        calibrate_study(fewer)
    assert not (context.run.path / "calibration.json").exists()
    assert (context.run.path / "trials.parquet").exists()


def scenario_of(command: str, folder: Path) -> Scenario:
    """The scenario that a `planecast measure` command measures."""
    program, verb, path, *options = shlex.split(command)
    assert (program, verb) == ("planecast", "measure")
    assert options[::2] == ["--set"] * (len(options) // 2)
    return load_scenario(folder / path, dict(parse_set(text) for text in options[1::2]))


def test_the_command_of_a_point_measures_that_point(repository: Path) -> None:
    study = load_study(repository / "studies" / "vpe-upstream.yaml")
    points = (*study.calibrate, *study.hold_out)
    wanted = study.scenarios(points)
    assert len(points) > 25
    for point, scenario in zip(points, wanted, strict=True):
        assert scenario_of(reproduce(Path(study.source), point), Path()) == scenario
    assert any("none" in reproduce(Path(study.source), point) for point in points)
    assert any("0-1" in reproduce(Path(study.source), point) for point in points)


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
