"""What neighbours cost: the prediction's shape, and measuring them in turns."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import contextmanager
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from tests.calibrations import base, calibration, counts, hierarchy, manifest

from planecast.cli.tables.neighbours import _idle_notes
from planecast.engines.solve import solve
from planecast.errors import InputError
from planecast.generators.neighbour import Done, Work
from planecast.model.calibration import Calibration
from planecast.model.prediction import predict
from planecast.partition import interleaved_trials as room
from planecast.partition.interleaved_trials import Context
from planecast.partition.neighbour_cost import Cost, of_both
from planecast.partition.neighbour_prediction import Asked, predicted_with_neighbour
from planecast.partition.neighbour_study import NoisyPoint, load_neighbour_study
from planecast.partition.verify import verify
from planecast.results import Manifest, Result, RunDirectory
from planecast.scenario import Scenario

__all__ = ["base", "calibration", "counts", "hierarchy", "manifest"]

SCENARIO = Scenario(name="vpe")
GBS = 100.0


def slowdown(model: Calibration, work: Work, gbs: float = GBS) -> float:
    asked = Asked(SCENARIO, model, gbs)
    busy, alone = predict(
        [asked.with_neighbour(work), SCENARIO], asked.machine, by_stage=False
    ).value
    return float(busy / alone)


def walk(mib: float, rate: float = 0.0) -> Work:
    return Work(mode="walk", bytes=int(mib * (1 << 20)), lines_per_s=rate)


def test_a_larger_working_set_costs_more_until_the_cache_is_full(calibration: Calibration) -> None:
    found = [slowdown(calibration, walk(mib)) for mib in (0.25, 1, 4, 8, 64, 256)]
    assert found[:2] == pytest.approx([1.0, 1.0], rel=1e-4)  # in the neighbour's own caches
    # One that nearly fits is faster than one that waits for memory, so it may take more.
    assert all(b >= a for a, b in pairwise(found[:4]))
    assert found[-1] == pytest.approx(found[-2], rel=0.01)
    assert found[-1] > 1.003


def test_who_touches_less_takes_less(calibration: Calibration) -> None:
    found = [slowdown(calibration, walk(64, rate)) for rate in (1e5, 5e6, 2e7, 0)]
    assert found == sorted(found)
    assert found[0] == pytest.approx(1.0, abs=0.01)


def test_spinning_takes_nothing_shared(calibration: Calibration) -> None:
    assert slowdown(calibration, Work(mode="spin")) == pytest.approx(1.0, rel=1e-6)


def test_a_limit_is_kept_and_memory_gets_slower(calibration: Calibration) -> None:
    stream = Work(mode="stream", bytes=1 << 28)
    held = stream.model_copy(update={"lines_per_s": 1e7})
    assert slowdown(calibration, stream, 4.0) > slowdown(calibration, held, 4.0) > 1.0
    # A memory that gives more is slowed down less.
    assert slowdown(calibration, stream, 4.0) > slowdown(calibration, stream, 400.0)


def test_a_neighbour_widens_the_interval(calibration: Calibration, manifest: Manifest) -> None:
    (quiet,) = solve([SCENARIO], calibration, manifest)
    asked = Asked(SCENARIO, calibration, GBS)
    busy = predicted_with_neighbour(asked, walk(64), manifest)
    sibling = predicted_with_neighbour(asked, walk(64), manifest, 1.6)
    assert busy.cycles_per_packet.value > quiet.cycles_per_packet.value
    assert (busy.cycles_per_packet.half_width_percent or 0) > (
        quiet.cycles_per_packet.half_width_percent or 0
    )
    assert sibling.cycles_per_packet.value == pytest.approx(1.6 * busy.cycles_per_packet.value)
    assert busy.scenario.neighbour.label() == "walk 64MiB"
    assert any("memory's latency under load" in note for note in busy.notes)


STUDY = """\
name: small
scenario: scenario.yaml
cpu: 1
points:
  - {walk: 4MiB}
  - {stream: 64MiB, rate: 20M, write: true}
  - {spin: true}
"""


@pytest.fixture
def study(tmp_path: Path) -> Path:
    (tmp_path / "scenario.yaml").write_text("name: vpe\nplacement: {cpus: 0}\n")
    path = tmp_path / "study.yaml"
    path.write_text(STUDY)
    return path


def test_a_study_reads_and_names_its_points(study: Path) -> None:
    found, _ = load_neighbour_study(study)
    assert [p.label() for p in found.points] == ["walk 4MiB", "stream 64MiB 20M/s write", "spin"]
    assert found.points[0].work() == Work(mode="walk", bytes=4 << 20)


def test_the_shipped_study_has_points_enough(repository: Path) -> None:
    found, scenario = load_neighbour_study(repository / "studies" / "noisy-neighbour.yaml")
    assert scenario.traffic.flows == 65536
    assert len(found.points) >= 15
    sets = [p.walk for p in found.points if p.walk]
    assert (min(sets), max(sets)) == (64 << 10, 256 << 20)


@pytest.mark.parametrize(
    ("old", "new", "fragment"),
    [
        ("{spin: true}", "{spin: true, walk: 4MiB}", "one of walk, stream and spin"),
        ("{spin: true}", "{walk: 1}", "study.yaml:7"),
        ("cpu: 1", "cpu: 0", "forwards on CPU 0 itself"),
        ("scenario.yaml", "other.yaml", "there is no file"),
    ],
)
def test_mistakes_are_reported(study: Path, old: str, new: str, fragment: str) -> None:
    study.write_text(study.read_text().replace(old, new))
    with pytest.raises(InputError) as error:
        load_neighbour_study(study)
    assert fragment in str(error.value)


class FakeNeighbour:
    """Says that it worked; `current` is the one that was made last."""

    current: FakeNeighbour

    def __init__(self, cpu: int) -> None:
        self.work = Work()

    def __enter__(self) -> FakeNeighbour:
        return self

    def __exit__(self, *error: object) -> None:
        pass

    @contextmanager
    def doing(self, work: Work) -> Any:
        self.work = work
        yield
        self.work = Work()

    def done(self) -> Done:
        return Done(mode=self.work.mode, bytes=0, lines=10, seconds=2.0, lines_per_s=5.0)


@pytest.fixture
def measured(monkeypatch: pytest.MonkeyPatch, make_result: Callable[..., Result]) -> list[str]:
    """A measurement that finds 200 cycles, 20 more next to a walk, and notes who was next to."""
    seen: list[str] = []

    def measure(scenarios: Sequence[Scenario], *rest: Any, neighbour_of: Any, **more: Any) -> Any:
        results = []
        for point in range(len(scenarios)):
            with neighbour_of(point):
                mode = FakeNeighbour.current.work.mode
            seen.append(mode)
            results.append(make_result(220.0 if mode == "walk" else 200.0))
        return results

    class Kept(FakeNeighbour):
        def __init__(self, cpu: int) -> None:
            super().__init__(cpu)
            FakeNeighbour.current = self

    monkeypatch.setattr(room, "measure", measure)
    monkeypatch.setattr(room, "Neighbour", Kept)
    return seen


def run_it(
    study: Path, tmp_path: Path, model: Calibration | None, manifest: Manifest
) -> tuple[Any, Path]:
    found, scenario = load_neighbour_study(study)
    with RunDirectory.create(tmp_path / "runs", "verify", "small") as run:
        context = Context(
            found, str(study), scenario, model, run, manifest, lambda done, total, words: None
        )
        return verify(context), run.path


def test_measured_next_to_each_and_predicted_on_top_of_the_idle_one(
    study: Path, tmp_path: Path, measured: list[str], calibration: Calibration, manifest: Manifest
) -> None:
    answer, run = run_it(study, tmp_path, calibration, manifest)
    assert measured == ["idle", "walk", "stream", "spin", "idle"]
    labels = [cost.label for cost in answer.costs]
    assert labels == ["idle", "walk 4MiB", "stream 64MiB 20M/s write", "spin"]
    assert answer.costs[1].slowdown.value == pytest.approx(1.1)
    assert answer.costs[1].lines_per_s == 5.0
    assert [cost.measured.scenario.neighbour.label() for cost in answer.costs] == labels
    assert answer.repeatability.value == 1.0
    for cost in answer.costs[1:]:
        expected = 200.0 * cost.predicted_slowdown
        assert cost.predicted.cycles_per_packet.value == pytest.approx(expected)
    assert (run / "predictions.json").is_file()
    assert '"held_out":true' in (run / "result.json").read_text().replace(" ", "").replace("\n", "")


def test_without_a_calibration_it_only_measures(
    study: Path, tmp_path: Path, measured: list[str], manifest: Manifest
) -> None:
    answer, run = run_it(study, tmp_path, None, manifest)
    assert all(cost.predicted is None for cost in answer.costs)
    assert np.isclose(answer.costs[1].slowdown.value, 1.1)
    assert not (run / "predictions.json").exists()


def test_points_are_whole_nouns() -> None:
    assert NoisyPoint(walk=4096).label() == "walk 4KiB"
    assert NoisyPoint(stream=1 << 30).label() == "stream 1GiB"


def test_neighbours_that_come_first_show_the_model(
    study: Path, tmp_path: Path, measured: list[str], calibration: Calibration, manifest: Manifest
) -> None:
    study.write_text(study.read_text() + "calibrate: [{walk: 6MiB}, {stream: 32MiB}]\n")
    answer, run = run_it(study, tmp_path, calibration, manifest)
    assert measured[:3] == ["idle", "walk", "stream"]
    assert measured[3:] == ["idle", "walk", "stream", "spin", "idle"]
    assert answer.fit.points == 2
    assert (run / "neighbour-fit.json").is_file()
    found, _ = load_neighbour_study(study)
    assert found.first_part == pytest.approx(3 / 8)


def test_both_idle_figures_count(make_result: Callable[..., Result]) -> None:
    both = of_both(make_result(200.0), make_result(242.0))
    assert both.cycles_per_packet.value == pytest.approx(220.0)
    assert both.cycles_per_packet.samples == 2 * make_result(1.0).cycles_per_packet.samples


def test_the_idle_row_is_said_to_be_outside(make_result: Callable[..., Result]) -> None:
    measured = make_result(200.0)
    for predicted, words in ((203.0, "+1.5 % off, inside"), (114.0, "-43.0 % off, outside")):
        computed = make_result(predicted, kind="computed")
        (note,) = _idle_notes(Cost("idle", measured, computed, None, 1.0, 0.0))
        assert words in note
    assert _idle_notes(Cost("idle", measured, None, None, None, 0.0)) == []
