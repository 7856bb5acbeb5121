"""The model's equations: what a stage costs as a sum of parameters times features.

For stage s and bursts of n packets, per packet:

    cycles = CPI_s * I_s(n)     instructions, counted at several burst sizes; every access near
           + burst_s / n        what each burst costs beyond them
           + BF_s * delay_s     what misses add, hidden but for the blocking factor

rte_acl searches bursts of 16 and more with wide vectors; smaller ones with narrow ones, 8 or 4
packets a round, whose walks wait for each other. The two have a CPI each, and the narrow search a
cost by round.
Where no ACL runs, `source.drain` is added: the source's stores, which its search hides (`_drain`),
less `source.hidden` for each instruction of later stages, which hide some of it. The wide search
walks its lanes in rounds, so its instructions are those of full rounds times the rounds begun.
`delay` is the sum over the stage's regions of touches times (cycles a line of the level that serves
them less that of L1), in TSC cycles. Cycles a line are not the latency of a lone access: the stages
ask for many lines together, so they are what the probe measured with eight in flight, and for
memory with a burst's worth. One factor BF then serves all levels; the blocking factor in the sense
of the sources below is BF times cycles a line over latency. Key extraction asks for the lines of
flow actions and routes, so it has features for those too; and `classify.behind` is what look-ups in
the flow table wait behind these lines. Sources: the vPE study's Fig 6 and Clapp
et al., IISWC 2015, for CPI and the blocking factor.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from planecast.engines.solve.cache import hit_shares
from planecast.engines.solve.hierarchy import LINE_BYTES, Hierarchy
from planecast.engines.solve.known import refuse_unmodelled
from planecast.engines.solve.regions import Facts, Region, facts_of, regions_of
from planecast.instruments.counts import InstructionCounts
from planecast.scenario.scenario import Scenario

Floats = NDArray[np.float64]

STAGES = ("source", "acl", "key", "classify", "actions", "route", "tx")

DRAIN = "source.drain"
"""Parameter: cycles a packet that the stage behind the source waits for the source's stores."""

HIDDEN = "source.hidden"
"""Parameter: cycles of these that an instruction of the stages behind key extraction hides."""

BEHIND_KEYS = ("classify", "actions", "route")

WIDE_SEARCH = 16
"""Packets that rte_acl walks through its tries at once, given so many."""

LONG_BURST = 64
"""Packets of a burst whose wide search is long rounds and next to nothing else."""


@dataclass(frozen=True)
class FeatureTable:
    """Features of many scenarios: by stage and parameter, arrays of shape (scenarios,)."""

    stages: dict[str, dict[str, Floats]]
    """Stage to parameter name to feature. A stage that does not run has zeros."""
    memory_lines: Floats
    """Lines a packet fetches from memory."""

    def parameters(self) -> list[str]:
        """Names of all parameters, in order."""
        return list(dict.fromkeys(name for row in self.stages.values() for name in row))

    def row(self, stage: str | None, parameters: Sequence[str]) -> Floats:
        """Features of a stage, or of all together, of shape (scenarios, parameters)."""
        rows = [self.stages[stage]] if stage else list(self.stages.values())
        zero = np.zeros_like(self.memory_lines)
        return np.stack(
            [sum((row.get(name, zero) for row in rows), zero) for name in parameters], axis=1
        )


def pipeline_name(scenario: Scenario) -> str:
    """Name of a scenario's pipeline: its stages with commas, ``none`` for no stage."""
    return ",".join(scenario.workload.stages) or "none"


def instructions_of(
    scenario: Scenario, counts: Mapping[str, InstructionCounts]
) -> InstructionCounts:
    """The counts of the scenario's own pipeline; of the first one counted when it has none."""
    own = counts.get(pipeline_name(scenario))
    return own if own is not None else next(iter(counts.values()))


def stage_instructions(
    scenario: Scenario, stage: str, counts: Mapping[str, InstructionCounts]
) -> float:
    """Instructions a packet of one stage at the scenario's burst; 0 for one not counted."""
    counted = instructions_of(scenario, counts).stages.get(stage)
    return 0.0 if counted is None else counted.at(scenario.placement.burst)


def _full_rounds(scenario: Scenario, counts: Mapping[str, InstructionCounts]) -> float:
    """Instructions a packet of the ACL's wide search when every round is full: of long bursts."""
    counted = instructions_of(scenario, counts).stages.get("acl")
    return 0.0 if counted is None else counted.at(LONG_BURST)


def features(
    scenarios: Sequence[Scenario],
    hierarchy: Hierarchy,
    instructions: Mapping[str, InstructionCounts],
) -> FeatureTable:
    """The features of scenarios on a machine with the instruction counts of these pipelines.

    Raises InputError for what the model doesn't know (`refuse_unmodelled`).
    """
    refuse_unmodelled(scenarios)
    facts = facts_of(scenarios)
    regions = regions_of(facts)
    delay, memory_lines = _delays(regions, hierarchy, facts)
    per_burst = 1 / facts.burst
    table: dict[str, dict[str, Floats]] = {}
    for stage in STAGES:
        runs = facts.stages[stage]
        count = np.array([stage_instructions(s, stage, instructions) for s in scenarios])
        table[stage] = {
            f"{stage}.cpi": runs * count,
            f"{stage}.burst": runs * per_burst,
        }
    for stage in ("source", "acl", "classify", "actions", "route"):
        table[stage][f"{stage}.bf"] = delay[stage]
    wide = facts.burst >= WIDE_SEARCH
    lanes = np.select([facts.burst >= 8, facts.burst >= 4], [8.0, 4.0], 1.0)
    rounds = np.ceil(facts.burst / lanes) / facts.burst
    acl = table["acl"]
    acl["acl.narrow"] = np.where(wide, 0.0, acl["acl.cpi"])
    full = np.array([_full_rounds(s, instructions) for s in scenarios])
    filled = facts.burst / WIDE_SEARCH
    acl["acl.cpi"] = np.where(wide, facts.stages["acl"] * full * np.ceil(filled) / filled, 0.0)
    acl["acl.round"] = np.where(wide, 0.0, facts.stages["acl"] * rounds)
    del acl["acl.burst"]
    behind = sum((table[stage][f"{stage}.cpi"] for stage in BEHIND_KEYS), np.zeros_like(per_burst))
    for stage, share in _drain(facts).items():
        table[stage][DRAIN] = share
        table[stage][HIDDEN] = -share * behind
    # Key extraction's own instructions are few; asking for the lines of others is most of its cost.
    asked = facts.stages["key"] * (delay["actions"] + delay["route"])
    table["key"]["key.bf"] = asked
    # They are still under way when the look-ups ask for theirs.
    table["classify"]["classify.behind"] = facts.stages["classify"] * asked
    return FeatureTable(table, memory_lines)


def _drain(facts: Facts) -> dict[str, Floats]:
    """Where the source's stores are waited for: 1 for the stage that waits, by stage.

    Headers go to buffers beyond L1, so their stores stand in the store buffer when the source has
    returned. The ACL's search stores next to nothing, and they drain meanwhile; without it the next
    stage waits for them, or the source itself when none writes before its next turn.
    """
    exposed = 1 - facts.stages["acl"]
    return {
        "key": exposed * facts.stages["key"],
        "source": exposed * (1 - facts.stages["key"]),
    }


def _delays(
    regions: Sequence[Region], hierarchy: Hierarchy, facts: Facts
) -> tuple[Mapping[str, Floats], Floats]:
    """(delay a packet by stage in TSC cycles, lines a packet from memory)."""
    lcores = facts.lcores
    near = hierarchy.levels[0].line_cycles
    from_memory = hierarchy.line_cycles(facts.burst) - near
    # A cache serves what no nearer one does: shares grow from level to level.
    reached = [np.zeros_like(lcores) for _ in regions]
    delay = [np.zeros_like(lcores) for _ in regions]
    for level in hierarchy.levels:
        capacity = np.full_like(lcores, level.size_bytes / LINE_BYTES)
        shares = hit_shares(regions, capacity, lcores, shared=level.shared)
        for i, share in enumerate(shares):
            served = np.maximum(share - reached[i], 0.0)
            delay[i] += served * (level.line_cycles - near)
            reached[i] = np.maximum(reached[i], share)
    walks = _walk_shares(regions, hierarchy, facts.small_pages)
    found: dict[str, Floats] = {}
    memory_lines = np.zeros_like(lcores)
    for i, region in enumerate(regions):
        missed = 1 - reached[i]
        per_touch = delay[i] + missed * from_memory + walks[i] * hierarchy.walk_cycles
        found[region.stage] = found.get(region.stage, 0.0) + region.touches * per_touch
        memory_lines += region.touches * missed
    return found, memory_lines


def _walk_shares(
    regions: Sequence[Region], hierarchy: Hierarchy, small_pages: NDArray[np.bool_]
) -> list[Floats]:
    """Share of each region's touches that need a page walk; none with 2 MiB pages."""
    in_use = sum(np.where(region.touches > 0, region.pages, 0.0) for region in regions)
    beyond = np.clip(1 - hierarchy.tlb_pages / np.maximum(in_use, 1.0), 0.0, 1.0)
    return [np.where(small_pages, beyond, 0.0) for _ in regions]
