"""Scales of keys: what is known of programs."""

import numpy as np
import pytest

from planecast.workload.traced.coordinates import (
    EXACT_FLOWS,
    FLOWS,
    ROUTES,
    exact_misses,
    frame_lines,
    frame_stores,
    own_routes,
    together,
)


def simulated_misses(flows: int, entries: int, seed: int = 1) -> float:
    """Misses of a cache whose entries each hold a flow, of which each may stand in two, and of two
    taken ones the one with the smaller hash gives way, as in Open vSwitch."""
    random = np.random.default_rng(seed)
    places = random.integers(entries, size=(flows, 2))
    hashes = random.random(flows)
    held = np.full(entries, -1)
    missed = 0
    packets = random.integers(flows, size=60 * flows)
    for number, flow in enumerate(packets):
        one, other = places[flow]
        if held[one] == flow or held[other] == flow:
            continue
        missed += number >= packets.size // 2
        taken = [place for place in (one, other) if held[place] >= 0]
        free = [place for place in (one, other) if held[place] < 0]
        place = free[0] if free else min(taken, key=lambda at: hashes[held[at]])
        held[place] = flow
    return missed / (packets.size - packets.size // 2)


@pytest.mark.parametrize("load", [0.4, 0.8, 1.0, 2.0, 8.0])
def test_misses_of_the_exact_match_cache(load: float) -> None:
    entries = 128
    found = exact_misses(np.array([load * EXACT_FLOWS]))[0]
    assert found == pytest.approx(simulated_misses(int(load * entries), entries), abs=0.05)


def test_few_flows_miss_nothing_and_more_miss_more() -> None:
    found = exact_misses(np.geomspace(1, 1e7, 50))
    assert found[0] == pytest.approx(0, abs=0.002)
    assert np.all(np.diff(found) >= 0)
    assert found[-1] < 1


def test_frames_are_written_in_whole_lines() -> None:
    frames = np.array([64, 68, 69, 1518])
    assert frame_lines(frames).tolist() == [1, 1, 2, 24]
    assert frame_stores(frames).tolist() == [10, 10, 14, 102]


def test_keys_that_act_together() -> None:
    flows = "traffic.flows"
    assert together("ovs") == ((flows, "dataplane.masks"), (flows, "dataplane.rules"))
    assert together("l3fwd") == ((flows, "dataplane.routes"),)
    assert together("vpp l2xc") == ((flows, "traffic.frame_bytes"),)
    assert together("ovs without EMC") == together("testpmd io") == ()


def test_flows_with_a_route_of_their_own() -> None:
    def share(flows: int, routes: int) -> float:
        return float(own_routes({FLOWS: np.array([flows]), ROUTES: np.array([routes])})[0])

    assert share(64, 512) == share(256, 512) == 1
    assert share(1024, 512) == pytest.approx(0.25)
    assert share(65536, 16) == pytest.approx(8 / 65536)
    assert share(10, 1) == 0  # the one route is of everything
