"""Verifying with and without a plan: applied at its points alone, undone after each."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from tests.calibrations import base, calibration, counts, hierarchy, manifest
from tests.host.trees import VIRTUAL, XEON, write_tree
from tests.partition.conftest import tenancy
from tests.partition.kernel import KernelTree, prepare, snapshot
from tests.partition.test_verify import FakeNeighbour, study

from planecast.errors import InputError
from planecast.generators.neighbour import Work
from planecast.host.root import Root
from planecast.host.topology import Topology, read_topology
from planecast.model.calibration import Calibration
from planecast.model.prediction import predict
from planecast.partition import interleaved_trials as room
from planecast.partition.applied_plan import Divided, concerning
from planecast.partition.interleaved_trials import Context
from planecast.partition.machine import Machine, Timing
from planecast.partition.neighbour_prediction import Asked, Parts
from planecast.partition.neighbour_study import load_neighbour_study
from planecast.partition.plan import Plan, make_plan
from planecast.partition.verify import verify
from planecast.results import Manifest, Result, RunDirectory
from planecast.scenario import Scenario

__all__ = ["base", "calibration", "counts", "hierarchy", "manifest", "study"]

MASKS = [
    {"number": 0, "l3": 0xF, "bandwidth": 100},
    {"number": 1, "l3": 0x7E0, "bandwidth": 100},
    {"number": 2, "l3": 0x10, "bandwidth": 20},
]


def plan_of(topology: Topology, noisy: int = 2, classes: list[dict[str, int]] = MASKS) -> Plan:
    who = tenancy(
        {"name": "dp", "role": "dataplane", "cpus": "0", "service": 1, "profile": "l3fwd"},
        {"name": "noisy", "role": "neighbour", "cpus": "1", "service": noisy, "rank": 3},
        {"name": "rest", "role": "system", "cpus": "2-3", "service": 0, "rank": 3},
        classes=classes,
    )
    return make_plan(Machine(topology, Timing()), who, tries=1)


@pytest.fixture
def xeon(tmp_path: Path) -> Root:
    return Root(prepare(write_tree(tmp_path / "machine", XEON)))


@pytest.fixture
def divided(xeon: Root, tmp_path: Path) -> Divided:
    here = read_topology(xeon)
    found = concerning(plan_of(here), here, here, Scenario(name="x", placement=_cpu(0)), 1)
    tree = KernelTree(xeon.path)
    return replace(found, groups=tree, state=tmp_path / "state.json", root=xeon)


def _cpu(cpu: int) -> Any:
    return Scenario(name="x").placement.model_copy(update={"cpus": str(cpu)})


def test_the_plan_holds_while_its_points_are_visited(
    divided: Divided, watched: list[tuple[str, bool]], context: Context
) -> None:
    answer = verify(replace(context, divided=divided))
    modes = ["idle", "walk", "stream", "spin"]
    assert watched == [(m, False) for m in modes] + [(m, True) for m in modes] + [("idle", False)]
    gains = [cost.divided.speedup.value for cost in answer.costs if cost.divided]
    assert gains == pytest.approx([1.0, 240 / 220, 240 / 220, 1.0])
    assert all(cost.divided.predicted_speedup for cost in answer.costs if cost.divided)
    assert (context.run.path / "divided.json").is_file()
    assert divided.state is not None
    assert not divided.state.exists()


@pytest.fixture
def context(
    study: Path, tmp_path: Path, manifest: Manifest, calibration: Calibration
) -> Iterator[Context]:
    found, scenario = load_neighbour_study(study)
    with RunDirectory.create(tmp_path / "runs", "verify", "small") as run:
        yield Context(found, str(study), scenario, calibration, run, manifest, lambda *_: None)


@pytest.fixture
def watched(
    xeon: Root, make_result: Callable[..., Result], monkeypatch: pytest.MonkeyPatch
) -> list[tuple[str, bool]]:
    """A measurement that is made up, and notes of each point who was next to it and whether the
    machine was divided. A busy neighbour costs 40 cycles, with the plan half of that."""
    before = snapshot(xeon.path)
    seen: list[tuple[str, bool]] = []

    class Kept(FakeNeighbour):
        def __init__(self, cpu: int) -> None:
            super().__init__(cpu)
            FakeNeighbour.current = self

    def measure(scenarios: Sequence[Scenario], *rest: Any, neighbour_of: Any, **more: Any) -> Any:
        results = []
        for point in range(len(scenarios)):
            with neighbour_of(point):
                there = (xeon.path / "sys/fs/resctrl/planecast-2").exists()
                seen.append((FakeNeighbour.current.work.mode, there))
            busy = seen[-1][0] in ("walk", "stream")
            results.append(make_result(200.0 + 40 * busy - 20 * (busy and there)))
            assert snapshot(xeon.path) == before
        return results

    monkeypatch.setattr(room, "measure", measure)
    monkeypatch.setattr(room, "Neighbour", Kept)
    return seen


def test_parts_are_those_of_the_masks(divided: Divided) -> None:
    parts = divided.parts()
    assert parts.own == pytest.approx(6 / 11)
    assert parts.other == pytest.approx(1 / 11)
    assert parts.held_back == 5.0


def test_ways_of_its_own_protect_the_data_plane(calibration: Calibration) -> None:
    stream = Work(mode="stream", bytes=1 << 28)
    # More flows than the cache holds, so that memory counts, too.
    scenario = Scenario.model_validate(
        {"name": "vpe", "workload": {"flows": 1 << 19}, "traffic": {"flows": 1 << 19}}
    )

    def cost(parts: Parts | None) -> float:
        asked = Asked(scenario, calibration, 4.0, parts)
        return float(
            predict([asked.with_neighbour(stream)], asked.machine, by_stage=False).value[0]
        )

    apart, limited = Parts(0.9, 0.1), Parts(0.9, 0.1, held_back=10)
    assert cost(None) > cost(apart) > cost(limited)
    # Memory is near its peak here, where the fixed point used to swing.
    by_share = [cost(Parts(own, 1 - own)) for own in (0.99, 0.9, 0.7, 0.5)]
    assert by_share == sorted(by_share)


def test_where_nothing_can_be_divided_it_is_said(tmp_path: Path, xeon: Root) -> None:
    scenario = Scenario(name="x", placement=_cpu(0))
    here = read_topology(Root(write_tree(tmp_path / "virtual", VIRTUAL)))
    elsewhere = concerning(plan_of(read_topology(xeon)), read_topology(xeon), here, scenario, 1)
    assert elsewhere.lacking.startswith("the plan is for another machine")
    who = tenancy(
        {"name": "dp", "role": "dataplane", "cpus": "0"},
        {"name": "noisy", "role": "neighbour", "cpus": "1", "rank": 3},
    )
    plan = make_plan(Machine(here, Timing()), who, tries=1)
    nothing = concerning(plan, here, here, scenario, 1)
    assert nothing.lacking == "this machine can neither give cache ways nor limit bandwidth"
    assert nothing.parts() == Parts(1.0, 1.0, 1.0)


def test_plans_that_say_nothing_of_the_study_are_refused(xeon: Root) -> None:
    here = read_topology(xeon)
    plan = plan_of(here)
    with pytest.raises(InputError, match="no tenant of the plan has the neighbour's CPUs 9"):
        concerning(plan, here, here, Scenario(name="x", placement=_cpu(0)), 9)
    with pytest.raises(InputError, match="there is nothing to compare"):
        concerning(plan_of(here, noisy=1), here, here, Scenario(name="x", placement=_cpu(0)), 1)
