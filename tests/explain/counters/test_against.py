"""Two recordings side by side: what moved, and a packet's cycles that add up."""

from __future__ import annotations

from pathlib import Path
from types import ModuleType

import pytest

from planecast.explain.counters import (
    Asked,
    CounterExplanation,
    compare_counters,
    explain_published,
    explain_recording,
)
from planecast.instruments.recorded import read_recording


def test_a_second_thread_hides_the_first_ones_waiting() -> None:
    """The paper's rows: the same work with a packet, fewer cycles in the backend."""
    found = compare_counters(explain_published("l3fwd noHT"), explain_published("l3fwd HT"))
    cycles = {change.node: change.cycles.value for change in found.changes if change.cycles}
    assert cycles["backend_bound"] == pytest.approx(0.254 * 65 - 0.616 * 90)
    assert abs(cycles["retiring"]) < 1
    # the table's shares are rounded to a tenth of a percent
    assert sum(cycles.values()) == pytest.approx(65 - 90, abs=0.2)
    assert "both in the other" in found.notes[0]
    assert all(change.moved is None for change in found.changes)


def explained(made: ModuleType, file: Path, retiring: float, rounds: int) -> CounterExplanation:
    events = made.zen(6)
    events["ex_ret_ops"] *= retiring
    file.write_text(made.perf_csv(events, rounds), encoding="utf-8")
    return explain_recording(read_recording(file), Asked(str(file), "zen4", packets=1e7))


@pytest.mark.parametrize(("factor", "moved"), [(1.0, False), (1.2, True)])
def test_what_moves_beyond_its_interval_is_reported(
    made_events: ModuleType, tmp_path: Path, factor: float, moved: bool
) -> None:
    a = explained(made_events, tmp_path / "a.csv", 1.0, 5)
    b = explained(made_events, tmp_path / "b.csv", factor, 5)
    found = compare_counters(a, b)
    change = next(change for change in found.changes if change.node == "retiring")
    assert change.moved is moved
    assert ("Retiring" in found.findings[1]) is moved
    assert found.findings[0].startswith("B takes +0.0 core cycles a packet")


def test_one_count_moves_nothing_for_sure(made_events: ModuleType, tmp_path: Path) -> None:
    a = explained(made_events, tmp_path / "a.csv", 1.0, 5)
    b = explained(made_events, tmp_path / "b.csv", 1.2, 1)
    found = compare_counters(a, b)
    assert all(change.moved is None for change in found.changes)
    assert "without intervals to judge it by" in found.findings[1]
    assert "Retiring +6.0 points" in found.findings[1]
