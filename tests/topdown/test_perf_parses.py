"""Every printed list of events, parsed by the real perf as on a machine of that kind.

perf looks for a PMU's format under sysfs and for names of events by CPUID; both can be set. What
it then can't do is count, which isn't asked.
"""

from __future__ import annotations

import os
import shutil
import subprocess
from pathlib import Path

import pytest

from planecast.cli.verbs.explain.counters import events_sheet
from planecast.instruments.perf import CountRequest, event_groups
from planecast.instruments.perf.count import perf_command
from planecast.topdown import find_definition
from planecast.topdown.event_names import event_lookup, perf_event, plain_name

CPUIDS = {
    "broadwell": "GenuineIntel-6-4F-1",
    "skylake": "GenuineIntel-6-55-4",
    "icelake": "GenuineIntel-6-6A-6",
    "sapphirerapids": "GenuineIntel-6-8F-8",
    "zen4": "AuthenticAMD-25-11-1",
    "zen5": "AuthenticAMD-26-2-1",
}
FORMAT = {"umask": "8-15", "edge": "18", "inv": "23", "cmask": "24-31"}
INTEL = {"event": "0-7", "any": "21", **FORMAT}
AMD = {"event": "0-7,32-35", **FORMAT}
TOPDOWN = ("retiring", "bad-spec", "fe-bound", "be-bound")
TOPDOWN_2 = ("heavy-ops", "br-mispredict", "fetch-lat", "mem-bound")


def parses(events: list[str], name: str, root: Path) -> subprocess.CompletedProcess[str]:
    cpu = root / "bus/event_source/devices/cpu"
    (cpu / "format").mkdir(parents=True)
    (cpu / "events").mkdir()
    (cpu / "type").write_text("4\n", encoding="utf-8")
    amd = name.startswith("zen")
    for key, bits in (AMD if amd else INTEL).items():
        (cpu / "format" / key).write_text(f"config:{bits}\n", encoding="utf-8")
    if not amd:
        for key, bits in {"offcore_rsp": "0-63", "frontend": "0-23", "ldlat": "0-15"}.items():
            (cpu / "format" / key).write_text(f"config1:{bits}\n", encoding="utf-8")
    if name in ("icelake", "sapphirerapids"):
        known = TOPDOWN + (TOPDOWN_2 if name == "sapphirerapids" else ())
        (cpu / "events/slots").write_text("event=0x00,umask=0x4\n", encoding="utf-8")
        for number, one in enumerate(known):
            text = f"event=0x00,umask={0x80 + number:#x}\n"
            (cpu / f"events/topdown-{one}").write_text(text, encoding="utf-8")
    asked = [word for event in events for word in ("-e", event)]
    surroundings = {**os.environ, "SYSFS_PATH": str(root), "PERF_CPUID": CPUIDS[name]}
    command = ["perf", "stat", *asked, "true"]
    return subprocess.run(command, capture_output=True, text=True, env=surroundings, check=False)


def refused(run: subprocess.CompletedProcess[str]) -> bool:
    return any(word in run.stderr for word in ("syntax error", "Cannot find", "Usage:"))


@pytest.mark.skipif(shutil.which("perf") is None, reason="no perf")
@pytest.mark.parametrize("name", CPUIDS)
def test_every_printed_list_parses(name: str, tmp_path: Path) -> None:
    printed = [row["perf"] for row in events_sheet(name).rows if row["perf"]]
    assert len(printed) >= len(find_definition(name).events) - 1
    run = parses(printed, name, tmp_path)
    assert not refused(run), run.stderr[:300]


@pytest.mark.skipif(shutil.which("perf") is None, reason="no perf")
@pytest.mark.parametrize("name", CPUIDS)
def test_every_group_that_would_be_counted_parses(name: str, tmp_path: Path) -> None:
    definition = find_definition(name)
    groups = event_groups(definition, 4, smt=True, counters=4)
    command = perf_command(definition, CountRequest((0,), groups), tmp_path / "counts")
    run = parses([command[command.index("-e") + 1]], name, tmp_path)
    assert not refused(run), run.stderr[:300]


@pytest.mark.skipif(shutil.which("perf") is None, reason="no perf")
def test_what_perf_cannot_parse_is_refused_here_too(tmp_path: Path) -> None:
    for number, wrong in enumerate(("l1d_pend_miss.fb_full,c1", "perf_metrics.retiring")):
        assert refused(parses([wrong], "icelake", tmp_path / str(number)))


@pytest.mark.parametrize("name", CPUIDS)
def test_what_perf_is_asked_for_is_read_back_as_the_event(name: str) -> None:
    definition = find_definition(name)
    lookup = event_lookup(definition)
    for event in definition.events:
        asked = perf_event(definition, event)
        if asked is not None:
            assert lookup[plain_name(asked)] == event
