"""Which windows count: those of quiet CPUs, where they were not moved apart."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pytest
from tests.engines.measure.conftest import Answer, Columns, spread, together, windows

from planecast.engines.measure.counted_windows import undisturbed_rows


def test_one_canary_next_to_a_window_is_enough_to_leave_it_out() -> None:
    columns = windows([200.0] * 40)
    columns["canary_compute_after"] = np.where(np.arange(40) % 4 == 0, 2.6, 2.0)
    assert undisturbed_rows(columns).tolist() == [i % 4 != 0 for i in range(40)]


def test_each_cpu_has_its_own_low_mode() -> None:
    columns = together(
        [windows([1.0] * 30, cpu=0, canaries=2.0), windows([1.0] * 30, cpu=1, canaries=2.4)]
    )
    assert undisturbed_rows(columns).all()


def _apart(costs: Sequence[float], ways: Sequence[float]) -> Columns:
    parts = [windows(spread(cost), visit=visit) for visit, cost in enumerate(costs)]
    for part, way in zip(parts, ways, strict=True):
        part["handoff_ns"] = np.full(len(part["cycles"]), way)
    return together(parts)


def test_visits_next_to_a_cpu_that_was_moved_away_do_not_count(
    answer: Answer,
) -> None:
    columns = _apart((400, 402, 140, 398), (26.0, 28.0, 160.0, np.nan))
    found = answer(columns, neighbour={"neighbour.stream": "256MiB"})
    assert found.cycles_per_packet.value == pytest.approx(400, rel=0.01)
    (note,) = [note for note in found.notes if "hypervisor" in note]
    assert "took 26 to 160 ns from CPU to CPU" in note
    assert "1 of 4 visits while they were elsewhere than usual, not counted" in note


def test_where_the_cpus_were_only_apart_those_visits_count(answer: Answer) -> None:
    columns = _apart((140, 142, 400), (160.0, 155.0, 26.0))
    columns["point"] = np.where(np.asarray(columns["visit"]) == 2, 1, 0)
    found = answer(columns, neighbour={"neighbour.stream": "256MiB"})
    assert found.cycles_per_packet.value == pytest.approx(141, rel=0.01)
    assert any("included because too few other windows" in note for note in found.notes)


def test_a_pipeline_alone_on_its_cpu_does_not_mind_where_others_are(
    answer: Answer,
) -> None:
    found = answer(_apart((200, 202, 200), (26.0, 160.0, 340.0)))
    assert found.cycles_per_packet.samples == 150
    assert not any("hypervisor" in note for note in found.notes)
