"""Calibration on measurements that a known truth made: it comes back, with honest intervals."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import pytest

from planecast.calibrate import calibrate
from planecast.engines.solve import features, solve
from planecast.errors import InputError
from planecast.instruments.counts import InstructionCounts
from planecast.machine.hierarchy import Hierarchy
from planecast.model.calibration import Calibration
from planecast.model.prediction import predict
from planecast.results import Estimate, Manifest, Result, StageResult, collect_manifest
from planecast.scenario import Scenario, with_overrides

Counts = dict[str, InstructionCounts]
Point = Mapping[str, Any]

TRUTH = {
    "source.cpi": 0.25,
    "source.bf": 0.2,
    "source.drain": 30.0,
    "source.hidden": 0.1,
    "acl.cpi": 0.5,
    "acl.bf": 0.3,
    "acl.narrow": 0.3,
    "acl.round": 150.0,
    "key.cpi": 0.25,
    "key.burst": 5.0,
    "key.bf": 0.03,
    "classify.cpi": 0.24,
    "classify.bf": 0.2,
    "actions.cpi": 0.22,
    "actions.bf": 0.1,
    "route.cpi": 0.28,
    "route.bf": 0.05,
    "tx.cpi": 0.2,
}
POINTS: tuple[Point, ...] = (
    {},
    *({"traffic.flows": n} for n in (256, 4096, 16384, 65536, 524288, 1048576)),
    *({"placement.burst": n, "traffic.flows": 4096} for n in (4, 8, 16, 64)),
    {"placement.burst": 8, "traffic.flows": 65536},
    {"workload.stages": "none"},
    {"workload.stages": "acl"},
    {"workload.stages": "key,classify", "traffic.flows": 65536},
    {"workload.stages": "key,actions", "traffic.flows": 4096},
    {"workload.stages": "key,route", "traffic.flows": 4096},
)
HELD: tuple[Point, ...] = (
    {"traffic.flows": 1024},
    {"traffic.flows": 131072},
    {"placement.burst": 48},
    {"workload.stages": "acl,key,classify", "traffic.flows": 8192},
    {"placement.lcores": "0-1", "traffic.flows": 65536},
)


@pytest.fixture(scope="module")
def manifest() -> Manifest:
    return collect_manifest("measure", 1, "planecast measure")


def measured(
    points: Sequence[Point],
    base: Scenario,
    hierarchy: Hierarchy,
    counts: Counts,
    manifest: Manifest,
    *,
    noise: float = 0.0,
) -> list[Result]:
    """What a machine would measure whose truth is TRUTH, with relative noise."""
    scenarios = [with_overrides(base, dict(point)) for point in points]
    table = features(scenarios, hierarchy.with_bursts(), counts)
    random = np.random.default_rng(7)
    factor = np.exp(noise * random.standard_normal(len(points)))
    names = list(TRUTH)
    vector = np.array(list(TRUTH.values()))

    def cycles(value: float) -> Estimate:
        low, high = value * (1 - noise), value * (1 + noise)
        return Estimate(
            value=value, low=low, high=high, samples=100, unit="cycles/packet", kind="measured"
        )

    found = []
    for i, scenario in enumerate(scenarios):
        stages = {s: float(table.row(s, names)[i] @ vector) * factor[i] for s in table.stages}
        whole = cycles(sum(stages.values()))
        found.append(
            Result(
                scenario=scenario,
                throughput_pps=Estimate(value=1e6, unit="pps", kind="measured"),
                cycles_per_packet=whole,
                stages={
                    name: StageResult(cycles_per_packet=cycles(value))
                    for name, value in stages.items()
                    if value > 0
                },
                manifest=manifest,
            )
        )
    return found


def fitted(
    base: Scenario, hierarchy: Hierarchy, counts: Counts, manifest: Manifest, noise: float
) -> Calibration:
    results = measured(POINTS, base, hierarchy, counts, manifest, noise=noise)
    return calibrate(results, hierarchy, counts, manifest)


def test_a_noiseless_truth_is_predicted_exactly(
    base: Scenario, hierarchy: Hierarchy, counts: Counts, manifest: Manifest
) -> None:
    model = fitted(base, hierarchy, counts, manifest, 0.0)
    truth = measured(HELD, base, hierarchy, counts, manifest)
    predicted = solve([r.scenario for r in truth], model, manifest)
    for right, answer in zip(truth, predicted, strict=True):
        assert answer.cycles_per_packet.value == pytest.approx(
            right.cycles_per_packet.value, rel=0.005
        )
    assert model.last_level_factor == pytest.approx(1.0, rel=0.15)


def test_what_passes_while_stores_drain_comes_back(
    base: Scenario, hierarchy: Hierarchy, counts: Counts, manifest: Manifest
) -> None:
    truth = hierarchy.model_copy(update={"drained_meanwhile": 0.5})
    results = measured(POINTS, base, truth, counts, manifest)
    model = calibrate(results, hierarchy, counts, manifest)
    assert model.hierarchy.drained_meanwhile == pytest.approx(0.5, abs=0.051)
    held = measured(HELD, base, truth, counts, manifest)
    for right, answer in zip(held, solve([r.scenario for r in held], model, manifest), strict=True):
        assert answer.cycles_per_packet.value == pytest.approx(
            right.cycles_per_packet.value, rel=0.01
        )


def test_noise_widens_intervals_and_they_cover(
    base: Scenario, hierarchy: Hierarchy, counts: Counts, manifest: Manifest
) -> None:
    clean = fitted(base, hierarchy, counts, manifest, 0.0)
    noisy = fitted(base, hierarchy, counts, manifest, 0.02)
    truth = measured(HELD, base, hierarchy, counts, manifest)
    scenarios = [r.scenario for r in truth]
    answers = solve(scenarios, noisy, manifest)
    covered = [
        answer.cycles_per_packet.covers(right.cycles_per_packet.value)
        for right, answer in zip(truth, answers, strict=True)
    ]
    assert all(covered)
    wide, narrow = (predict(scenarios, m).half_width for m in (noisy, clean))
    assert np.all(wide > narrow)


def test_a_last_level_for_which_memory_is_too_slow_is_not_chosen(
    base: Scenario, hierarchy: Hierarchy, counts: Counts, manifest: Manifest
) -> None:
    # Of a truth that hardly waits for the ACL's lines, all sizes fit; memory can't deliver them.
    points = [*POINTS, {"workload.acl_rules": 65536, "traffic.flows": 4096}]
    flights = tuple(f.model_copy(update={"line_cycles": 60.0}) for f in hierarchy.flights)
    slow = hierarchy.model_copy(update={"flights": flights})
    results = measured(points, base, slow, counts, manifest)
    model = calibrate(results, slow, counts, manifest)
    answers = solve([r.scenario for r in results], model, manifest)
    for right, answer in zip(results, answers, strict=True):
        assert answer.capped_by == "core"
        assert answer.cycles_per_packet.value == pytest.approx(
            right.cycles_per_packet.value, rel=0.05
        )


def test_what_points_cannot_tell_apart_is_part_of_others(
    base: Scenario, hierarchy: Hierarchy, counts: Counts, manifest: Manifest
) -> None:
    model = fitted(base, hierarchy, counts, manifest, 0.0)
    assert "acl.path" not in model.names  # all points have one number of rules
    assert "source.clock" in model.names  # some have no flow actions
    few = [with_overrides(base, {"workload.acl_rules": n}) for n in (256, 4096)]
    costs = [r.cycles_per_packet.value for r in solve(few, model, manifest)]
    assert 0 < costs[0] <= costs[1]


def test_stages_add_up_to_the_whole(
    base: Scenario, hierarchy: Hierarchy, counts: Counts, manifest: Manifest
) -> None:
    model = fitted(base, hierarchy, counts, manifest, 0.01)
    answer = solve([base], model, manifest)[0]
    parts = [s.cycles_per_packet.value for s in answer.stages.values() if s.cycles_per_packet]
    assert sum(parts) == pytest.approx(answer.cycles_per_packet.value)


def test_outside_the_calibrated_range_says_so_and_is_less_sure(
    base: Scenario, hierarchy: Hierarchy, counts: Counts, manifest: Manifest
) -> None:
    model = fitted(base, hierarchy, counts, manifest, 0.01)
    inside, outside = (
        solve([with_overrides(base, {"traffic.frame_bytes": n})], model, manifest)[0]
        for n in (64, 512)
    )
    assert not inside.notes
    assert "traffic.frame_bytes=512 lies outside the calibrated 64 to 64" in outside.notes
    near, far = (r.cycles_per_packet.half_width_percent for r in (inside, outside))
    assert near is not None
    assert far is not None
    assert far > near


def test_points_of_one_burst_size_are_refused(
    base: Scenario, hierarchy: Hierarchy, counts: Counts, manifest: Manifest
) -> None:
    points = [p for p in POINTS if "placement.burst" not in p]
    results = measured(points, base, hierarchy, counts, manifest)
    with pytest.raises(InputError, match=r"can't tell the parameter .*vary placement\.burst"):
        calibrate(results, hierarchy, counts, manifest)


def test_points_of_one_flow_count_are_refused(
    base: Scenario, hierarchy: Hierarchy, counts: Counts, manifest: Manifest
) -> None:
    points = [{"placement.burst": n, "traffic.flows": 4096} for n in (16, 32, 48, 64)]
    results = measured(points, base, hierarchy, counts, manifest)
    with pytest.raises(InputError, match="can't tell the parameter"):
        calibrate(results, hierarchy, counts, manifest)


def test_two_points_are_too_few(
    base: Scenario, hierarchy: Hierarchy, counts: Counts, manifest: Manifest
) -> None:
    results = measured(POINTS[:2], base, hierarchy, counts, manifest)
    with pytest.raises(InputError, match="too few"):
        calibrate(results, hierarchy, counts, manifest)


def test_a_scenario_that_needs_an_unknown_parameter_is_refused(
    base: Scenario, hierarchy: Hierarchy, counts: Counts, manifest: Manifest
) -> None:
    points = [p for p in POINTS if p.get("placement.burst", 32) >= 16]
    results = measured(points, base, hierarchy, counts, manifest)
    model = calibrate(results, hierarchy, counts, manifest)
    small = with_overrides(base, {"placement.burst": 4})
    with pytest.raises(InputError, match=r"no parameter acl\.(round|narrow)"):
        solve([small], model, manifest)


def test_a_calibration_survives_its_file(
    base: Scenario, hierarchy: Hierarchy, counts: Counts, manifest: Manifest
) -> None:
    model = fitted(base, hierarchy, counts, manifest, 0.01)
    again = Calibration.model_validate_json(model.model_dump_json())
    assert again == model


def test_a_pipeline_without_acl_needs_a_calibration_that_knows_the_drain(
    base: Scenario, hierarchy: Hierarchy, counts: Counts, manifest: Manifest
) -> None:
    known = fitted(base, hierarchy, counts, manifest, 0.0)
    keep = [i for i, name in enumerate(known.names) if name != "source.drain"]
    ignorant = known.model_copy(
        update={
            "parameters": tuple(known.parameters[i] for i in keep),
            "covariance": tuple(tuple(known.covariance[i][j] for j in keep) for i in keep),
            "alternatives": (),
        }
    )
    solve([with_overrides(base, {"workload.stages": "acl,key"})], ignorant, manifest)
    with pytest.raises(InputError, match=r"no parameter source\.drain"):
        solve([with_overrides(base, {"workload.stages": "key,classify"})], ignorant, manifest)
