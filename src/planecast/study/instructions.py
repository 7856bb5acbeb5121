"""Instruction counts of the pipelines of a study: stepped natively once, then remembered.

Counts are exact and depend on the program, the tables, the pipeline and what the CPU can do (DPDK
chooses its vectors by that), so they are kept in the user's cache folder under a digest of those.
A stage takes the same instructions in every pipeline, except key extraction: it does less when the
stages that it looks ahead for are left out. So the fullest pipeline is counted in full, and key
extraction once more for each way to look ahead.
"""

from __future__ import annotations

import hashlib
import os
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from pathlib import Path

from planecast.dataplanes import once_command
from planecast.dataplanes.config import config_text, configs_for
from planecast.host import Root
from planecast.instruments import callgrind, singlestep
from planecast.instruments.counts import InstructionCounts, Instrument
from planecast.instruments.remembered import cache_folder, recall, remember
from planecast.leftovers import private_folder
from planecast.native import native_program
from planecast.scenario.scenario import Scenario
from planecast.scenario.workload import STAGES, Stage
from planecast.workload.profile import pipeline_name

BURSTS = (4, 8, 16, 24, 32, 64)
"""rte_acl takes other paths in small bursts, so two sizes would not tell; 24 leave lanes empty,
which tells its rounds from its packets."""
FEW_BURSTS = (8, 32)
PACKETS: Mapping[Instrument, int] = {"singlestep": 64, "callgrind": 32768}
"""Packets of the shorter run. Stepping does some 50,000 instructions a second."""

Done = Callable[[int, int], None]


def count_pipelines(
    scenarios: Sequence[Scenario], done: Done = lambda done, total: None
) -> dict[str, InstructionCounts]:
    """Native counts by pipeline, the fullest one's first.

    Raises MissingError when the programs are not built, RunError when a run fails.
    """
    full = _with_stages(scenarios[0], [s for s in STAGES if any(_has(x, s) for x in scenarios)])
    ahead = {_ahead(scenario): scenario for scenario in scenarios if _has(scenario, "key")}
    ahead.pop(_ahead(full), None)
    with _pool() as pool:
        # Counted at the study's own bursts, too: 24 packets are a search of 16 and one of 8.
        bursts = tuple(sorted({*BURSTS, *(s.placement.burst for s in scenarios)}))
        whole = pool.submit(count_instructions, full, "singlestep", bursts)
        keys = {
            look: pool.submit(
                count_instructions,
                _with_stages(scenario, [s for s in STAGES if s == "key" or s in look]),
                "singlestep",
                FEW_BURSTS,
            )
            for look, scenario in ahead.items()
        }
        done(0, 1 + len(keys))
        counts = whole.result()
        by_look: dict[tuple[Stage, ...], InstructionCounts] = {}
        for number, (look, count) in enumerate(keys.items()):
            done(1 + number, 1 + len(keys))
            by_look[look] = count.result()
    found = {pipeline_name(full): counts}
    for scenario in scenarios:
        key = by_look.get(_ahead(scenario))
        if key is not None and _has(scenario, "key"):
            found.setdefault(pipeline_name(scenario), counts.with_stage("key", key))
        found.setdefault(pipeline_name(scenario), counts)
    done(1 + len(keys), 1 + len(keys))
    return found


@contextmanager
def _pool() -> Iterator[ThreadPoolExecutor]:
    """Threads that begin nothing more once the block has failed, by a Ctrl-C for example."""
    pool = ThreadPoolExecutor(max_workers=max(1, os.cpu_count() or 1))
    try:
        yield pool
    finally:
        pool.shutdown(cancel_futures=True)


def _has(scenario: Scenario, stage: Stage) -> bool:
    return stage in scenario.workload.stages


def _ahead(scenario: Scenario) -> tuple[Stage, ...]:
    """The stages that key extraction looks ahead for."""
    looks: tuple[Stage, ...] = ("actions", "route")
    return tuple(stage for stage in looks if _has(scenario, stage))


def _with_stages(scenario: Scenario, stages: Sequence[Stage]) -> Scenario:
    workload = scenario.workload.model_copy(update={"stages": tuple(stages)})
    return scenario.model_copy(update={"workload": workload})


def count_instructions(
    scenario: Scenario,
    instrument: Instrument,
    bursts: tuple[int, ...] = BURSTS,
    *,
    fresh: bool = False,
    done: Done = lambda done, total: None,
) -> InstructionCounts:
    """Instructions of one scenario's pipeline by stage; remembered unless `fresh`.

    `done` is called with runs done and runs in all.
    """
    portable = instrument == "callgrind"
    packets = PACKETS[instrument]
    kept = cache_folder() / f"instructions-{_digest(scenario, instrument, bursts)}.json"
    known = None if fresh else recall(kept, InstructionCounts)
    if known is not None:
        return known
    with private_folder() as folder:

        def command(count: int, burst: int) -> list[str]:
            return once_command(
                _with_burst(scenario, burst),
                Path(folder),
                count,
                instrument="callgrind" if portable else "stop",
                portable=portable,
            )

        tool = callgrind if portable else singlestep
        found: InstructionCounts = tool.count_instructions(
            command, packets=packets, bursts=bursts, progress=done
        )
    remember(kept, found)
    return found


def _with_burst(scenario: Scenario, burst: int) -> Scenario:
    placement = scenario.placement.model_copy(update={"burst": burst})
    return scenario.model_copy(update={"placement": placement})


def _digest(scenario: Scenario, instrument: Instrument, bursts: tuple[int, ...]) -> str:
    programs = ["planecast-dataplane-v3" if instrument == "callgrind" else "planecast-dataplane"]
    if instrument == "singlestep":
        programs.append("planecast-singlestep")
    whole = hashlib.sha256()
    for program in programs:
        whole.update(native_program(program).read_bytes())
    # One lcore is counted whatever the placement says, and bursts are the instrument's own.
    one = scenario.placement.model_copy(update={"lcores": "0", "burst": 1})
    plain = scenario.model_copy(update={"placement": one})
    whole.update(config_text(configs_for([plain])[0], plain).encode())
    whole.update(" ".join(sorted(Root().cpu_flags())).encode())
    whole.update(f"{instrument} {bursts} {PACKETS[instrument]}".encode())
    return whole.hexdigest()[:24]
