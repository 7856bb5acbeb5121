"""Rates that pauses of a CPU limit, and not the data plane."""

from __future__ import annotations

import numpy as np
import pytest

from planecast.dataplanes.dut import Turns
from planecast.instruments.pauses import Pauses
from planecast.results import Estimate
from planecast.results.search import FoundRate
from planecast.scenario import Scenario, with_overrides
from planecast.search.combine import DATAPLANE
from planecast.search.pauses import PAUSES, TURNS, longest_s, round_s, with_pauses
from planecast.search.trial import Trial


def _rate(mpps: float, loss: float | None = 0.0, by: str = DATAPLANE) -> FoundRate:
    found = Estimate(value=mpps * 1e6, unit="pps", kind="measured")
    return FoundRate(loss_ratio=loss, rate_pps=found, bounds=(), capped_by=by, why="so")


def _trials(pause_s: float | None) -> list[Trial]:
    keys = {"intended_pps": 1e6, "intended_seconds": 0.02, "seconds": 0.02}
    return [Trial(**keys, offered=20000, received=20000, pause_s=pause_s)]


def _capped(ring: int, pause_us: float, **rates: FoundRate) -> list[str]:
    scenario = with_overrides(Scenario(name="s"), {"placement.rx_ring": ring})
    found = with_pauses(rates, scenario, _trials(pause_us * 1e-6))
    return [rate.capped_by for rate in found.values()]


def test_a_short_ring_overflows_in_a_pause() -> None:
    """As it came: 128 slots hold 61 us at 2.1 Mpps."""
    scenario = with_overrides(Scenario(name="s"), {"placement.rx_ring": 128})
    rates = {"NDR": _rate(2.1), "PDR": _rate(6.7, 0.005)}
    found = with_pauses(rates, scenario, _trials(58e-6))
    assert found["NDR"].capped_by == PAUSES
    assert "128 slots holds 61 us" in found["NDR"].why
    assert "for 58 us or longer" in found["NDR"].why
    assert found["PDR"] == rates["PDR"]
    assert with_pauses(rates, scenario, _trials(None)) == rates


@pytest.mark.parametrize(
    ("ring", "pause_us", "rates"),
    [
        (1024, 58, {"NDR": _rate(2.1), "PDR": _rate(6.7, 0.005)}),  # it bridges them
        (128, 8, {"NDR": _rate(2.1), "PDR": _rate(6.7, 0.005)}),  # a quiet machine
        (1024, 90, {"NDR": _rate(11.5), "PDR": _rate(11.7, 0.005)}),  # the data plane's own limit
        (128, 58, {"NDR": _rate(14.88, by="link"), "PDR": _rate(14.88, 0.005, by="link")}),
        (128, 58, {"MRR": _rate(7.0, None)}),
    ],
)
def test_what_limits_otherwise(ring: int, pause_us: float, rates: dict[str, FoundRate]) -> None:
    assert PAUSES not in _capped(ring, pause_us, **rates)


def test_the_longest_pause_of_half_of_all_times() -> None:
    starts = np.array([0.001, 0.012, 0.031, 0.055])
    lengths = np.array([10e-6, 50e-6, 60e-6, 20e-6])
    recorded = Pauses(cpu=1, seconds=0.06, starts_s=starts, lengths_s=lengths)
    assert longest_s(recorded, 0.02) == pytest.approx(50e-6)
    assert longest_s(recorded, 1.0) == pytest.approx(60e-6)
    quiet = Pauses(cpu=1, seconds=0.06, starts_s=np.array([]), lengths_s=np.array([]))
    assert longest_s(quiet, 0.02) == 0.0


@pytest.mark.parametrize(
    ("mpps", "slots", "by"),
    [
        (2.05, 16384, TURNS),  # as it came, on three processors alike: 8 ms fill a ring of 16,384
        (1.2, 16384, DATAPLANE),
    ],
)
def test_programs_that_share_a_cpu_fill_a_ring_in_their_turns(
    mpps: float, slots: int, by: str
) -> None:
    scenario = with_overrides(Scenario(name="s"), {"placement.rx_ring": slots})
    (trial,) = _trials(None)
    rates = {"NDR": _rate(mpps), "PDR": _rate(mpps, 0.005), "link": _rate(mpps, by="link")}
    found = with_pauses(rates, scenario, [trial.model_copy(update={"round_s": 0.008})])
    assert [rate.capped_by for rate in found.values()] == [by, by, "link"]
    if by == TURNS:
        assert "turns of 8 ms in all, in which 16,400 packets come" in found["NDR"].why


def test_a_round_is_a_turn_of_each() -> None:
    before = {1: (Turns(0.5, 100), Turns(0.7, 100)), 2: (Turns(0, 0), Turns(0, 0))}
    after = {1: (Turns(0.6, 125), Turns(0.8, 125)), 2: (Turns(0.1, 100), Turns(0.1, 100))}
    assert round_s(before, after) == pytest.approx(0.008)
    assert round_s(before, before) is None
    assert round_s({}, {}) is None
