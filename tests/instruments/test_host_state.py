"""The host's state: what is read off the probe's slices, and what of it a machine's probe shows."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from planecast.errors import RunError
from planecast.instruments.host_state import HostState, SurvivalPoint, read_state, usual_states
from planecast.native import native_folder

PROGRAM = Path(__file__).parent.parent / "dataplanes" / "programs" / "planecast-probe.py"
MIB = 1 << 20
SIZES = (2 * MIB, 8 * MIB, 32 * MIB)

built = pytest.mark.skipif(not (native_folder() / "planecast-probe").exists(), reason="not built")


@pytest.fixture(scope="module")
def text() -> str:
    """What the made-up machine's program prints."""
    done = subprocess.run(
        [sys.executable, "-IS", str(PROGRAM), "--state"], capture_output=True, text=True, check=True
    )
    return done.stdout


def aged(text: str, share_at: Callable[[float], float]) -> HostState:
    """The made-up machine with lines that survive so, by their age in seconds."""
    ages = [(size, pace, size / 64 * pace / 2e9) for size in SIZES for pace in (30.0, 60.0, 100.0)]
    points = tuple(
        SurvivalPoint(
            working_set_bytes=size,
            cycles_per_line=pace,
            lap_seconds=age,
            survived=share_at(age),
            cycles=100.0,
        )
        for size, pace, age in ages
    )
    return read_state(text).model_copy(update={"survival": points})


def test_memory_next_to_a_stream_is_slower(text: str) -> None:
    found = read_state(text)
    gbs, times = found.rise() or (0.0, 0.0)
    stream = found.neighbour_lines_per_cycle
    assert stream is not None
    assert gbs == pytest.approx(stream * found.tsc_hz * 64 / 1e9)
    assert times > 1
    alone = tuple(point for point in found.memory if not point.loaded)
    assert found.model_copy(update={"memory": alone}).rise() is None
    assert found.model_copy(update={"neighbour_lines_per_cycle": None}).rise() is None


def test_the_made_up_machine_comes_back(text: str) -> None:
    found = read_state(text)
    assert found.survival[0] == SurvivalPoint(
        working_set_bytes=MIB,
        cycles_per_line=30,
        lap_seconds=MIB / 64 * 30 / 2e9,
        survived=1,
        cycles=100,
    )
    # One slice of four was interrupted.
    assert found.stream_lines_per_cycle.value == pytest.approx(0.2)
    assert found.stream_lines_per_cycle.unit == "lines/cycle"
    assert found.neighbour_lines_per_cycle == 0.15
    assert [(p.width, p.loaded, p.cycles.value) for p in found.memory][::5] == [
        (1, False, 400),
        (32, True, 25),
    ]
    assert found.conflicts is not None
    assert found.conflict_share() == pytest.approx(
        (found.conflicts.same_cycles.value - found.conflicts.spread_cycles.value) / 300
    )
    assert found.model_copy(update={"conflicts": None}).conflict_share() is None
    walks = {(w.pages, w.width, w.placed): w.walk_cycles for w in found.walks}
    assert walks[65536, 1, "in_order"] == 32
    assert walks[8192, 8, "in_order"] == 0.5
    assert walks[65536, 8, "scattered"] == 5
    assert HostState.model_validate_json(found.model_dump_json()) == found


def test_half_of_the_lines_are_gone_at_the_lifetime(text: str) -> None:
    # Of the made-up machine's ages, 7.9 ms and 13.1 ms are those on either side of 10 ms.
    lifetime = read_state(text).lifetime_seconds(2 * MIB)
    assert lifetime is not None
    assert 0.0078 < lifetime < 0.0132
    assert aged(text, lambda age: 1 / (1 + (age / 0.004) ** 4)).lifetime_seconds(
        MIB
    ) == pytest.approx(0.004, rel=0.05)


def test_a_lifetime_that_no_walk_reached_is_none(text: str) -> None:
    assert aged(text, lambda age: 0.99).lifetime_seconds(MIB) is None
    assert aged(text, lambda age: 0.1).lifetime_seconds(MIB) is None
    assert aged(text, lambda age: 0.1).lifetime_seconds(64 * MIB) is None


def test_a_level_too_large_for_the_memory_shows_no_conflicts(text: str) -> None:
    found = read_state(json.dumps(json.loads(text) | {"conflicts": []}))
    assert found.conflicts is None


@pytest.mark.parametrize(
    ("change", "place"),
    [({"state": 2}, "state"), ({"stream": []}, "stream"), ({"complete": False}, "complete")],
)
def test_an_answer_that_is_none_is_a_sentence(
    text: str, change: dict[str, Any], place: str
) -> None:
    with pytest.raises(RunError, match=f"sent a malformed reply: {place}: "):
        read_state(json.dumps(json.loads(text) | change))


@built
def test_this_machine() -> None:
    program = native_folder() / "planecast-probe"
    done = subprocess.run(
        [str(program), "--state", "--max-mib", "32"], capture_output=True, text=True, check=True
    )
    found = read_state(done.stdout)
    assert found.began_tsc < found.ended_tsc
    assert min(found.hit_cycles, found.miss_cycles) > 0
    assert found.survival[0].working_set_bytes == MIB
    assert all(point.lap_seconds > 0 for point in found.survival)
    assert found.stream_lines_per_cycle.value > 0
    assert {point.width for point in found.memory} == {1, 8, 32}
    assert {walk.pages for walk in found.walks} == {8192}
    # 32 MiB of pages are too few to fill most last levels; where they do, both were measured.
    if found.conflicts is not None:
        assert found.conflicts.same_cycles.samples == found.conflicts.spread_cycles.samples > 0


def test_the_nearest_states_are_those_with_the_cpus_together(text: str) -> None:
    state = read_state(text)
    ways = (26.0, 160.0, 29.0, None)
    states = [state.model_copy(update={"handoff_ns": way}) for way in ways]
    assert [one.handoff_ns for one in usual_states(states)] == [26.0, 29.0, None]
    assert usual_states([state, state]) == [state, state]
