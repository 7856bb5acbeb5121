"""The model's equations: what a stage costs as a sum of parameters times features.

For stage s and bursts of n packets, per packet:

    cycles = CPI_s * I_s(n)     instructions, counted at several burst sizes; every access near
           + burst_s / n        what each burst costs beyond them
           + BF_s * delay_s     what misses add, hidden but for the blocking factor

rte_acl searches bursts of 16 and more with wide vectors; smaller ones with narrow ones, 8 or 4
packets a round, whose walks wait for each other. The two have a CPI each, and the narrow search a
cost by round.
Where no ACL runs, `source.drain` is added: the source's stores, which its search hides (`_drain`).
Behind key extraction a share of what stages take passes meanwhile (`Hierarchy.drained_meanwhile`);
plain forwarding has `source.hidden` for each of its own instructions. `source.clock` is what
reading the clock costs a burst that flow actions will meter. What either search costs follows the
rounds begun (`rounds`), less `acl.spared` for lanes that have no packet; `acl.path` is what a round
of the wide one waits where some lane's walk is new.
`delay` is the sum over the stage's regions of touches times (cycles a line of the level that serves
them less that of L1), in TSC cycles. Cycles a line are not the latency of a lone access: the stages
ask for many lines together, so they are what the probe measured with eight in flight, and for
memory with 32; other bursts have memory's ratio (`Hierarchy.together`). One factor BF then serves
all levels; the blocking factor in the sense of the sources below is BF times cycles a line over
latency. Key extraction asks for the lines of flow actions and routes, so it has features for those
too. Sources: the vPE study's Fig 6 and Clapp et al., IISWC 2015, for CPI and the blocking factor.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from planecast.engines.solve.delays import Company, Delays, Weights
from planecast.engines.solve.hierarchy import Hierarchy
from planecast.engines.solve.known import asked
from planecast.engines.solve.questions import Questions
from planecast.engines.solve.regions import Facts, facts_of
from planecast.engines.solve.rounds import LANES, WIDE_SEARCH, searched, walked
from planecast.instruments.counts import InstructionCounts, StageInstructions
from planecast.scenario.scenario import Scenario

Floats = NDArray[np.float64]

STAGES = ("source", "acl", "key", "classify", "actions", "route", "tx")

DRAIN = "source.drain"
"""Parameter: cycles a packet that the stage behind the source waits for the source's stores."""

HIDDEN = "source.hidden"
"""Parameter: cycles of these that an instruction of plain forwarding hides."""

CLOCK = "source.clock"
"""Parameter: cycles of the clock reading at the start of a burst that flow actions will meter."""

PATH = "acl.path"
"""Parameter: cycles that a round of the ACL's wide search waits once one of its lanes, which walk
in step, goes where none went just before. (Rounds of the narrow search have their own cost.)"""

SPARED = "acl.spared"
"""Parameter: cycles that an instruction for a lane of the wide search that has no packet takes less
than one for a packet, whose lines must come."""

FOLDED = (CLOCK, PATH, SPARED, HIDDEN)
"""Parameters that can be part of others: where the points don't tell them apart, they are."""

WAITING = ("source", "acl", "classify", "actions", "route")
"""Stages that wait for lines of their own."""

DELAYED = ".bf"
"""End of the parameters that delays are multiplied with."""

ASKED_FOR_BY_KEY = ("actions", "route")
"""Stages whose lines key extraction asks for, so that it has their delays as features too."""

BEHIND_KEY = ("classify", "actions", "route")
"""Stages that go on while the source's stores drain, so that a part of what they take is in the
wait of key extraction."""

USUAL_CPI = 0.4
"""TSC cycles an instruction of these stages as they were fitted here: enough to tell whether what
they take is longer than the stores'."""

MOST_BURST = 256
"""Packets of the longest burst (`Placement.burst`)."""


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
        table = np.zeros((len(parameters), len(self.memory_lines)))
        for i, name in enumerate(parameters):
            for row in rows:
                if name in row:
                    table[i] += row[name]
        return table.T


def pipeline_name(scenario: Scenario) -> str:
    """Name of a scenario's pipeline: its stages with commas, ``none`` for no stage."""
    return ",".join(scenario.workload.stages) or "none"


def instructions_of(
    scenario: Scenario, counts: Mapping[str, InstructionCounts]
) -> InstructionCounts:
    """The counts of the scenario's own pipeline; of the first one counted when it has none."""
    return _of_pipeline(scenario.workload.stages, counts)


def _of_pipeline(
    stages: Sequence[str], counts: Mapping[str, InstructionCounts]
) -> InstructionCounts:
    own = counts.get(",".join(stages) or "none")
    return own if own is not None else next(iter(counts.values()))


def stage_instructions(
    scenario: Scenario, stage: str, counts: Mapping[str, InstructionCounts]
) -> float:
    """Instructions a packet of one stage at the scenario's burst; 0 for one not counted."""
    counted = instructions_of(scenario, counts).stages.get(stage)
    return 0.0 if counted is None else counted.at(scenario.placement.burst)


_At = Callable[[StageInstructions, int], float]


class _Counted:
    """Instructions a packet of many scenarios: a table of pipelines and bursts, looked up."""

    def __init__(self, questions: Questions, counts: Mapping[str, InstructionCounts]) -> None:
        pipelines = questions.choices["workload.stages"]
        self._counts = [_of_pipeline(stages, counts) for stages in pipelines.values]
        self._pipeline = pipelines.index
        self._burst = questions.numbers["placement.burst"].astype(np.intp)

    def at_burst(self, stage: str) -> Floats:
        """Of the scenario's burst; 0 for a stage that was not counted."""
        table = np.zeros((len(self._counts), MOST_BURST + 1))
        for row, counts in zip(table, self._counts, strict=True):
            counted = counts.stages.get(stage)
            if counted is not None:
                row[:] = _by_burst(counted)
        return np.asarray(table[self._pipeline, self._burst])

    def of_search(self, at: _At) -> Floats:
        """Of the ACL's search, as what it costs follows them (`rounds`)."""
        table = np.zeros((len(self._counts), MOST_BURST + 1))
        for row, counts in zip(table, self._counts, strict=True):
            counted = counts.stages.get("acl")
            if counted is not None:
                row[:] = _by_burst(counted, at)
        return np.asarray(table[self._pipeline, self._burst])


_BY_BURST: dict[tuple[int, _At], tuple[StageInstructions, Floats]] = {}
"""What was worked out for which counts, by their identity: to hash them takes longer."""


def _by_burst(counted: StageInstructions, at: _At = StageInstructions.at) -> Floats:
    """Instructions a packet at every burst, by burst; that of none is never asked for."""
    known = _BY_BURST.get((id(counted), at))
    if known is None or known[0] is not counted:
        if len(_BY_BURST) >= 1024:
            _BY_BURST.clear()
        found = np.array([0.0, *(at(counted, burst) for burst in range(1, MOST_BURST + 1))])
        known = _BY_BURST[id(counted), at] = (counted, found)
    return known[1]


def features(
    scenarios: Questions | Sequence[Scenario],
    hierarchy: Hierarchy,
    instructions: Mapping[str, InstructionCounts],
    company: Company | None = None,
) -> FeatureTable:
    """The features of scenarios on a machine with the instruction counts of these pipelines.

    `company` are their neighbours (`beside.company`). Raises InputError for what the model doesn't
    know (`known.asked`).
    """
    return feature_tables(scenarios, (hierarchy,), instructions, company)[0]


def feature_tables(
    scenarios: Questions | Sequence[Scenario],
    hierarchies: Sequence[Hierarchy],
    instructions: Mapping[str, InstructionCounts],
    company: Company | None = None,
) -> list[FeatureTable]:
    """The features on each of several machines; what two have in common is computed once.

    They share `drained_meanwhile`. Last cache levels of rising size are the cheapest order. Raises
    InputError as `features` does.
    """
    questions = asked(scenarios)
    facts = facts_of(questions)
    delays = Delays(facts, company)
    near = _near_features(facts, _Counted(questions, instructions))
    meanwhile = _meanwhile(near, facts, delays, hierarchies[0])
    return [
        FeatureTable(_with_delays(near, delay, facts, meanwhile), memory_lines)
        for delay, memory_lines in delays.on(hierarchies)
    ]


@dataclass(frozen=True)
class Spread:
    """The features with one last cache level, and what others make of the cost."""

    table: FeatureTable
    rows: Floats
    """Features of all stages together, of shape (scenarios, parameters)."""
    values: Floats
    """Cycles a packet, of shape (scenarios,)."""
    others: Floats
    """The same on the other hierarchies, in any order, of shape (others, scenarios)."""


def spread(
    questions: Questions,
    hierarchies: Sequence[Hierarchy],
    parameters: tuple[Sequence[str], Floats],
    instructions: Mapping[str, InstructionCounts],
    company: Company | None = None,
) -> Spread:
    """The features on the first of hierarchies that differ in their last level alone, and the cost
    on each, with `parameters`: their names, and their values of shape (hierarchies, parameters).

    The same as `feature_tables` times parameters, with nothing stored that isn't wanted.
    """
    names, values = parameters
    facts = facts_of(questions)
    delays = Delays(facts, company)
    near = _near_features(facts, _Counted(questions, instructions))
    meanwhile = _meanwhile(near, facts, delays, hierarchies[0])
    order = sorted(range(len(hierarchies)), key=lambda i: hierarchies[i].levels[-1].size_bytes)
    first = order.index(0)
    delay, memory_lines, cost = delays.weighted(
        [hierarchies[i] for i in order], _weights(names, values[order], meanwhile), first
    )
    table = FeatureTable(_with_delays(near, delay, facts, meanwhile), memory_lines)
    rows = table.row(None, names)
    close = values[order] * [not name.endswith(DELAYED) for name in names]
    cost += close @ rows.T
    return Spread(table, rows, cost[first], np.delete(cost, first, axis=0))


def _weights(names: Sequence[str], values: Floats, meanwhile: Floats) -> Weights:
    """What `_with_delays` makes of the delays, as weights of them."""
    columns = dict(zip(names, values.T, strict=True))
    none = np.zeros(len(values))

    def value(name: str, stages: Sequence[str], stage: str) -> Floats:
        return columns.get(name, none) if stage in stages else none

    return Weights(
        always={
            stage: value(f"{stage}.bf", WAITING, stage) + value("key.bf", ASKED_FOR_BY_KEY, stage)
            for stage in STAGES
        },
        where={
            stage: -value(f"{stage}.bf", BEHIND_KEY, stage)
            - value("key.bf", ASKED_FOR_BY_KEY, stage)
            for stage in STAGES
        },
        counts=meanwhile,
    )


def _near_features(facts: Facts, counted: _Counted) -> dict[str, dict[str, Floats]]:
    """What stages cost with every access near: instructions, bursts, rounds, stores."""
    per_burst = 1 / facts.burst
    table: dict[str, dict[str, Floats]] = {}
    for stage in STAGES:
        runs = facts.stages[stage]
        table[stage] = {
            f"{stage}.cpi": runs * counted.at_burst(stage),
            f"{stage}.burst": runs * per_burst,
        }
    wide = facts.burst >= WIDE_SEARCH
    lanes = np.select([facts.burst >= n for n in LANES], [float(n) for n in LANES], 1.0)
    rounds = np.ceil(facts.burst / lanes) / facts.burst
    acl = table["acl"]
    search = facts.stages["acl"] * counted.of_search(searched)
    acl["acl.cpi"] = np.where(wide, search, 0.0)
    acl["acl.narrow"] = np.where(wide, 0.0, search)
    acl["acl.round"] = np.where(wide, 0.0, facts.stages["acl"] * rounds)
    # Destinations come in order, so a rule serves some packets in a row.
    new = np.minimum(lanes * np.minimum(facts.acl_rules / facts.destinations, 1.0), 1.0)
    acl[PATH] = np.where(wide, facts.stages["acl"] * rounds * new, 0.0)
    acl[SPARED] = -facts.stages["acl"] * counted.of_search(walked)
    del acl["acl.burst"]
    table["source"][CLOCK] = facts.stages["actions"] * per_burst
    drain = _drain(facts)
    for stage, share in drain.items():
        table[stage][DRAIN] = share
    own = (table[stage][f"{stage}.cpi"] for stage in ("source", "tx"))
    table["source"][HIDDEN] = -drain["source"] * sum(own, np.zeros_like(per_burst))
    return table


def _with_delays(
    near: Mapping[str, Mapping[str, Floats]],
    delay: Mapping[str, Floats],
    facts: Facts,
    meanwhile: Floats,
) -> dict[str, dict[str, Floats]]:
    """The near features and those of what misses add."""
    table = {stage: dict(row) for stage, row in near.items()}
    for stage in WAITING:
        table[stage][f"{stage}.bf"] = delay[stage]
    # Key extraction's own instructions are few; asking for the lines of others is most of its cost.
    asked = facts.stages["key"] * sum(
        (delay[stage] for stage in ASKED_FOR_BY_KEY), np.zeros_like(facts.burst)
    )
    table["key"]["key.bf"] = asked * (1 - meanwhile)
    if np.any(meanwhile):
        for stage in BEHIND_KEY:
            for name, column in table[stage].items():
                table["key"][name] = -meanwhile * column
    return table


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


def _meanwhile(
    near: Mapping[str, Mapping[str, Floats]], facts: Facts, delays: Delays, hierarchy: Hierarchy
) -> Floats:
    """Share of what the stages behind key extraction take that passes while stores drain, which is
    no longer than that takes."""
    share = _drain(facts)["key"] * hierarchy.drained_meanwhile
    most = hierarchy.drained_most_cycles
    if most is None or not np.any(share):
        return share
    ((delay, _),) = delays.on([hierarchy])
    later = sum(
        (USUAL_CPI * near[stage][f"{stage}.cpi"] + delay[stage] for stage in BEHIND_KEY),
        np.zeros_like(share),
    )
    return np.minimum(share, most / np.maximum(later, 1e-9))
