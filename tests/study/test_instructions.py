"""Which pipelines are counted, and what is remembered of it."""

from __future__ import annotations

import threading
import time
from collections import Counter
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any, Literal

import pytest

from planecast.errors import RunError
from planecast.scenario import FUNCTIONS, Scenario
from planecast.study.instructions import (
    BURSTS,
    FEW_BURSTS,
    count_instructions,
    count_pipelines,
)
from planecast.workload.counts import InstructionCounts, RawCounts, run_plan, solve_counts

MakeScenario = Callable[..., Scenario]

FULL = "acl,key,classify,actions,route"


class Instrument:
    """Counts what the command says: 100 a packet and stage, key 1 more for each look-ahead, compute
    10,000, next_hop 40 where no route is longer than the first table's; and so many more for each
    round of eight packets."""

    def __init__(self) -> None:
        self.asked: list[tuple[str, tuple[int, ...]]] = []
        self.packets: dict[str, int] = {}
        self.instruments: Counter[str] = Counter()
        self.round_of: dict[str, int] = {}
        self.lock = threading.Lock()

    def count(
        self,
        instrument: Literal["callgrind", "singlestep"],
        command: Callable[[int, int], Sequence[str]],
        *,
        packets: int,
        bursts: Sequence[int],
        progress: Callable[[int, int], None],
    ) -> InstructionCounts:
        runs = {}
        progress(0, 1)
        for count, burst in run_plan(packets, bursts):
            text = Path(command(count, burst)[1]).read_text()
            assert f"burst = {burst}\n" in text
            stages = text.partition("stages = ")[2].partition("\n")[0].split(",")
            costs = {name: 100 * count for name in ("source", *stages, "tx") if name != "none"}
            if "key" in stages:
                costs["key"] += count * len({"classify", "actions", "route"} & set(stages))
            if "compute" in stages:
                costs["compute"] *= 100
            if "route_depth = 24\n" in text:
                costs["next_hop"] = 40 * count
            for name, cost in self.round_of.items():
                costs[name] += cost * -(-burst // 8) * (count // burst)
            runs[count, burst] = RawCounts(total=sum(costs.values()), stages=costs)
        with self.lock:
            self.asked.append((",".join(stages), tuple(bursts)))
            self.packets[",".join(stages)] = packets
            self.instruments[instrument] += 1
        return solve_counts(instrument, "made up", runs)

    @property
    def pipelines(self) -> list[str]:
        return sorted(stages for stages, _ in self.asked)


@pytest.fixture
def instrument(machine: Any, monkeypatch: pytest.MonkeyPatch) -> Instrument:
    made = Instrument()
    monkeypatch.setattr("planecast.study.instructions.counted_with", made.count)
    return made


def kept(tmp_path: Path) -> list[Path]:
    return sorted((tmp_path / "cache" / "planecast").iterdir())


def test_the_fullest_pipeline_is_counted_and_key_for_each_way_to_look_ahead(
    scenario: MakeScenario, instrument: Instrument
) -> None:
    pipelines = ["none", "acl", "key,route", "key,classify", FULL, "key,classify,route"]
    scenarios = [scenario({"workload.stages": stages}) for stages in pipelines]
    scenarios.append(scenario({"placement.burst": 24}))
    heard: list[tuple[int, int]] = []
    counts = count_pipelines(scenarios, lambda done, total: heard.append((done, total)))
    assert instrument.pipelines == [FULL, "key,classify", "key,classify,route", "key,route"]
    assert dict(instrument.asked)[FULL] == BURSTS
    assert next(iter(counts)) == FULL
    assert set(counts) == set(pipelines)
    key = {name: count.stages["key"].at(32) for name, count in counts.items()}
    assert [key[name] for name in (FULL, "key,route", "key,classify", "key,classify,route")] == [
        *(103, 101, 101, 102)
    ]
    assert all(count.stages["acl"].at(8) == 100 for count in counts.values())
    assert heard[0] == (0, 4)
    assert heard[-1] == (4, 4)


def test_each_count_is_reported_as_it_ends(
    scenario: MakeScenario, instrument: Instrument, monkeypatch: pytest.MonkeyPatch
) -> None:
    another_ended = threading.Event()
    waited = []

    def slow_first(*args: Any, **keys: Any) -> InstructionCounts:
        if tuple(keys["bursts"]) == BURSTS:  # the first
            waited.append(another_ended.wait(20))
        return instrument.count(*args, **keys)

    def done(number: int, whole: int) -> None:
        if number:
            another_ended.set()

    monkeypatch.setattr("planecast.study.instructions.counted_with", slow_first)
    monkeypatch.setattr(
        "planecast.study.instructions.worker_threads", lambda: ThreadPoolExecutor(2)
    )
    count_pipelines([scenario({"workload.stages": s}) for s in (FULL, "key,classify")], done)
    assert waited == [True], "it ends last, and another was reported before"


def test_a_study_without_key_counts_once(scenario: MakeScenario, instrument: Instrument) -> None:
    counts = count_pipelines([scenario({"workload.stages": "none"})])
    assert instrument.pipelines == ["none"]
    assert list(counts) == ["none"]


def test_a_fullest_pipeline_that_no_point_has(
    scenario: MakeScenario, instrument: Instrument
) -> None:
    counts = count_pipelines([scenario({"workload.stages": s}) for s in ("acl", "key,route")])
    assert list(counts) == ["acl,key,route", "acl", "key,route"]
    assert instrument.pipelines == ["acl,key,route"]


@pytest.mark.parametrize(
    ("kind", "pipelines", "counted"),
    [
        (
            "ip4",
            ["none", "check", "check,next_hop"],
            ["check", *["check,next_hop,rewrite"] * 3],  # with longer routes alone, and with none
        ),
        ("l2bridge", ["none", "learn"], ["learn,forward", "none"]),
        (
            "vpe-downstream",
            ["none", "downroute", "downroute,tm"],
            ["downroute,qinq", *["downroute,qinq,tm"] * 2],
        ),
        ("macswap", ["none"], ["macswap"]),
        ("l2patch", [], ["none"]),
    ],
)
def test_every_function_is_counted(
    scenario: MakeScenario,
    instrument: Instrument,
    kind: str,
    pipelines: list[str],
    counted: list[str],
) -> None:
    full = ",".join(FUNCTIONS[kind]) or "none"
    scenarios = [
        scenario({"workload.kind": kind, "workload.stages": stages})
        for stages in (full, *pipelines)
    ]
    counts = count_pipelines(scenarios)
    assert instrument.pipelines == counted
    assert list(counts) == [full, *pipelines]
    assert counts[full].total.at(32) == 100 * (2 + len(FUNCTIONS[kind]))


def test_optional_work_is_counted_with_all_and_without(
    scenario: MakeScenario, instrument: Instrument
) -> None:
    counts = count_pipelines(
        [scenario({"workload.kind": "ip4", "workload.stages": "check,next_hop"})]
    )
    found = counts["check,next_hop"]
    assert {name: least.at(32) for name, least in found.least.items()} == {"next_hop": 40}
    assert found.stages["next_hop"].at(32) == 100


def test_a_stage_of_many_instructions_is_counted_with_few_packets(
    scenario: MakeScenario, instrument: Instrument
) -> None:
    one = scenario({"workload.kind": "compute", "workload.stages": "compute"})
    counts = count_pipelines([one])
    assert dict(instrument.asked) == {"none": BURSTS, "compute": (2, 4)}
    assert instrument.packets == {"none": 64, "compute": 2}
    assert counts["compute"].stages["compute"].at(32) == 10_000
    assert counts["compute"].total.at(32) == 10_200


def test_the_traffic_manager_is_counted_by_callgrind_and_its_code_stepped(
    scenario: MakeScenario, instrument: Instrument
) -> None:
    full = ",".join(FUNCTIONS["vpe-downstream"])
    one = scenario({"workload.kind": "vpe-downstream", "workload.stages": full})
    counts = count_pipelines([one])[full]
    assert sorted(instrument.asked) == [
        ("downroute,qinq", BURSTS),
        (full, BURSTS),
        (full, FEW_BURSTS),  # what the frontend feels
    ]
    assert instrument.instruments == {"singlestep": 2, "callgrind": 1}
    assert counts.notes == ("tm was counted by callgrind",)
    assert tuple(point.burst for point in counts.stages["tm"].counted) == BURSTS


def test_bursts_between_those_that_were_counted(
    scenario: MakeScenario, instrument: Instrument
) -> None:
    """Rounds of eight packets: a burst's instructions jump where another begins."""
    instrument.round_of["acl"] = 1600
    counts = count_pipelines([scenario({"workload.stages": "acl", "placement.burst": 11})])["acl"]
    for burst in range(1, 65):
        per_burst = 100 * burst + 1600 * -(-burst // 8)
        assert counts.stages["acl"].at(burst) == pytest.approx(per_burst / burst)


def test_what_was_counted_is_remembered(
    scenario: MakeScenario, instrument: Instrument, machine: Any, tmp_path: Path
) -> None:
    first = count_instructions(scenario(), "singlestep")
    assert count_instructions(scenario({"placement.burst": 8}), "singlestep") == first
    assert count_instructions(scenario({"placement.lcores": 1}), "singlestep") == first
    assert len(instrument.asked) == len(kept(tmp_path)) == 1
    count_instructions(scenario(), "singlestep", fresh=True)
    assert len(instrument.asked) == 2
    for point in ({"traffic.flows": 256}, {"workload.routes": 64}, {"workload.stages": "acl"}):
        count_instructions(scenario(point), "singlestep")
    count_instructions(scenario(), "singlestep", (8, 32))
    assert len(instrument.asked) == 6


@pytest.mark.parametrize("program", ["planecast-dataplane", "planecast-singlestep"])
def test_another_program_is_counted_again(
    scenario: MakeScenario, instrument: Instrument, machine: Any, program: str
) -> None:
    count_instructions(scenario(), "singlestep")
    with (machine.folder / program).open("a") as file:
        file.write("# built again\n")
    count_instructions(scenario(), "singlestep")
    assert len(instrument.asked) == 2


def test_another_cpu_is_counted_again(
    scenario: MakeScenario, instrument: Instrument, monkeypatch: pytest.MonkeyPatch
) -> None:
    count_instructions(scenario(), "singlestep")
    monkeypatch.setattr("planecast.host.Root.cpu_flags", lambda _: frozenset({"avx2"}))
    count_instructions(scenario(), "singlestep")
    assert len(instrument.asked) == 2


@pytest.mark.parametrize("text", [b"", b"{", b'{"instrument": "guess"}', b"\xff\xfe"])
def test_a_broken_memory_is_ignored_and_mended(
    scenario: MakeScenario, instrument: Instrument, tmp_path: Path, text: bytes
) -> None:
    first = count_instructions(scenario(), "singlestep")
    (path,) = kept(tmp_path)
    path.write_bytes(text)
    assert count_instructions(scenario(), "singlestep") == first
    assert count_instructions(scenario(), "singlestep") == first
    assert len(instrument.asked) == 2


def test_a_folder_that_cannot_be_written_is_no_failure(
    scenario: MakeScenario, instrument: Instrument, tmp_path: Path
) -> None:
    (tmp_path / "cache").write_text("a file where the folder would be")
    count_instructions(scenario(), "singlestep")
    count_instructions(scenario(), "singlestep")
    assert len(instrument.asked) == 2


def test_a_full_disk_leaves_no_half_of_it(
    scenario: MakeScenario, instrument: Instrument, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def full(_: Path, target: Path) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(Path, "replace", full)
    count_instructions(scenario(), "singlestep")
    assert kept(tmp_path) == []


def test_callgrind_counts_the_portable_build(
    scenario: MakeScenario, machine: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    made = Instrument()
    words: list[Sequence[str]] = []

    def count(instrument: Any, command: Any, **how: Any) -> InstructionCounts:
        words.append(command(64, 8))
        return made.count(instrument, command, **how)

    monkeypatch.setattr("planecast.study.instructions.counted_with", count)
    portable = machine.folder / "planecast-dataplane-v3"
    count_instructions(scenario(), "callgrind", (8, 32))
    program, _, *more = words[0]
    assert (Path(program), more[-1]) == (portable, "callgrind")


def test_a_count_that_fails_is_the_end_of_all(
    scenario: MakeScenario, machine: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    begun: list[int] = []

    def fail(instrument: Any, command: Any, **how: Any) -> InstructionCounts:
        begun.append(1)
        time.sleep(0.2 * (len(begun) - 1))
        raise RunError("it died")

    monkeypatch.setattr("planecast.study.instructions.counted_with", fail)
    monkeypatch.setattr("planecast.instruments.side_by_side._CPUS", 1)
    pipelines = ["key", "key,actions", "key,route", "key,actions,route"]
    with pytest.raises(RunError, match="it died"):
        count_pipelines([scenario({"workload.stages": stages}) for stages in pipelines])
    # Another may have begun before anybody looked.
    assert len(begun) <= 2


def test_after_an_interrupt_nothing_more_is_begun(
    scenario: MakeScenario, machine: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    begun: list[int] = []
    proceed = threading.Event()

    def count(instrument: Any, command: Any, **how: Any) -> InstructionCounts:
        begun.append(1)
        proceed.wait(5)
        return Instrument().count(instrument, command, **how)

    def interrupt(done: int, total: int) -> None:
        threading.Timer(0.1, proceed.set).start()
        raise KeyboardInterrupt

    monkeypatch.setattr("planecast.study.instructions.counted_with", count)
    monkeypatch.setattr("planecast.instruments.side_by_side._CPUS", 1)
    pipelines = ["key", "key,actions", "key,route", "key,actions,route"]
    with pytest.raises(KeyboardInterrupt):
        count_pipelines([scenario({"workload.stages": s}) for s in pipelines], interrupt)
    assert len(begun) == 1


def test_the_real_instrument_of_a_made_up_program(scenario: MakeScenario, machine: Any) -> None:
    found = count_instructions(scenario(), "singlestep", (8, 32))
    assert found.stages["classify"].per_packet == 90
    assert found.stages["classify"].per_burst == 100
    assert list(found.stages) == ["source", *FULL.split(","), "tx"]
