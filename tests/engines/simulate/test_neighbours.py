"""Neighbours, ways of the last level, memory under load: costs are the closed form's."""

from __future__ import annotations

from typing import Any

import pytest
from tests.engines.simulate.conftest import Ask

from planecast.engines.simulate import _simulator as sim
from planecast.engines.simulate.closed_form_view import closed_form_view
from planecast.engines.simulate.engine import simulate
from planecast.engines.solve import solve
from planecast.errors import InputError
from planecast.model.calibration import Calibration
from planecast.results import Manifest
from planecast.scenario import Scenario, with_overrides

LARGE = {"workload.flows": 1 << 20, "traffic.flows": 1 << 20}
"""Flow tables that the last level holds a part of."""
STREAM = {"neighbour__stream": 1 << 30}
"""Somebody next to the lcores, who streams as fast as he can."""


def large(base: Scenario, **more: Any) -> Scenario:
    changes = {key.replace("__", "."): value for key, value in more.items()}
    return with_overrides(base, LARGE | changes)


def asked(
    scenario: Scenario, calibration: Calibration, manifest: Manifest, **more: Any
) -> sim.Results:
    answers: list[sim.Results] = []
    simulate([scenario], calibration, manifest, threads=1, recorded=answers, **more)
    return answers[0]


def test_an_idle_neighbour_changes_nothing(
    base: Scenario, calibration: Calibration, manifest: Manifest
) -> None:
    scenario = large(base, **STREAM, neighbour__rate=1)
    (closed,) = solve([closed_form_view(scenario)], calibration, manifest)
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
    assert forwarded == sorted(forwarded, reverse=True)
    assert forwarded[-1] < 0.97 * forwarded[0]


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
    assert apart.throughput_pps.value < four


def test_every_law_holds_on_several_lcores(ask: Ask, capacity: float) -> None:
    found = ask(
        placement__cpus="0-3",
        **STREAM,
        neighbour__cores=2,
        traffic__offered_pps=3 * capacity,
        nic__link_gbps=100.0,
    )
    inside = (found.packets_in or 0) - (found.packets_out or 0) - sum(found.drops.values())
    assert 0 <= inside <= 5000


def test_ways_that_nobody_knows_are_refused(base: Scenario) -> None:
    with pytest.raises(InputError, match="the number of ways"):
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
    (without, loaded) = solve([large(base, **site), busy], calibration, manifest)
    (found,) = simulate([busy], calibration, manifest, threads=1)
    assert loaded.cycles_per_packet.value > without.cycles_per_packet.value
    assert found.cycles_per_packet.value == pytest.approx(loaded.cycles_per_packet.value, rel=0.002)


def test_memory_under_the_load_of_all_lcores(
    base: Scenario, calibration: Calibration, manifest: Manifest
) -> None:
    """The closed form slows a catalogue machine's memory down by what all lcores ask of it."""
    keys = {"workload__acl_rules": 65536, "workload__routes": 65536, "placement__llc_ways": 1}
    scenario = large(base, machine="platinum-8180", placement__cpus="0-21", **keys)
    (closed,) = solve([scenario], calibration, manifest)
    (found,) = simulate([scenario], calibration, manifest, threads=1)
    assert any("memory's latency is" in note for note in found.notes)
    assert found.cycles_per_packet.value == pytest.approx(closed.cycles_per_packet.value, rel=0.005)
