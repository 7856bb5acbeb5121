"""Counting with a perf that is made up: what it is asked, and what its words mean."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from planecast.errors import MissingError, PlanecastError, RunError
from planecast.explain.counters import Asked, explain_recording
from planecast.explain.counters.live import counting_plan, host_definition
from planecast.host.root import Root
from planecast.instruments.perf import CountRequest, count_events
from planecast.topdown import load_definition

# Counts ten times the length of an event's name, in each round and on each CPU, half of the time.
FAKE = """\
#!{python}
import json, re, sys
given = dict(zip(sys.argv, sys.argv[1:]))
with open(given["-o"], "w") as file:
    for round_ in (1, 2, 3):
        for cpu in (1, 2):
            asked = re.findall(r"cpu/.*?/|[^,]+", re.sub(r"[{{}}]", "", given["-e"]))
            for event in (re.sub(r"cpu/.*name=(.*)/", r"\\1", one) for one in asked):
                line = {{"interval": round_ * 1.0, "cpu": str(cpu), "event": event,
                        "counter-value": str(1e6 * (round_ + len(event))), "pcnt-running": 50.0}}
                file.write(json.dumps(line) + "\\n")
"""


def program(folder: Path, text: str, monkeypatch: pytest.MonkeyPatch) -> None:
    file = folder / "perf"
    file.write_text(text, encoding="utf-8")
    file.chmod(0o755)
    monkeypatch.setenv("PATH", f"{folder}:/usr/bin:/bin")


def machine(folder: Path, watchdog: int = 0) -> Root:
    (folder / "proc/sys/kernel").mkdir(parents=True)
    (folder / "proc/cpuinfo").write_text("processor : 0\ncpu family : 25\nmodel : 17\n")
    (folder / "proc/sys/kernel/nmi_watchdog").write_text(f"{watchdog}\n")
    for cpu, siblings in ((1, "1,3"), (2, "2,4"), (3, "1,3"), (4, "2,4")):
        topology = folder / f"sys/devices/system/cpu/cpu{cpu}/topology"
        topology.mkdir(parents=True)
        (topology / "thread_siblings_list").write_text(f"{siblings}\n")
    return Root(folder)


def test_the_machine_says_what_is_counted(tmp_path: Path) -> None:
    root = machine(tmp_path)
    assert host_definition(root).name == "zen4"
    plan = counting_plan((1, 2), 1, 4.0, Asked("CPUs 1-2", pps=2e6), root)
    assert plan.asked.architecture == "zen4"
    assert plan.asked.smt is False
    assert plan.asked.packets == 8e6
    assert counting_plan((1, 3), 1, 4.0, Asked("x"), root).asked.smt is True


def test_the_watchdog_takes_a_counter(tmp_path: Path) -> None:
    free = counting_plan((1,), 1, 1.0, Asked("x"), machine(tmp_path / "free"))
    watched = counting_plan((1,), 1, 1.0, Asked("x"), machine(tmp_path / "watched", watchdog=1))
    most = [max(map(len, plan.request.groups)) for plan in (free, watched)]
    assert most == [6, 5]


def test_a_processor_without_definition_is_named(tmp_path: Path) -> None:
    (tmp_path / "proc").mkdir()
    (tmp_path / "proc/cpuinfo").write_text("cpu family : 6\nmodel : 15\nmodel name : Old Core\n")
    with pytest.raises(MissingError, match="no top-down definition is known for Old Core"):
        host_definition(Root(tmp_path))


def test_what_perf_counts_is_explained(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    program(tmp_path, FAKE.format(python=sys.executable), monkeypatch)
    plan = counting_plan((1, 2), 1, 3.0, Asked("x"), machine(tmp_path / "root"))
    recording = count_events(plan.definition, plan.request)
    assert {count.place for count in recording.counts} == {"CPU1", "CPU2"}
    assert {count.round for count in recording.counts} == {1.0, 2.0, 3.0}
    found = explain_recording(recording, plan.asked)
    frontend = next(node for node in found.nodes if node.node == "frontend_bound")
    assert frontend.share is not None
    assert frontend.share.samples == 3
    # name lengths 44 and 17, and the round's number
    assert frontend.share.value == pytest.approx((44 + 2) / (17 + 2) / 6)
    assert any("50 % of the time" in line for line in found.certainty)


@pytest.mark.parametrize(
    ("words", "kind", "sentence"),
    [
        ("perf_event_paranoid setting is 4", MissingError, "not allowed to count"),
        ("No permission to enable cycles", MissingError, "perf_event_paranoid=0"),
        ("something else went wrong", RunError, "perf failed: something else went wrong"),
    ],
)
def test_perfs_words_become_a_sentence(
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    words: str,
    kind: type[PlanecastError],
    sentence: str,
) -> None:
    program(tmp_path, f"#!/bin/sh\necho '{words}' >&2\nexit 255\n", monkeypatch)
    with pytest.raises(kind, match=sentence):
        count_events(load_definition("zen4"), CountRequest((1,), (("ex_ret_ops",),), 0.1, 1))


def test_without_perf_it_is_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    with pytest.raises(MissingError, match="perf is not installed"):
        count_events(load_definition("zen4"), CountRequest((1,), (("ex_ret_ops",),), 0.1, 1))
