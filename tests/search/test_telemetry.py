"""Telemetry at found rates: identities, where figures come from, and what is said without them."""

from __future__ import annotations

import itertools
import json
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from tests.search.conftest import MadeUp

from planecast.dataplanes import TrialAnswer
from planecast.errors import InputError, MissingError, RunError
from planecast.host.root import Root
from planecast.results import Manifest
from planecast.results.search import SearchAnswer
from planecast.scenario import Scenario, with_overrides
from planecast.search import telemetry
from planecast.search.counting import count, counted, counting
from planecast.search.journal import Journal
from planecast.search.question import Question
from planecast.search.run import search
from planecast.search.session import Session
from planecast.search.telemetry import Instrument, instruments, observe
from planecast.search.trial import Trial
from planecast.workload.counts import (
    BurstInstructions,
    InstructionCounts,
    StageInstructions,
)

OURS = Scenario(name="s")
TESTPMD = with_overrides(OURS, {"dataplane.kind": "testpmd"})
TSC_HZ = 2.5e9


def _part(per_packet: float, per_burst: float) -> StageInstructions:
    return StageInstructions(
        per_packet=per_packet,
        per_burst=per_burst,
        counted=tuple(
            BurstInstructions(burst=burst, per_packet=per_packet + per_burst / burst)
            for burst in (8, 32)
        ),
    )


COUNTS = InstructionCounts(
    instrument="singlestep",
    instruction_set="native",
    burst=32,
    stages={"source": _part(30, 80), "acl": _part(200, 160), "tx": _part(20, 40)},
    other=_part(10, 20),
    total=_part(260, 300),
    functions=(),
    runs=(),
)


def _answer(
    cycles: dict[str, int], packets: int = 800, bursts: int = 100, canary: float = 2.4
) -> TrialAnswer:
    windows = {
        "count": 1,
        "cycles": [100_000],
        "packets": [packets],
        "bursts": [bursts],
        "empty_polls": [5],
        "canary_compute": [[canary, canary]],
        "canary_chase": [[360.0, 360.0]],
        "sampled_packets": [packets],
        "sampled_bursts": [bursts],
        "stage_cycles": {name: [value] for name, value in cycles.items()},
    }
    return TrialAnswer.model_validate(
        {
            "trial": {},
            "lcores": [{"cpu": 1, "chain": 0, "segment": 0, "clock_cost": 20, "windows": windows}],
            "packets_in": packets,
            "copies": 0,
            "packets_out": packets,
            "in_flight": 0,
            "drops": {},
            "conserved": True,
            "interrupted": False,
            "tsc_hz": 2_500_000_000,
            "page_size": "2MiB",
            "simd_bits": 512,
            "dpdk": "22.11",
        }
    )


class FakeWatched:
    """A data plane that forwards 5 million packets a second, and its port counters."""

    def __init__(self, scenario: Scenario = OURS) -> None:
        self.scenario = scenario
        self.started = 0
        self.received = 0
        self.canaries: Iterator[float] = itertools.repeat(2.4)

    def start(self, repetition: int) -> None:
        self.started += 1

    def trial(self, offered_pps: float, seconds: float, number: int) -> Trial:
        packets = round(5e6 * seconds)
        self.received += packets
        return Trial(
            intended_pps=offered_pps,
            intended_seconds=seconds,
            seconds=seconds,
            offered=packets,
            received=packets,
        )

    def by_stage(self, offered_pps: float, seconds: float) -> TrialAnswer | None:
        if self.scenario.dataplane.kind != "ours":
            return None
        canary = next(self.canaries)
        acl = 200_000 if canary == 2.4 else 300_000
        return _answer({"source": 8_000, "acl": acl, "tx": 8_000}, canary=canary)

    def counters(self) -> dict[str, int]:
        return {"port0.ipackets": 7 + self.received}


@pytest.fixture(autouse=True)
def _quick(monkeypatch: pytest.MonkeyPatch) -> None:
    """Looks of no length, threads that were on their CPU for half of the time."""
    monkeypatch.setattr(telemetry, "_LEAD_S", 0.0)
    monkeypatch.setattr(telemetry, "_LOOK_S", 0.001)
    monkeypatch.setattr(telemetry, "_PERF_S", 0.01)
    monkeypatch.setattr(telemetry, "hardware_counters", lambda: "hidden")
    monkeypatch.setattr(telemetry, "_busy_share", lambda cpus: 0.5)
    monkeypatch.setattr(telemetry, "tsc_hz", lambda root: (TSC_HZ, "kernel"))
    monkeypatch.setattr(telemetry, "count_instructions", lambda *words: COUNTS)


def _observe(watched: FakeWatched, *wanted: Instrument) -> telemetry.Telemetry:
    (observed,) = observe(watched, {"NDR": 5e6}, wanted)
    return observed


def test_cycles_follow_from_the_clock_and_the_rate() -> None:
    watched = FakeWatched(TESTPMD)
    observed = _observe(watched, "cycles")
    assert watched.started == 1
    assert observed.cycles_per_packet is not None
    assert observed.cycles_per_packet.value == pytest.approx(0.5 * TSC_HZ / 5e6)
    assert observed.cycles_per_packet.samples == 5
    assert observed.cycles_of == "time-stamp counter"
    assert observed.instructions_per_packet is None
    assert any("empty polls" in mark for mark in observed.marks)


def test_without_counters_the_table_is_there_all_the_same_and_marked() -> None:
    """Bursts of eight: 30 + 80/8 and 20 + 40/8 in I/O, 200 + 160/8 in work, 10 + 20/8 around."""
    observed = _observe(FakeWatched(), "cycles", "singlestep")
    assert observed.split is not None
    assert (observed.split.io, observed.split.processing, observed.split.other) == (
        65.0,
        220.0,
        12.5,
    )
    assert observed.instructions_per_packet is not None
    assert observed.instructions_per_packet.value == observed.split.total
    assert observed.mean_burst == 8
    assert observed.busy_cycles_per_packet == 270
    assert sum(observed.stage_cycles.values()) == 270
    assert observed.ipc is not None
    assert observed.ipc.value == pytest.approx(220 / 250)
    assert any("counted by singlestep" in mark for mark in observed.marks)
    assert "counters are hidden here" in observed.marks
    assert any("ran 50 % of the time" in mark for mark in observed.marks)


@pytest.mark.parametrize(
    ("canaries", "share", "acl", "undisturbed"),
    [
        ([2.4] * 12, 0.0, 250, None),
        ([2.4] * 6 + [2.9, 3.0, 3.1, 3.3, 3.5, 3.7], 0.5, 312.5, 270),
        ([2.4] * 2 + [2.9 + 0.1 * at for at in range(22)], 1.0, 364.58, None),
        ([2.9 + 0.1 * at for at in range(12)] + [2.4] * 3, 12 / 15, 350, 270),
        ([2.37 + 0.018 * at for at in range(24)], None, 375, None),
        ([0.0] * 12, None, 375, None),
    ],
)
def test_looks_with_another_guest_on_the_core_are_kept_apart(
    canaries: list[float], share: float | None, acl: float, undisturbed: float | None
) -> None:
    """Without canaries (0) nothing is said, nor of a clock that drifts; two quiet looks are too few
    for a mean, and more are waited for up to a number."""
    watched = FakeWatched()
    watched.canaries = iter(canaries)
    observed = _observe(watched, "cycles", "singlestep")
    assert observed.disturbed_share == (share if share is None else pytest.approx(share))
    assert observed.stage_cycles["acl"] == pytest.approx(acl, abs=0.01)
    assert observed.undisturbed_cycles_per_packet == undisturbed


def test_port_counters_are_those_of_one_trial() -> None:
    observed = _observe(FakeWatched(), "cycles", "dpdk")
    assert observed.ports == {"port0.ipackets": round(5e6 * 0.001)}


def test_an_instrument_that_fails_leaves_a_mark(monkeypatch: pytest.MonkeyPatch) -> None:
    def gone(*words: object) -> None:
        raise MissingError("planecast-singlestep is not built")

    monkeypatch.setattr(telemetry, "count_instructions", gone)
    monkeypatch.setattr(FakeWatched, "counters", lambda self: {})
    observed = _observe(FakeWatched(), "cycles", "singlestep", "dpdk")
    assert observed.cycles_per_packet is not None
    assert any("not built" in mark for mark in observed.marks)
    assert any("no port counters" in mark for mark in observed.marks)


def test_without_our_threads_there_are_no_cycles(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(telemetry, "_busy_share", lambda cpus: 0.0)
    observed = _observe(FakeWatched(TESTPMD), "cycles")
    assert observed.cycles_per_packet is None
    assert any("none of our threads" in mark for mark in observed.marks)


# A group is counted half of the time; two events stand for a core of 1,000 cycles and 1,500
# instructions a packet.
PERF = """\
#!{python}
import json, re, sys
given = dict(zip(sys.argv, sys.argv[1:]))
counts = {{"ls_not_halted_cyc": 2e8, "ex_ret_instr": 3e8}}
with open(given["-o"], "w") as file:
    for round_ in (1, 2):
        for group in given["-e"].split("{{")[1:]:
            inner = group[: group.rindex("}}")]
            for part in re.split(r",(?![^/]*/(?:,|$))", inner):
                # As perf does: an encoded event goes by the name that it was given.
                event = part.split("name=")[1].rstrip("/") if "name=" in part else part
                line = {{"interval": round_ * 1.0, "cpu": "1", "event": event,
                        "counter-value": str(counts.get(event, 1e6)), "pcnt-running": 50.0}}
                file.write(json.dumps(line) + "\\n")
"""


def _machine(folder: Path) -> Root:
    (folder / "proc").mkdir(parents=True)
    (folder / "proc/cpuinfo").write_text("processor : 0\ncpu family : 25\nmodel : 17\n")
    return Root(folder)


def test_perf_counts_in_groups_and_keeps_the_running_share(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "perf").write_text(PERF.format(python=sys.executable))
    (tmp_path / "perf").chmod(0o755)
    monkeypatch.setenv("PATH", f"{tmp_path}:/usr/bin:/bin")
    plan = counting((1,), 2.0, _machine(tmp_path / "root"))
    assert {"ex_ret_instr", "ls_not_halted_cyc"} <= set(plan.request.groups[0])
    assert max(len(group) for group in plan.request.groups) <= 6
    found = counted(plan, count(plan), pps=200_000)
    # Two rounds of 2e8 cycles and 3e8 instructions, over 400,000 packets.
    cycles, ipc = found.metric("cycles"), found.metric("instructions_per_cycle")
    assert cycles is not None
    assert cycles.value == pytest.approx(1000)
    assert ipc is not None
    assert ipc.value == pytest.approx(1.5)
    assert found.events["ex_ret_instr"].per_packet == pytest.approx(1500)
    assert found.events["ex_ret_instr"].running == 0.5
    monkeypatch.setattr(telemetry, "counting", lambda cpus, seconds: plan)
    observed = _observe(FakeWatched(), "cycles", "perf")
    assert observed.cycles_of == "core"
    assert any("50 % of the time" in mark for mark in observed.marks)
    assert not any(mark.startswith("cycles are") for mark in observed.marks)


def test_hidden_counters_leave_the_clocks_figures(monkeypatch: pytest.MonkeyPatch) -> None:
    def hidden(*words: object) -> None:
        raise MissingError("this machine's counters are hidden")

    monkeypatch.setattr(telemetry, "counting", hidden)
    observed = _observe(FakeWatched(), "cycles", "perf")
    assert observed.cycles_of == "time-stamp counter"
    assert "no counters: this machine's counters are hidden" in observed.marks


@pytest.mark.parametrize(
    ("text", "scenario", "found"),
    [
        ("none", OURS, set()),
        ("cycles, dpdk", OURS, {"cycles", "dpdk"}),
        ("callgrind", OURS, {"callgrind"}),
        ("auto", TESTPMD, {"cycles", "dpdk"}),
        ("auto", OURS, {"cycles", "dpdk", "singlestep"}),
    ],
)
def test_what_is_chosen(
    text: str, scenario: Scenario, found: set[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(telemetry, "hardware_counters", lambda: "hidden")
    assert instruments(text, scenario) == found


def test_what_is_refused() -> None:
    with pytest.raises(InputError, match="got 'vtune'"):
        instruments("cycles,vtune", OURS)
    with pytest.raises(InputError, match="testpmd reports none"):
        instruments("callgrind", TESTPMD)


def _searched(tmp_path: Path, manifest: Manifest, watched: FakeWatched) -> SearchAnswer:
    question = Question(
        method="rfc2544",
        engine="measure",
        scenario=OURS,
        repetitions=1,
        trial_seconds=0.01,
        telemetry="cycles",
    )
    with Journal(tmp_path / "t", sync=False) as journal:
        session = Session(MadeUp(), journal, question.trial_seconds)
        return search(question, session, manifest, watched)


def test_a_search_is_looked_at_when_it_is_over(tmp_path: Path, manifest: Manifest) -> None:
    answer = _searched(tmp_path, manifest, FakeWatched())
    (observed,) = answer.telemetry
    assert observed.rate == "throughput"
    assert observed.offered_pps == pytest.approx(6e6, rel=0.02)
    assert json.loads(answer.model_dump_json())["telemetry"]


def test_a_failure_then_costs_the_telemetry_alone(tmp_path: Path, manifest: Manifest) -> None:
    class Gone(FakeWatched):
        def trial(self, offered_pps: float, seconds: float, number: int) -> Trial:
            raise RunError("it was ended by SIGKILL", "testpmd")

    answer = _searched(tmp_path, manifest, Gone())
    assert answer.rates
    assert answer.telemetry == ()
    assert any("telemetry failed" in note for note in answer.notes)
