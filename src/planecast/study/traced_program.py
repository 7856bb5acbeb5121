"""What a scenario's program does to memory: traced in an emulator, by stage."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path

from planecast.cleanup import private_folder
from planecast.dataplanes import once_command
from planecast.dataplanes.dut_factory import title_of
from planecast.dataplanes.in_memory import portable, program_words
from planecast.dataplanes.meter import meter_library
from planecast.instruments.memory_trace import (
    INSTRUCTION_SET,
    TRACER,
    Trace,
    read_trace,
    trace_words,
    traced_stages,
)
from planecast.instruments.tool import run_tool
from planecast.instruments.window import clock_environment
from planecast.scenario.scenario import Scenario
from planecast.study.counted_program import (
    check_program,
    map_of,
    names_of,
    unmapped,
    unnamed,
)
from planecast.study.window_run import run_window, window_of
from planecast.workload.counts import STAGE_PREFIX
from planecast.workload.stage_map import StageMap, StageRule
from planecast.workload.traced.profile import TracedProfile, TracedStage, summed

PACKETS = 65536
"""Packets counted; of our own data plane as many as are followed before."""
PACKETS_OF_A_FLOW = 6
"""Followed before any is counted: of random flows exp(-6), 0.25 %, have not been seen by then."""
_OTHER_BURSTS = (8, 32)
_SHORT = 8192
"""Packets of the trace in another burst size; a whole number of its bursts."""
_SLOWER = 400.0
"""The emulator with its plug-in, against running natively."""
_TIMEOUT_S = 900.0


def trace_scenario(
    scenario: Scenario,
    packets: int | None = None,
    *,
    done: Callable[[int, int], None] = lambda done, total: None,
) -> TracedProfile:
    """Touches a packet by stage and stack distance, at the scenario's burst, over `packets`.

    A second, short trace in another burst size says which instructions are each burst's. Raises
    InputError for a program that can't be traced, MissingError without it or the emulator, RunError
    when a run fails.
    """
    burst = scenario.placement.burst
    done(0, 2)
    first = trace_once(scenario, packets)
    done(1, 2)
    other = _OTHER_BURSTS[0] if burst != _OTHER_BURSTS[0] else _OTHER_BURSTS[1]
    _, again, _ = _stages(scenario.in_bursts(other), _SHORT, _SHORT)
    done(2, 2)
    return first.model_copy(
        update={
            "stages": {
                name: _with_bursts(stage, burst, again.get(name), other)
                for name, stage in first.stages.items()
            }
        }
    )


def trace_once(scenario: Scenario, packets: int | None = None) -> TracedProfile:
    """The same from one burst size, which does not show which instructions are each burst's."""
    burst = scenario.placement.burst
    followed = packets or max(PACKETS, PACKETS_OF_A_FLOW * scenario.traffic.flows)
    ours = scenario.dataplane.kind == "ours"
    counted = packets or (followed if ours else min(followed, PACKETS))
    whole = -(-counted // burst) * burst
    trace, stages, notes = _stages(scenario, whole, -(-followed // burst) * burst)
    return TracedProfile(
        program=title_of(scenario),
        tracer=TRACER,
        instruction_set=INSTRUCTION_SET,
        packets=whole,
        burst=burst,
        lines=trace.lines,
        pages=trace.pages,
        stages=stages,
        notes=notes,
    )


Found = tuple[Trace, dict[str, TracedStage], tuple[str, ...]]
"""A trace, its stages, and what is to be known of them."""


def _stages(scenario: Scenario, packets: int, before: int) -> Found:
    if scenario.dataplane.kind == "ours":
        trace = _traced_ours(scenario, packets)
        return trace, traced_stages(trace, own_map(scenario), packets), ()
    check_program(scenario, "traced")
    trace, notes = _traced(scenario, packets, before)
    stages = map_of(scenario)
    found = traced_stages(trace, stages, packets, names_of(scenario))
    whole = summed(found.values()).instructions_per_packet
    left = found["other"].instructions_per_packet if "other" in found else 0.0
    notes = (*unnamed(scenario), *notes, *unmapped(left / max(whole, 1.0), stages.name))
    return trace, found, notes


def _with_bursts(
    stage: TracedStage, burst: int, again: TracedStage | None, other: int
) -> TracedStage:
    """Instructions a packet are a + b / burst: two sizes give b."""
    if again is None:
        return stage
    more = again.instructions_per_packet - stage.instructions_per_packet
    return stage.model_copy(update={"instructions_per_burst": more / (1 / other - 1 / burst)})


def own_map(scenario: Scenario) -> StageMap:
    """The stages of our own data plane: a function each."""
    stages = scenario.all_stages
    return StageMap(
        name="ours",
        source="native/dataplane/stages",
        stages=stages,
        rules=tuple(
            StageRule(stage=name, functions=(STAGE_PREFIX + name,), objects=("planecast-*",))
            for name in stages
        ),
    )


def _traced_ours(scenario: Scenario, packets: int) -> Trace:
    with private_folder() as name:
        folder = Path(name)
        output = folder / "trace.json"
        words = once_command(scenario, folder, packets, instrument="trace", portable=True)
        given = clock_environment(meter_library(), _SLOWER)
        run_tool([*trace_words(output, given), *words], _TIMEOUT_S)
        return read_trace(output)


def _traced(scenario: Scenario, packets: int, before: int) -> tuple[Trace, tuple[str, ...]]:
    burst = scenario.placement.burst
    with private_folder(for_sockets=True) as name:
        folder = Path(name)
        output = folder / "trace.json"
        window = window_of(
            scenario, folder, packets, burst, warmup=before, mark="trace", slower=_SLOWER
        )

        def tool(given: Mapping[str, str]) -> list[str]:
            return trace_words(output, given)

        notes = run_window(scenario, folder, tool, window)
        return read_trace(output), notes


def planned_words(scenario: Scenario) -> list[str]:
    """The command that would be run. Raises as `trace_scenario` does for what isn't here."""
    with private_folder() as name:
        folder = Path(name)
        if scenario.dataplane.kind == "ours":
            words = once_command(scenario, folder, PACKETS, instrument="trace", portable=True)
        else:
            check_program(scenario, "traced")
            words = program_words(portable(scenario), folder)
        return [*trace_words(folder / "trace.json", {}), *words]
