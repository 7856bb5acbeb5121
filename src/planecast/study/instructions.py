"""Instruction counts of the pipelines of a study: stepped natively once, then remembered.

Counts are exact and depend on the program, the tables and the pipeline alone, so they are kept in the
user's cache folder under a digest of those. Key extraction does less when the stages that it looks
ahead for are left out: hence one count for each pipeline.
"""

from __future__ import annotations

import hashlib
import os
import tempfile
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from pathlib import Path

from pydantic import ValidationError

from planecast.dataplanes import once_command
from planecast.dataplanes.config import config_text, configs_for
from planecast.instruments import callgrind, singlestep
from planecast.instruments.counts import Instrument, InstructionCounts
from planecast.instruments.probe import cache_folder
from planecast.native import native_program
from planecast.scenario.scenario import Scenario

BURSTS = (4, 8, 16, 32, 64)
FEW_BURSTS = (8, 32)
STEPPED_PACKETS = 128
"""Stepping does some 50,000 instructions a second; counts of 128 packets repeat within 0.1 %."""
CALLGRIND_PACKETS = 32768

Done = Callable[[int, int], None]


def pipeline_name(stages: Sequence[str]) -> str:
    """Name of a pipeline: its stages with commas, ``none`` for no stage."""
    return ",".join(stages) or "none"


def count_pipelines(
    scenarios: Sequence[Scenario], done: Done = lambda done, total: None
) -> dict[str, InstructionCounts]:
    """Native counts of every pipeline among the scenarios, the first one's in the most bursts.

    Raises MissingError when the programs are not built, RunError when a run fails.
    """
    wanted: dict[str, Scenario] = {}
    for scenario in scenarios:
        wanted.setdefault(pipeline_name(scenario.workload.stages), scenario)
    names = list(wanted)
    found: dict[str, InstructionCounts] = {}
    with ThreadPoolExecutor(max_workers=max(1, (os.cpu_count() or 1))) as pool:
        # rte_acl's search is chosen by the burst, so pipelines that have it are counted at more sizes.
        counts = [
            pool.submit(
                count_instructions,
                wanted[name],
                "singlestep",
                BURSTS if name == names[0] or "acl" in name.split(",") else FEW_BURSTS,
            )
            for name in names
        ]
        for number, (name, count) in enumerate(zip(names, counts, strict=True)):
            done(number, len(names))
            found[name] = count.result()
    done(len(names), len(names))
    return found


def count_instructions(
    scenario: Scenario,
    instrument: Instrument,
    bursts: tuple[int, ...] = BURSTS,
    *,
    fresh: bool = False,
) -> InstructionCounts:
    """Instructions of one scenario's pipeline by stage; remembered unless `fresh`."""
    portable = instrument == "callgrind"
    packets = CALLGRIND_PACKETS if portable else STEPPED_PACKETS
    kept = cache_folder() / f"instructions-{_digest(scenario, instrument, bursts, packets)}.json"
    if not fresh:
        with suppress(OSError, ValidationError, UnicodeDecodeError):
            return InstructionCounts.model_validate_json(kept.read_text(encoding="utf-8"))
    with tempfile.TemporaryDirectory(prefix="planecast-") as folder:

        def command(count: int, burst: int) -> list[str]:
            return once_command(
                _with_burst(scenario, burst),
                Path(folder),
                count,
                instrument="callgrind" if portable else "stop",
                portable=portable,
            )

        tool = callgrind if portable else singlestep
        found: InstructionCounts = tool.count_instructions(command, packets=packets, bursts=bursts)
    with suppress(OSError):
        kept.parent.mkdir(parents=True, exist_ok=True)
        partial = kept.with_suffix(f".{os.getpid()}")
        partial.write_text(found.model_dump_json(), encoding="utf-8")
        partial.replace(kept)
    return found


def _with_burst(scenario: Scenario, burst: int) -> Scenario:
    placement = scenario.placement.model_copy(update={"burst": burst})
    return scenario.model_copy(update={"placement": placement})


def _digest(
    scenario: Scenario, instrument: Instrument, bursts: tuple[int, ...], packets: int
) -> str:
    programs = ["planecast-dataplane-v3" if instrument == "callgrind" else "planecast-dataplane"]
    if instrument == "singlestep":
        programs.append("planecast-singlestep")
    whole = hashlib.sha256()
    for program in programs:
        whole.update(native_program(program).read_bytes())
    text = config_text(configs_for([scenario])[0], scenario)
    whole.update(f"{text}|{bursts}|{packets}".encode())
    return whole.hexdigest()[:24]
