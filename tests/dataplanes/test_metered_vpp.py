"""VPP between trials: what its clocks say of a trial's windows."""

from __future__ import annotations

import pytest

from planecast.dataplanes.metered_vpp import GENERATOR, Sent, node_stages, with_stages
from planecast.dataplanes.trial import Windows
from planecast.results.estimate import Estimate


def windows(*cycles: int) -> Windows:
    every = (2048,) * len(cycles)
    return Windows(
        count=len(cycles),
        cycles=cycles,
        packets=every,
        bursts=tuple(packets // 32 for packets in every),
        empty_polls=(0,) * len(cycles),
        canary_compute=((1.0, 1.0),) * len(cycles),
        canary_chase=((1.0, 1.0),) * len(cycles),
        sampled_packets=(0,) * len(cycles),
        sampled_bursts=(0,) * len(cycles),
        stage_cycles={},
    )


def said(value: float) -> Estimate:
    return Estimate(value=value, samples=1, unit="cycles/packet", kind="measured")


def test_its_nodes_by_stage_without_the_generator() -> None:
    opinion = {"thread clocks": said(900), "clocks": said(800), GENERATOR: said(500)}
    opinion |= {"node pg1-output": said(10), "node pg1-tx": said(5), "node l2-input": said(4)}
    opinion |= {"node ethernet-input": said(20)}
    found = node_stages(opinion)
    assert list(found.items()) == [("parse", 24), ("tx", 15)]


def test_windows_are_divided_as_the_trial_was() -> None:
    """A disturbance is in VPP's clocks, too: it does not take what is left to the generator."""
    quiet, disturbed = 100 * 2048, 300 * 2048
    found = with_stages(windows(quiet, disturbed), {"parse": 100.0, "tx": 50.0})
    assert found.stage_cycles["parse"] == (quiet // 2, disturbed // 2)
    assert found.stage_cycles["tx"] == (quiet // 4, disturbed // 4)
    assert found.stage_cycles["source"] == (quiet // 4, disturbed // 4)
    assert found.sampled_packets == found.packets


def test_clocks_that_say_more_than_the_whole_leave_nothing() -> None:
    found = with_stages(windows(100 * 2048), {"parse": 130.0})
    assert found.stage_cycles["source"] == (0,)
    assert found.stage_cycles["parse"][0] == pytest.approx(130 * 2048)


@pytest.mark.parametrize(("went", "lost"), [(9744, 0), (10_000, 0), (10_200, 0), (9743, 257)])
def test_packets_that_wait_with_the_generator_are_not_lost(went: int, lost: int) -> None:
    assert Sent(10_000, went, {}).entered - went == lost
