"""Counters recorded on another machine as a calibration: a known model comes back, with its
doubt."""

from __future__ import annotations

import math
from pathlib import Path

import pytest
from tests.calibrate.made_counters import Truth, column_file, perf_file

from planecast.calibrate.counted_run import Condition, counted_run
from planecast.calibrate.from_counters import Imported, calibrate_counters
from planecast.engines.solve import solve
from planecast.errors import InputError
from planecast.instruments.recorded import read_recording
from planecast.model.calibration import Calibration
from planecast.results import Result, collect_manifest
from planecast.scenario import Scenario, with_overrides
from planecast.scenario.machine import machine_of

MACHINE = machine_of("gold-6152")
TRUTH = Truth(MACHINE)
PACKETS = 4e6
GHZ = 2.1


def imported(
    folder: Path,
    ways: tuple[int, ...] = (11, 6, 3, 1),
    *,
    truth: Truth = TRUTH,
    noise: float = 0.0,
    rounds: int = 5,
    pps: bool = False,
) -> Imported:
    """A calibration from a file for each number of ways."""
    runs = []
    for number in ways:
        counts = truth.counts(number, GHZ, PACKETS)
        file = perf_file(folder / f"{number}.csv", counts, rounds, noise, seed=number)
        known = {"pps": GHZ * 1e9 / truth.cycles(number, GHZ)} if pps else {"packets": PACKETS}
        condition = Condition(file.name, core_ghz=GHZ, llc_ways=number, **known)
        runs.append(counted_run(read_recording(file), condition, truth.machine))
    return calibrate_counters(runs, truth.machine, collect_manifest("import", 0))


def parameters(calibration: Calibration) -> dict[str, float]:
    return {one.name: one.value for one in calibration.parameters}


def ask(calibration: Calibration, **changes: object) -> Result:
    keys = {key.replace("__", "."): value for key, value in changes.items()}
    scenario = with_overrides(Scenario(name="asked"), keys)
    (found,) = solve([scenario], calibration, collect_manifest("solve", 0))
    return found


def width(result: Result) -> float:
    return result.cycles_per_packet.half_width_percent or math.inf


@pytest.mark.parametrize("pps", [False, True])
def test_parameters_of_a_known_model_come_back(tmp_path: Path, pps: bool) -> None:
    found = imported(tmp_path, pps=pps).calibration
    values = parameters(found)
    assert values["core.cpi"] == pytest.approx(TRUTH.core_cpi, rel=0.02)
    assert values["overlap.counted"] == pytest.approx(TRUTH.blocking, abs=0.03)
    (cpi, bf) = found.parameters
    assert cpi.low < TRUTH.core_cpi < cpi.high
    assert bf.low < TRUTH.blocking < bf.high
    (counts,) = found.instructions.values()
    assert counts.instructions_per_packet == pytest.approx(TRUTH.instructions, rel=0.002)


@pytest.mark.parametrize("ways", [1, 2, 3, 5, 8, 11])
def test_sizes_between_those_that_were_counted_are_predicted(tmp_path: Path, ways: int) -> None:
    calibration = imported(tmp_path).calibration
    result = ask(calibration, placement__llc_ways=ways)
    assert result.cycles_per_packet.value == pytest.approx(TRUTH.cycles(ways, GHZ), rel=0.03)
    assert result.cycles_per_packet.covers(TRUTH.cycles(ways, GHZ))
    assert not any("lie outside" in note for note in result.notes)


@pytest.mark.parametrize("ghz", [1.2, 1.8, 2.5, 3.2])
def test_other_clocks_are_predicted(tmp_path: Path, ghz: float) -> None:
    calibration = imported(tmp_path).calibration
    result = ask(calibration, placement__core_ghz=ghz, placement__llc_ways=3)
    pps = ghz * 1e9 / TRUTH.cycles(3, ghz)
    assert result.throughput_pps.value == pytest.approx(pps, rel=0.02)
    assert result.throughput_pps.covers(pps)


def test_intervals_shrink_with_runs_and_with_rounds(tmp_path: Path) -> None:
    some = [
        width(ask(imported(tmp_path, ways, noise=0.03, rounds=rounds).calibration))
        for ways, rounds in [
            ((11,), 1),
            ((11, 3), 2),
            ((11, 6, 3, 1), 8),
            ((11, 9, 7, 5, 3, 1), 60),
        ]
    ]
    assert some == sorted(some, reverse=True)
    assert some[-1] < some[0] / 2


def test_one_run_alone_says_that_the_blocking_factor_is_assumed(tmp_path: Path) -> None:
    done = imported(tmp_path, (11,))
    assert any("mostly assumed" in remark for remark in done.remarks)
    assert not any("mostly assumed" in remark for remark in imported(tmp_path).remarks)
    bf = done.calibration.parameters[1]
    assert bf.high - bf.low > 0.4
    # What was counted is met all the same.
    found = ask(done.calibration).cycles_per_packet
    assert found.value == pytest.approx(TRUTH.cycles(11, GHZ), rel=0.01)


def test_a_size_far_from_those_counted_widens_and_says_so(tmp_path: Path) -> None:
    calibration = imported(tmp_path, (11,)).calibration
    near, far = ask(calibration), ask(calibration, placement__llc_ways=1)
    assert width(far) > 1.5 * width(near)
    assert any("lie outside the 31.2 MiB" in note for note in far.notes)
    assert far.cycles_per_packet.covers(TRUTH.cycles(1, GHZ))


def test_another_machine_is_said_to_be_assumed(tmp_path: Path) -> None:
    calibration = imported(tmp_path).calibration
    here, there = ask(calibration), ask(calibration, machine="e5-2699v4")
    assert width(there) > width(here)
    text = " ".join(there.notes)
    assert "transferred to Intel Xeon E5-2699 v4" in text
    assert "L2 of 0.25 times the counted size" in text
    assert there.throughput_pps.value < here.throughput_pps.value


def test_more_cores_share_the_last_level(tmp_path: Path) -> None:
    calibration = imported(tmp_path).calibration
    one, four = ask(calibration), ask(calibration, placement__cpus="1-4")
    assert four.throughput_pps.value < 4 * one.throughput_pps.value
    assert four.throughput_pps.value > 3 * one.throughput_pps.value


def test_a_busy_sibling_and_a_workload_of_others_are_answered(tmp_path: Path) -> None:
    calibration = imported(tmp_path).calibration
    alone, busy_sibling = ask(calibration), ask(calibration, placement__busy_siblings=True)
    assert alone.cycles_per_packet.value < busy_sibling.cycles_per_packet.value
    assert (
        ask(calibration, dataplane__kind="vpp", dataplane__graph="l2xc")
        .notes[0]
        .startswith("calibrated from counters")
    )


def test_columns_by_name_in_any_order_and_locale(tmp_path: Path) -> None:
    counts = TRUTH.counts(11, GHZ, PACKETS)
    for mark in (",", ";", "\t"):
        file = column_file(tmp_path / "emon.csv", counts, mark=mark)
        run = counted_run(read_recording(file), Condition("emon.csv", packets=PACKETS), MACHINE)
        assert run.instructions == pytest.approx(TRUTH.instructions, rel=1e-3)
        assert run.cpi.size == 5
        assert run.misses.mean() == pytest.approx(TRUTH.memory_lines(11) / TRUTH.instructions, 1e-3)


def test_pcm_shows_ratios_and_its_rate_the_instructions(tmp_path: Path) -> None:
    cycles, lines = TRUTH.cycles(11, GHZ), TRUTH.memory_lines(11)
    file = tmp_path / "pcm.csv"
    values = f"{cycles * 4:.1f},{TRUTH.instructions * 4},{lines * 4:.4f},{TRUTH.asked * 4}"
    file.write_text(
        f"System,,,,,\nDate,Time,ACYC,INST,L3MISS,L2MISS\n2026-01-01,10:00:00,{values}\n"
    )
    pps = GHZ * 1e9 / cycles
    run = counted_run(read_recording(file), Condition("pcm.csv", pps=pps, core_ghz=GHZ), MACHINE)
    assert run.instructions == pytest.approx(TRUTH.instructions, rel=1e-3)
    assert run.cpi.mean() == pytest.approx(cycles / TRUTH.instructions, rel=1e-3)
    with pytest.raises(InputError, match="prints counts in millions"):
        counted_run(read_recording(file), Condition("pcm.csv", packets=1e6), MACHINE)


def test_clock_and_latency_follow_from_what_was_counted(tmp_path: Path) -> None:
    counts = TRUTH.counts(11, 2.8, PACKETS)
    counts["ref-cycles"] = counts["cycles"] * 2.1 / 2.8
    counts["offcore_requests.l3_miss_demand_data_rd"] = 1e6
    counts["offcore_requests_outstanding.l3_miss_demand_data_rd"] = 1e6 * 2.8 * 95
    run = counted_run(
        read_recording(perf_file(tmp_path / "a.csv", counts)), Condition("a", PACKETS), MACHINE
    )
    assert run.ghz == pytest.approx(2.8, rel=1e-6)
    assert run.memory_ns == pytest.approx(95, rel=1e-6)
    done = calibrate_counters([run], MACHINE, collect_manifest("import", 0))
    counted = done.calibration.counted
    assert counted is not None
    assert counted.machine.values.memory_idle_ns.value == pytest.approx(95, rel=1e-6)


@pytest.mark.parametrize(
    ("event", "words"),
    [
        ("instructions", "instructions are missing"),
        ("cycles", "core cycles are missing"),
        ("longest_lat_cache.miss", "misses of the last level are missing"),
    ],
)
def test_a_missing_column_is_refused_by_name(tmp_path: Path, event: str, words: str) -> None:
    counts = TRUTH.counts(11, GHZ, PACKETS)
    del counts[event]
    file = perf_file(tmp_path / "a.csv", counts)
    with pytest.raises(InputError, match=words):
        counted_run(read_recording(file), Condition("a.csv", packets=PACKETS), MACHINE)


def test_what_cannot_be_is_refused(tmp_path: Path) -> None:
    counts = TRUTH.counts(11, GHZ, PACKETS)
    recording = read_recording(perf_file(tmp_path / "a.csv", counts))
    with pytest.raises(InputError, match="the number of packets is missing"):
        counted_run(recording, Condition("a.csv"), MACHINE)
    with pytest.raises(InputError, match="CPU9 is not in the file"):
        counted_run(recording, Condition("a.csv", 1.0, places=frozenset({"CPU9"})), MACHINE)
    wrapped = counts | {"longest_lat_cache.miss": 5 * (2.0**64 - 10)}
    recording = read_recording(perf_file(tmp_path / "b.csv", wrapped))
    with pytest.raises(InputError, match="ran below zero"):
        counted_run(recording, Condition("b.csv", packets=PACKETS), MACHINE)
    fast = counts | {"cycles": counts["instructions"] / 9}
    run = counted_run(
        read_recording(perf_file(tmp_path / "c.csv", fast)), Condition("c.csv", PACKETS), MACHINE
    )
    with pytest.raises(InputError, match="fewer than the"):
        calibrate_counters([run], MACHINE, collect_manifest("import", 0))


def test_other_work_is_noticed(tmp_path: Path) -> None:
    one = TRUTH.counts(11, GHZ, PACKETS)
    other = Truth(MACHINE, instructions=1100).counts(3, GHZ, PACKETS)
    runs = [
        counted_run(
            read_recording(perf_file(tmp_path / f"{ways}.csv", counts)),
            Condition(f"{ways}.csv", PACKETS, llc_ways=ways, core_ghz=GHZ),
            MACHINE,
        )
        for ways, counts in ((11, one), (3, other))
    ]
    done = calibrate_counters(runs, MACHINE, collect_manifest("import", 0))
    assert any("was it the same work?" in remark for remark in done.remarks)
