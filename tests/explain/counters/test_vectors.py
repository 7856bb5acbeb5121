"""From counts to arrays: places are summed, rounds kept, clocks found, strangers named."""

from __future__ import annotations

import pytest

from planecast.explain.counters import Asked, explain_recording
from planecast.explain.counters.vectors import vectors_of
from planecast.instruments.recorded import Count, Recording, Share
from planecast.topdown import load_definition

CYCLES = "CPU_CLK_UNHALTED.THREAD"


def recorded(*counts: Count) -> Recording:
    return Recording("perf stat", counts, seconds=max(count.round for count in counts) or None)


def test_places_are_summed_and_rounds_kept() -> None:
    counts = [
        Count("cycles", 100 * round_ + cpu, 1.0, float(round_), f"CPU{cpu}")
        for round_ in (1, 2, 3)
        for cpu in (1, 2)
    ]
    found = vectors_of(recorded(*counts), load_definition("broadwell"), None)
    assert found.events[CYCLES].tolist() == [1209, 203, 403, 603]
    assert (found.rounds, found.places) == (3, 2)
    one = vectors_of(recorded(*counts), load_definition("broadwell"), {"CPU2"})
    assert one.events[CYCLES].tolist() == [606, 102, 202, 302]


def test_a_round_that_lacks_an_event_is_no_number() -> None:
    counts = (
        Count("cycles", 100, round=1.0),
        Count("cycles", 300, round=2.0),
        Count("instructions", 50, round=1.0),
    )
    found = vectors_of(recorded(*counts), load_definition("broadwell"), None)
    values = found.events["INST_RETIRED.ANY"].tolist()
    assert values[:2] == [
        100,
        50,
    ]  # the whole: as if the round that lacks it had been like the rest
    assert values[2] != values[2]


def test_the_time_stamp_counter_turns_latencies_into_cycles() -> None:
    counts = []
    for round_ in (1.0, 3.0):  # of one second, and of two
        seconds = 1.0 if round_ == 1.0 else 2.0
        for cpu in ("CPU1", "CPU2"):
            counts += [
                Count("msr/tsc/", 2.1e9 * seconds, 1.0, round_, cpu),
                Count("cycles", 2.8e9 * seconds, 1.0, round_, cpu),
                Count("ref-cycles", 2.1e9 * seconds, 1.0, round_, cpu),
                Count("mem_load_retired.l3_hit", 1e6 * seconds, 1.0, round_, cpu),
                Count("mem_load_retired.fb_hit", 0.0, 1.0, round_, cpu),
                Count("mem_load_retired.l1_miss", 2e6 * seconds, 1.0, round_, cpu),
            ]
    found = explain_recording(recorded(*counts), Asked("made", "skylake"))
    latency = next(node for node in found.nodes if node.node == "l3_hit_latency")
    assert latency.share is not None
    # 17 ns more than L2's at 2.8 GHz, a million times a second
    assert latency.share.value == pytest.approx(17 * 2.8 * 1e6 / 2.8e9)


def test_events_of_the_small_cores_and_of_strangers_are_named() -> None:
    counts = (
        Count("cpu_atom/cycles/", 5),
        Count("cpu_core/cycles/", 7),
        Count("LLC-loads", 9),
    )
    found = vectors_of(recorded(*counts), load_definition("skylake"), None)
    assert found.events[CYCLES].tolist() == [7, 7]
    assert found.unknown == ("LLC-loads",)
    assert "cpu_atom" in found.remarks[0]


def test_shares_of_several_cores_are_their_mean() -> None:
    shares = tuple(
        Share("Retiring", value, place=f"S0-C{at}") for at, value in enumerate((0.2, 0.4))
    )
    recording = Recording("toplev", shares=shares)
    found = explain_recording(recording, Asked("made", "skylake"))
    retiring = next(node for node in found.nodes if node.node == "retiring")
    assert retiring.share is not None
    assert retiring.share.value == pytest.approx(0.3)
    assert any("mean over 2 places" in note for note in found.notes)
    one = explain_recording(recording, Asked("made", "skylake", places=frozenset({"S0-C1"})))
    alone = next(node for node in one.nodes if node.node == "retiring")
    assert alone.share is not None
    assert alone.share.value == pytest.approx(0.4)
    assert not any("mean over" in note for note in one.notes)
