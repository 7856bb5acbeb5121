"""The memory system: who holds what of the last level, and what it costs the lcores."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from tests.engines.simulate.conftest import Ask

from planecast.engines.simulate import _simulator as sim
from planecast.engines.simulate.bare import alone, bare
from planecast.engines.simulate.engine import simulate
from planecast.engines.simulate.memory import memory_system, with_memory
from planecast.engines.simulate.model import Recording
from planecast.engines.simulate.service import services
from planecast.engines.solve import solve
from planecast.errors import InputError
from planecast.model.calibration import Calibration
from planecast.results import Manifest
from planecast.scenario import Scenario, with_overrides

LARGE = {"workload.flows": 1 << 20, "traffic.flows": 1 << 20}
"""Flow tables that the last level holds a part of."""
STREAM = {"neighbour__stream": 1 << 30}
"""Somebody beside the lcores, who streams as fast as he can."""


def large(base: Scenario, **more: Any) -> Scenario:
    changes = {key.replace("__", "."): value for key, value in more.items()}
    return with_overrides(base, LARGE | changes)


def asked(
    scenario: Scenario, calibration: Calibration, manifest: Manifest, **more: Any
) -> sim.Results:
    answers: list[sim.Results] = []
    simulate([scenario], calibration, manifest, threads=1, recorded=answers, **more)
    return answers[0]


def test_nobody_else_on_one_lcore_needs_none(base: Scenario, calibration: Calibration) -> None:
    assert memory_system(base, calibration) is None


def test_stages_cost_what_they_did(base: Scenario, calibration: Calibration) -> None:
    scenario = large(base, **STREAM, neighbour__rate=1)
    system = memory_system(scenario, calibration)
    assert system is not None
    (before,) = services([alone(bare(scenario))], calibration)
    after = with_memory(before, system, base.placement.burst)
    for one, other in zip(before.stages, after.stages, strict=True):
        assert other.per_packet(32) == pytest.approx(one.per_packet(32), rel=1e-9)
        assert other.packet_cycles >= 0
        assert other.memory is not None
        assert min(other.memory.llc_waits + other.memory.memory_waits) >= 0
        assert list(other.memory.memory_waits) == sorted(other.memory.memory_waits, reverse=True)


def test_an_idle_neighbour_changes_nothing(
    base: Scenario, calibration: Calibration, manifest: Manifest
) -> None:
    scenario = large(base, **STREAM, neighbour__rate=1)
    (closed,) = solve([bare(scenario)], calibration, manifest)
    (found,) = simulate([scenario], calibration, manifest, threads=1)
    assert found.throughput_pps.value == pytest.approx(closed.throughput_pps.value, rel=0.005)
    assert found.cycles_per_packet.value == pytest.approx(closed.cycles_per_packet.value, rel=0.005)


def test_the_busier_the_neighbour_the_less_is_forwarded(
    base: Scenario, calibration: Calibration, manifest: Manifest
) -> None:
    slower = [{"neighbour__rate": rate} for rate in (1, 10_000_000)]
    faster = [{"neighbour__cores": cores} for cores in (1, 8)]
    answers = [
        asked(large(base, **STREAM, **one), calibration, manifest) for one in (*slower, *faster)
    ]
    forwarded = [answer.throughput_pps.value for answer in answers]
    held = [answer.llc[0].mib for answer in answers]
    slow = [answer.memory_latency_ns for answer in answers]
    assert forwarded == sorted(forwarded, reverse=True)
    assert forwarded[-1] < 0.97 * forwarded[0]
    assert held == sorted(held, reverse=True)
    assert slow == sorted(slow)
    for answer in answers:  # what is there is shared out, no more
        assert sum(one.mib for one in answer.llc) == pytest.approx(
            calibration.hierarchy.levels[-1].size_bytes / (1 << 20), rel=1e-6
        )


def test_ways_keep_a_neighbour_away(
    base: Scenario, calibration: Calibration, manifest: Manifest
) -> None:
    def forwarded(**more: Any) -> float:
        scenario = large(base, machine="platinum-8180", **more)
        return asked(scenario, calibration, manifest).throughput_pps.value

    busy = {**STREAM, "neighbour__cores": 8}
    four = forwarded(placement__llc_ways=4)
    assert forwarded(placement__llc_ways=4, neighbour__ways=7, **busy) > (
        1.01 * forwarded(placement__llc_ways=4, **busy)
    )
    # Apart, nothing but memory's latency is left of it.
    apart = asked(
        large(
            base,
            machine="platinum-8180",
            placement__llc_ways=4,
            neighbour__ways=7,
            **busy,
        ),
        calibration,
        manifest,
    )
    assert apart.llc[0].mib == pytest.approx(4 * 38.5 / 11, rel=1e-6)
    assert apart.throughput_pps.value < four


def test_who_asks_less_holds_less(
    base: Scenario, calibration: Calibration, manifest: Manifest
) -> None:
    """At a lower rate the lcores insert less beside the same neighbour: a packet is dearer."""
    busy = large(base, **STREAM, neighbour__rate=50_000_000)
    full = asked(busy, calibration, manifest)
    rate = 0.3 * full.throughput_pps.value
    part = asked(with_overrides(busy, {"traffic.offered_pps": rate}), calibration, manifest)
    assert part.llc[0].mib < 0.9 * full.llc[0].mib


def test_latency_is_looked_at_again_as_load_changes(
    base: Scenario, calibration: Calibration, manifest: Manifest
) -> None:
    scenario = large(
        base,
        **STREAM,
        neighbour__rate=50_000_000,
        traffic__offered_pps=1e6,
        traffic__arrivals="on_off",
        traffic__burst_packets=2000,
        traffic__burst_pps=4e6,
    )
    recording = Recording(duration_ns=8e6, interval_ns=1e5)
    answer = asked(scenario, calibration, manifest, recording=recording)
    seen = np.array([sample.memory_latency_ns for sample in answer.series])
    assert len(np.unique(seen)) > 3


def test_every_law_holds_on_several_lcores(ask: Ask, capacity: float) -> None:
    found = ask(
        placement__lcores="0-3",
        **STREAM,
        neighbour__cores=2,
        traffic__offered_pps=3 * capacity,
        nic__link_gbps=100.0,
    )
    inside = (found.packets_in or 0) - (found.packets_out or 0) - sum(found.drops.values())
    assert 0 <= inside <= 5000
    assert any("of the last cache level belong to the lcores" in note for note in found.notes)


def test_ways_that_nobody_knows_are_refused(base: Scenario) -> None:
    with pytest.raises(InputError, match="nobody knows how many ways"):
        with_overrides(base, {"neighbour.ways": 3})
    with pytest.raises(InputError, match="got ways 30"):
        with_overrides(base, {"neighbour.ways": 30, "machine": "platinum-8180"})


@pytest.mark.parametrize(
    "more",
    [
        {"stream": 1 << 30},
        {"stream": 1 << 30, "cores": 4},
        {"stream": 1 << 30, "rate": 20_000_000},
        {"walk": 8 << 20},
        {"walk": 64 << 20, "cores": 2},
        {"stream": 1 << 30, "cores": 2, "ways": 3},
        {"stream": 1 << 30, "cores": 2, "ways": 9},
    ],
    ids=str,
)
def test_it_costs_what_the_closed_form_says(
    base: Scenario, calibration: Calibration, manifest: Manifest, more: dict[str, Any]
) -> None:
    """One key, two engines, one answer at full load."""
    keys = {f"neighbour__{key}": value for key, value in more.items()}
    site = {"machine": "platinum-8180", "placement__llc_ways": 4} if "ways" in more else {}
    busy = large(base, **site, **keys)
    (without, beside) = solve([large(base, **site), busy], calibration, manifest)
    (found,) = simulate([busy], calibration, manifest, threads=1)
    added = beside.cycles_per_packet.value - without.cycles_per_packet.value
    assert found.cycles_per_packet.value - without.cycles_per_packet.value == pytest.approx(
        added, rel=0.05, abs=0.002 * without.cycles_per_packet.value
    )


def test_load_on_memory_counts_once(
    base: Scenario, calibration: Calibration, manifest: Manifest
) -> None:
    """The closed form slows a catalogue machine's memory down by what all lcores ask of it, the
    memory system does too: one of them is left out. (More lcores would fill it.)"""
    keys = {"workload__acl_rules": 65536, "workload__routes": 65536, "placement__llc_ways": 1}
    scenario = large(base, machine="platinum-8180", placement__lcores="0-21", **keys)
    (closed,) = solve([scenario], calibration, manifest)
    (found,) = simulate([scenario], calibration, manifest, threads=1)
    assert any("memory's latency is 1.5" in note for note in closed.notes)
    assert found.cycles_per_packet.value == pytest.approx(closed.cycles_per_packet.value, rel=0.01)
