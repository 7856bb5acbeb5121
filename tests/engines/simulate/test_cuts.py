"""Cut pipelines: the slowest segment sets the rate, rings between them fill, wait or drop."""

from __future__ import annotations

from typing import Any

import pytest

from planecast.engines.simulate.closed_form_view import closed_form_view
from planecast.engines.simulate.engine import simulate
from planecast.engines.simulate.handoff import (
    HELD_PACKETS,
    NOTED_LINES,
    RETURNED_LINES,
    RING_LINES,
    TAKEN_ALONE,
    TAKEN_LINES,
    line_costs,
)
from planecast.engines.simulate.pipeline_split import (
    Segment,
    bottlenecks,
    per_packet,
    split_pipeline,
)
from planecast.engines.simulate.stage_cost import StageCost, stage_costs
from planecast.machine.hierarchy import Transfer
from planecast.model.calibration import Calibration
from planecast.results import Manifest, Result
from planecast.scenario import Scenario, with_overrides


def cut(base: Scenario, cuts: str, lcores: str, **point: Any) -> Scenario:
    changes = {key.replace("__", "."): value for key, value in point.items()}
    return with_overrides(base, {"placement.cuts": cuts, "placement.cpus": lcores, **changes})


def segments(scenario: Scenario, calibration: Calibration) -> tuple[Segment, ...]:
    (cost,) = stage_costs([closed_form_view(scenario)], calibration)
    lines = line_costs(scenario.placement, calibration.hierarchy)
    return split_pipeline(scenario, cost, lines)


def asked(scenario: Scenario, calibration: Calibration, manifest: Manifest) -> Result:
    return simulate([scenario], calibration, manifest, threads=1)[0]


def test_stages_go_to_the_segments_of_their_cuts(base: Scenario, calibration: Calibration) -> None:
    found = segments(cut(base, "classify,tx", "0-2"), calibration)
    assert [[stage.name for stage in segment] for segment in found] == [
        ["source", "acl", "key", "enqueue"],
        ["dequeue", "classify", "actions", "route", "enqueue"],
        ["dequeue", "tx"],
    ]
    assert len(segments(base, calibration)) == 1


@pytest.mark.parametrize(
    ("cuts", "lcores", "chains"), [("acl", "0-1", 1), ("key", "0-3", 2), ("key,route,tx", "0-3", 1)]
)
@pytest.mark.parametrize("wait", [True, False])
def test_the_slowest_segment_sets_the_rate(
    base: Scenario,
    calibration: Calibration,
    manifest: Manifest,
    *,
    cuts: str,
    lcores: str,
    chains: int,
    wait: bool,
) -> None:
    scenario = cut(base, cuts, lcores, placement__ring_wait=wait)
    parts = segments(scenario, calibration)
    found = asked(scenario, calibration, manifest)
    burst = scenario.placement.burst
    theory = chains * calibration.hierarchy.tsc_hz / bottlenecks(parts)[burst - 1]
    # Bursts of the segment that limits are full; a faster one behind it takes smaller ones.
    assert found.throughput_pps.value == pytest.approx(theory, rel=0.01)
    assert found.capped_by == "core"
    slowest = max(range(len(parts)), key=lambda i: per_packet(parts[i], burst))
    lcore_names = [f"cpu{cpu}" for cpu in scenario.placement.chains[0]]
    busiest = found.lcores[lcore_names[slowest]]
    assert busiest.busy == pytest.approx(1, abs=0.01)
    before = [found.lcores[name] for name in lcore_names[:slowest]]
    assert found.packets_in is not None
    assert found.packets_out is not None
    if wait:
        assert found.drops == {}
        assert all(lcore.waiting > 0 for lcore in before)
    else:
        assert set(found.drops) <= {"ring"}
        assert bool(found.drops) == bool(before)
        lost = sum(found.drops.values())
        assert 0 <= found.packets_in - found.packets_out - lost < 10_000


def test_below_the_limit_nothing_is_lost_and_rings_are_nearly_empty(
    base: Scenario, calibration: Calibration, manifest: Manifest
) -> None:
    scenario = cut(base, "classify", "0-1")
    parts = segments(scenario, calibration)
    rate = 0.5 * calibration.hierarchy.tsc_hz / bottlenecks(parts)[-1]
    found = asked(with_overrides(scenario, {"traffic.offered_pps": rate}), calibration, manifest)
    assert found.throughput_pps.value == pytest.approx(rate, rel=0.01)
    assert (found.drops, found.capped_by) == ({}, "generator")
    ring = found.queues["ring0.0"]
    assert ring.capacity == scenario.placement.handoff_ring
    assert ring.mean < 0.25 * ring.capacity
    # Little's law: packets in the ring are rate times wait.
    assert ring.mean == pytest.approx(rate * ring.mean_wait_ns * 1e-9, rel=0.02)


def test_a_slower_line_costs_throughput_and_latency(
    base: Scenario, calibration: Calibration, manifest: Manifest
) -> None:
    """Behind a cut before tx the last lcore does next to nothing but take packets."""
    rates, latencies, alone = [], [], []
    for line in (0.0, 100.0, 1000.0):
        scenario = cut(base, "tx", "0-1", placement__handoff_ns=line)
        found = asked(scenario, calibration, manifest)
        rates.append(found.throughput_pps.value)
        # A packet alone: through both lcores' stages, and seen a line's way later.
        cycles = sum(per_packet(part, 1) for part in segments(scenario, calibration))
        alone.append(cycles / calibration.hierarchy.tsc_hz * 1e9 + line)
        (stages,) = [found.stages["dequeue"].cycles_per_packet]
        assert stages is not None
        assert (stages.value == 0) == (line == 0)
        loaded = with_overrides(scenario, {"traffic.offered_pps": 1e5})
        latencies.append(asked(loaded, calibration, manifest).latency_ns["p50"].value)
    assert rates == sorted(rates, reverse=True)
    # Polls are 20 cycles apart, so a packet is found that much later or earlier.
    assert latencies[1] - latencies[0] == pytest.approx(alone[1] - alone[0], abs=30)
    assert latencies[2] - latencies[0] == pytest.approx(alone[2] - alone[0], rel=0.05)


def test_where_the_cost_comes_from_is_reported(
    base: Scenario, calibration: Calibration, manifest: Manifest
) -> None:
    published = asked(cut(base, "key", "0-1"), calibration, manifest)
    assert any("lines take a published 48 ns each" in note for note in published.notes)
    own = asked(cut(base, "key", "0-1", placement__handoff_ns=60), calibration, manifest)
    assert any("lines take the 60 ns each" in note for note in own.notes)


def test_measured_lines_count_as_they_are(base: Scenario, calibration: Calibration) -> None:
    transfer = Transfer(alone_cycles=200.0, read_cycles=40.0, write_cycles=300.0)
    hierarchy = calibration.hierarchy.model_copy(update={"transfer": transfer})
    known = calibration.model_copy(update={"hierarchy": hierarchy})
    scenario = cut(base, "key,tx", "0-2")
    (uncut,) = stage_costs([closed_form_view(scenario)], calibration)
    source = next(stage for stage in uncut.stages if stage.name == "source")
    first, middle, last = segments(scenario, known)
    drained = 1 - HELD_PACKETS / scenario.placement.burst
    # The source works while lines come: it takes what is longer.
    at_limit = max(source.per_packet(32), RETURNED_LINES * 300 * drained)
    assert first[0].per_packet(32) == pytest.approx(at_limit)
    written = 300 * drained
    assert _packet_cycles(first[-1]) == pytest.approx((NOTED_LINES + RING_LINES) * written)
    assert _packet_cycles(middle[-1]) == pytest.approx(RING_LINES * written)
    for segment in (middle, last):
        assert _packet_cycles(segment[0]) == pytest.approx(TAKEN_LINES * 40)
        assert segment[0].empty_cycles == pytest.approx(TAKEN_ALONE * 200)
    # What is asked for instead keeps the number of lines under way.
    hz = hierarchy.tsc_hz
    twice = with_overrides(scenario, {"placement.handoff_ns": 400 / hz * 1e9})
    assert _packet_cycles(segments(twice, known)[1][0]) == pytest.approx(TAKEN_LINES * 80)


def _packet_cycles(stage: StageCost) -> float:
    """What each packet of a longer burst adds."""
    return float(stage.cycles[-1] - stage.cycles[-2])
