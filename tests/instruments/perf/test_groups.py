"""Groups fit the counters, hold whole nodes, and can be asked for."""

from __future__ import annotations

from pathlib import Path

import pytest

from planecast.instruments.perf import CountRequest, event_groups, perf_command
from planecast.topdown import definition_names, find_definition, load_definition
from planecast.topdown.event_names import event_lookup, perf_event, plain_name


def free(definition: str) -> set[str]:
    file = load_definition(definition).file
    return set(file.fixed) | set(file.together)


@pytest.mark.parametrize("name", definition_names())
@pytest.mark.parametrize("smt", [False, True])
def test_groups_fit_and_hold_whole_nodes(name: str, smt: bool) -> None:
    definition = load_definition(name)
    for level in (1, 2, 4):
        counters = definition.file.counters["smt" if smt else "alone"]
        groups = event_groups(definition, level, smt, counters)
        assert all(len(set(group) - free(name)) <= counters for group in groups)
        all_events = {event for group in groups for event in group}
        for node in definition.nodes.values():
            general = definition.events_of(node.name, smt) - free(name)
            askable = all(perf_event(definition, event) for event in general)
            if node.level > level or not askable or "SYSTEM_TSC_FREQ" in general:
                continue
            assert general <= all_events, node.name
            if len(general) <= counters:
                assert any(general <= set(group) for group in groups), node.name


@pytest.mark.parametrize("name", ["broadwell", "skylake", "zen4", "zen5"])
def test_level_1_of_a_thread_alone_is_one_group(name: str) -> None:
    definition = load_definition(name)
    assert len(event_groups(definition, 1, False, definition.file.counters["alone"])) == 1


def test_what_can_only_be_counted_together_leads_the_first_group() -> None:
    first = event_groups(load_definition("sapphirerapids"), 2, False, 8)[0]
    assert first[0] == "TOPDOWN.SLOTS:perf_metrics"
    assert "PERF_METRICS.MEMORY_BOUND" in first


@pytest.mark.parametrize("name", definition_names())
def test_what_perf_is_asked_for_can_be_read_back(name: str) -> None:
    definition = load_definition(name)
    lookup = event_lookup(definition)
    for event in definition.events:
        asked = perf_event(definition, event)
        if asked is not None:
            plain = plain_name(asked)
            assert (lookup.get(plain) or lookup.get(plain.replace(":", "_"))) == event, asked


@pytest.mark.parametrize(
    ("text", "event"),
    [
        ("UOPS_ISSUED.ANY", "UOPS_ISSUED.ANY"),
        ("uops_issued.any:u", "UOPS_ISSUED.ANY"),
        ("uops_issued_any", "UOPS_ISSUED.ANY"),
        ("cpu_core/UOPS_ISSUED.ANY/", "UOPS_ISSUED.ANY"),
        ("cpu/event=0xe,umask=0x1,name=uops_issued_any/", "UOPS_ISSUED.ANY"),
        ("cpu/event=0xe,umask=0x1/", "UOPS_ISSUED.ANY"),
        ("cpu/uops_executed.core,cmask=0x1,inv=1/", "UOPS_EXECUTED.CORE:i1:c1"),
        ("cpu/uops_executed.core,inv,cmask=1/ku", "UOPS_EXECUTED.CORE:i1:c1"),
        ("uops_executed.core:c1", "UOPS_EXECUTED.CORE:c1"),
        ("cycles", "CPU_CLK_UNHALTED.THREAD"),
        ("cpu-cycles:uk", "CPU_CLK_UNHALTED.THREAD"),
    ],
)
def test_every_spelling_of_an_event_is_known(text: str, event: str) -> None:
    lookup = event_lookup(load_definition("broadwell"))
    plain = plain_name(text)
    assert (lookup.get(plain) or lookup.get(plain.replace(":", "_"))) == event


def test_the_command_counts_each_cpu_in_rounds() -> None:
    definition = find_definition("zen4")
    groups = event_groups(definition, 1, False, 6)
    command = perf_command(definition, CountRequest((1, 2, 3), groups, 2, 4), Path("out.json"))
    assert command[:10] == [
        "perf", "stat", "-j", "-A", "-C", "1-3", "-I", "500", "-o", "out.json",
    ]  # fmt: skip
    assert command[command.index("-e") + 1].startswith("{")
    assert command[-3:] == ["--", "sleep", "2"]


def test_without_a_counter_there_is_no_group() -> None:
    with pytest.raises(ValueError, match="no general counter"):
        event_groups(load_definition("zen4"), 1, False, 0)
