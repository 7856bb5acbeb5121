"""Scales of keys: what is known of programs."""

import numpy as np
import pytest

from planecast.workload.traced.coordinates import EXACT_FLOWS, exact_misses, together


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


def test_keys_that_act_together() -> None:
    assert together("ovs") == (("traffic.flows", "dataplane.masks"),)
    assert together("ovs without EMC") == together("l3fwd") == ()
