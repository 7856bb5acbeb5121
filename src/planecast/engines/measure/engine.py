"""The engine: stays at every point in turns until the time is over, then estimates.

A stay is some visits in a row; a visit is one trial: it warms up until its cost is steady, then
takes short windows with canaries. Whose turn it is depends on the canaries and on how much visits
of a point differ (`schedule`), never on what it costs. Processes are started again several times,
for where the kernel put the tables' pages differs between starts.
"""

from __future__ import annotations

import itertools
import math
import time
from collections.abc import Callable, Sequence
from contextlib import ExitStack
from ipaddress import IPv4Address

import numpy as np

from planecast.dataplanes import Trial, TrialAnswer
from planecast.dataplanes.processes import Process, processes_for
from planecast.engines.measure.counted_windows import canary_pairs, undisturbed_rows
from planecast.engines.measure.estimate import PointFacts, at_reference, estimate_point
from planecast.engines.measure.machine_state import others_matter, watched_cpus
from planecast.engines.measure.neighbours import NeighbourOf, neighbours
from planecast.engines.measure.reference import reference_state
from planecast.engines.measure.restarts import Running
from planecast.engines.measure.schedule import ENOUGH, Look, Schedule
from planecast.engines.measure.trials import TrialTable
from planecast.engines.measure.unsupported import refuse_unmeasured
from planecast.instruments.core_to_core import CpuDistance
from planecast.progress import Progress
from planecast.results.manifest import Manifest
from planecast.results.result import Result
from planecast.results.trials import Columns
from planecast.scenario.dataplanes.packets import IPV4_ADDRESSES
from planecast.scenario.host_cpus import cpus_here
from planecast.scenario.points import value_if_any
from planecast.scenario.scenario import Scenario
from planecast.scenario.study import Budget

PACKETS_OF_AN_ITERATION = 64
"""Packets of a router that take about as long as an iteration of the compute reference."""

IN_A_ROW = 2
"""Visits of a stay: the second starts from what the first left in the caches."""
BLOCK_WINDOWS = 8
"""Least length of a block of the warm-up, in windows."""
CYCLE_PACKETS = 32768
"""Packets that a block has at the most for a table's cycle's sake: some 2 ms, so that there are
some 40 blocks in the time that a trial may settle."""

_LOOK_PACKETS = 32
"""Packets of a look at the canaries: the least there are."""


def measure(
    scenarios: Sequence[Scenario],
    budget: Budget,
    manifest: Manifest,
    *,
    table: TrialTable | None = None,
    eal_arguments: Sequence[str] = (),
    progress: Progress = lambda done, total, words: None,
    neighbour_of: NeighbourOf | None = None,
) -> list[Result]:
    """Measures the scenarios together, interleaved, for ``budget.seconds`` and what starts take.

    For ``budget.patience`` seconds more while a point lacks undisturbed windows.
    `table` receives the raw trials as they come, so that an interrupted run has them too; its
    labels name the scenarios. `neighbour_of` is next to a point during its visits alone; by default
    it is the scenario's neighbour. Raises InputError for what the simulator alone can do,
    MissingError without the data plane's program, RunError when it fails.
    """
    trials = table if table is not None else TrialTable([s.name for s in scenarios])
    facts = visit(
        scenarios,
        budget,
        manifest.seed,
        trials,
        eal_arguments=eal_arguments,
        progress=progress,
        neighbour_of=neighbour_of,
    )
    return estimate(scenarios, trials.columns(), facts, manifest, alone=neighbour_of is None)


def visit(
    scenarios: Sequence[Scenario],
    budget: Budget,
    seed: int,
    trials: TrialTable,
    *,
    eal_arguments: Sequence[str] = (),
    progress: Progress = lambda done, total, words: None,
    neighbour_of: NeighbourOf | None = None,
    between: Callable[[float], None] = lambda share: None,
) -> list[PointFacts]:
    """The first half of `measure`: every trial goes into the table, and nothing is estimated.

    `between` is called before each start of the processes and after the last, with the share of
    the time that is over: nothing forwards then.
    """
    refuse_unmeasured(scenarios)
    facts = [PointFacts(point) for point in range(len(scenarios))]
    configs = processes_for(scenarios)
    random = np.random.default_rng(seed)
    usual_only = [others_matter(s, alone=neighbour_of is None) for s in scenarios]
    distance = CpuDistance(*watched_cpus(scenarios))
    schedule = Schedule([cpus_here(s) for s in scenarios], random, usual_only, distance)
    visits, share = itertools.count(), 1 / budget.restarts
    with Running(configs, eal_arguments, random) as running:
        look = _looker(running, configs, scenarios)
        for restart in range(budget.restarts):
            between(restart * share)
            distance.look()
            done = budget.seconds * restart * share
            progress(done, budget.seconds, "building the tables")
            running.restart()
            with ExitStack() as stack:
                neighbour = neighbour_of or stack.enter_context(neighbours(scenarios))
                began, own_s = time.monotonic(), budget.seconds * share
                enough = math.ceil(ENOUGH * (restart + 1) * share)
                patience_s = budget.patience * share
                for point in schedule.turns(began + own_s, patience_s, look, enough):
                    trial, before_ns = trial_of(scenarios[point], budget), distance.ns
                    with neighbour(point):
                        stay = [
                            (number, running[configs[point]].trial(own))
                            for own, number in zip(in_a_row(trial), visits, strict=False)
                        ]
                    after_ns = distance.look()
                    apart_ns = max(filter(None, (before_ns, after_ns)), default=None)
                    for number, answer in stay:
                        trials.append(point, restart, number, answer, apart_ns)
                        facts[point].add(answer)
                        schedule.seen(point, answer)
                    spent_s, words = time.monotonic() - began, trials.labels[point]
                    if patience_s and spent_s > own_s and (some := schedule.lacking(enough)):
                        wait = " waits" if some == 1 else "s wait"
                        words = f"{some} disturbed point{wait} for quiet windows"
                    progress(done + min(spent_s, own_s), budget.seconds, words)
    between(1.0)
    return facts


def estimate(
    scenarios: Sequence[Scenario],
    columns: Columns,
    facts: Sequence[PointFacts],
    manifest: Manifest,
    *,
    alone: bool = True,
) -> list[Result]:
    """The second half of `measure`: Results of these scenarios from the rows of a run.

    The rows may be of these points alone; `facts` has the number of each. Not `alone`: something
    ran next to them that the scenarios don't name.
    """
    # Who asked may be another engine, whose predictions these results are next to.
    made_by = manifest.model_copy(update={"engine": "measure"})
    good = undisturbed_rows(columns)
    stated = at_reference(columns, good, reference_state(canary_pairs(columns)[good].mean(axis=1)))
    return [
        estimate_point(scenario, stated, good, own, made_by, alone=alone)
        for scenario, own in zip(scenarios, facts, strict=True)
    ]


def _looker(
    running: Running,
    configs: Sequence[Process],
    scenarios: Sequence[Scenario],
) -> Look:
    def look(point: int) -> TrialAnswer:
        trial = Trial(windows=1, packets=_LOOK_PACKETS, warmup=0, scenario=scenarios[point])
        return running[configs[point]].trial(trial)

    return look


def warmup_packets(scenario: Scenario, budget: Budget) -> int:
    """Packets that each lcore forwards before the first window.

    Every active flow's lines shall have been touched: after twice as many packets as flows, 86 %
    of them have been; the rest comes with the first windows.
    """
    if scenario.forwards == "compute":
        return budget.warmup // PACKETS_OF_AN_ITERATION
    return max(budget.warmup, 2 * scenario.traffic.flows // scenario.placement.lcores)


def window_packets(scenario: Scenario, budget: Budget) -> int:
    """Packets of a window on each lcore. The compute reference's take about a hundred times as
    long as others, and a window that lasts longer is a disturbed one."""
    if scenario.forwards == "compute":
        return max(1, budget.packets // PACKETS_OF_AN_ITERATION)
    return budget.packets


def block_packets(scenario: Scenario, budget: Budget) -> int:
    """Packets of a block of the warm-up: a whole round of the longest cycle through a table.

    A cycle of more than CYCLE_PACKETS is cut: its caches are full after the warm-up's packets.
    """
    step = int(IPv4Address(value_if_any(scenario, "traffic.destination_step") or 0))
    destinations = IPV4_ADDRESSES // math.gcd(step, IPV4_ADDRESSES)
    flows = scenario.traffic.flows // scenario.placement.lcores
    cycle = 0 if scenario.forwards == "compute" else max(destinations, flows)
    return max(min(cycle, CYCLE_PACKETS), BLOCK_WINDOWS * window_packets(scenario, budget))


def in_a_row(trial: Trial) -> list[Trial]:
    """The trials of a stay. Packet buffers are followed after the last: the others leave the caches
    to the next."""
    return [trial.model_copy(update={"rotation": False})] * (IN_A_ROW - 1) + [trial]


def trial_of(scenario: Scenario, budget: Budget) -> Trial:
    """The last trial of a stay."""
    return Trial(
        windows=budget.windows,
        packets=window_packets(scenario, budget),
        warmup=warmup_packets(scenario, budget),
        block=block_packets(scenario, budget) if budget.settle > 0 else 0,
        settle=budget.settle or Trial.model_fields["settle"].default,
        rotation=scenario.dataplane.kind == "command",
        scenario=scenario,
    )
