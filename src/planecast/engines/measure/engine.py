"""The engine: visits every point in turns until the time is over, then estimates.

A visit is one trial: warm-up, then short windows with canaries. Whose turn it is depends on the
canaries (`schedule`), never on what a point costs. Processes are started anew several
times, for where the kernel put the tables' pages differs between starts.
"""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence
from contextlib import ExitStack

import numpy as np

from planecast.dataplanes import Dataplane, DataplaneConfig, Trial, TrialAnswer, configs_for
from planecast.engines.measure.estimate import (
    PointFacts,
    at_reference,
    canary_pairs,
    estimate_point,
    undisturbed_rows,
)
from planecast.engines.measure.neighbours import Company, neighbours
from planecast.engines.measure.reference import reference_state
from planecast.engines.measure.schedule import Look, Schedule
from planecast.engines.measure.trials import TrialTable
from planecast.engines.measure.unmeasured import refuse_unmeasured
from planecast.progress import Progress
from planecast.results.manifest import Manifest
from planecast.results.result import Result
from planecast.scenario.scenario import Scenario
from planecast.scenario.study import Budget

PACKETS_OF_AN_ITERATION = 64
"""Packets of a router that take about as long as an iteration of the compute reference."""

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
    company: Company | None = None,
) -> list[Result]:
    """Measures the scenarios together, interleaved, for about ``budget.seconds``.

    For ``budget.patience`` seconds more when a point lacks undisturbed windows by then.
    `table` receives the raw trials as they come, so that an interrupted run has them too; its
    labels name the scenarios. `company` is beside a point during its visits alone; by default it
    is the scenario's neighbour.
    Raises InputError for what the simulator alone can do, MissingError without the data plane's
    program, RunError when it fails.
    """
    refuse_unmeasured(scenarios)
    trials = table if table is not None else TrialTable([s.name for s in scenarios])
    facts = [PointFacts(point) for point in range(len(scenarios))]
    configs = configs_for(scenarios)
    random = np.random.default_rng(manifest.seed)
    began = time.monotonic()
    schedule = Schedule([s.placement.cpus for s in scenarios], random)
    visit = 0
    for restart in range(budget.restarts):
        until = began + budget.seconds * (restart + 1) / budget.restarts
        with ExitStack() as stack:
            elapsed = min(time.monotonic() - began, budget.seconds)
            progress(elapsed, budget.seconds, "building the tables")
            running = _start(stack, configs, eal_arguments)
            look = _looker(running, configs, scenarios)
            beside = company or stack.enter_context(neighbours(scenarios))
            last = restart == budget.restarts - 1
            for point in schedule.turns(until, budget.patience if last else 0.0, look):
                with beside(point):
                    answer = running[configs[point]].trial(trial_of(scenarios[point], budget))
                trials.append(point, restart, visit, answer)
                facts[point].add(answer)
                schedule.seen(point, answer)
                visit += 1
                elapsed = time.monotonic() - began
                words = trials.labels[point]
                if budget.patience and elapsed > budget.seconds:
                    words = f"disturbed: {schedule.lacking} points wait for quiet windows"
                progress(min(elapsed, budget.seconds), budget.seconds, words)
    # Who asked may be another engine, whose predictions these results are beside.
    made_by = manifest.model_copy(update={"engine": "measure"})
    columns = trials.columns()
    good = undisturbed_rows(columns)
    stated = at_reference(columns, good, reference_state(canary_pairs(columns)[good].mean(axis=1)))
    return [
        estimate_point(scenario, stated, good, own, made_by)
        for scenario, own in zip(scenarios, facts, strict=True)
    ]


def _looker(
    running: Mapping[DataplaneConfig, Dataplane],
    configs: Sequence[DataplaneConfig],
    scenarios: Sequence[Scenario],
) -> Look:
    def look(point: int) -> TrialAnswer:
        trial = Trial(windows=1, packets=_LOOK_PACKETS, warmup=0, scenario=scenarios[point])
        return running[configs[point]].trial(trial)

    return look


def _start(
    stack: ExitStack, configs: Sequence[DataplaneConfig], eal_arguments: Sequence[str]
) -> dict[DataplaneConfig, Dataplane]:
    """One process for each configuration. They sleep while another one forwards."""
    return {
        config: stack.enter_context(Dataplane(config, eal_arguments))
        for config in dict.fromkeys(configs)
    }


def warmup_packets(scenario: Scenario, budget: Budget) -> int:
    """Packets that each lcore forwards before the first window.

    Every active flow's lines shall have been touched: after twice as many packets as flows, 86 %
    of them have been; the rest comes with the first windows.
    """
    if scenario.workload.kind == "compute":
        return budget.warmup // PACKETS_OF_AN_ITERATION
    return max(budget.warmup, 2 * scenario.traffic.flows // len(scenario.placement.cpus))


def window_packets(scenario: Scenario, budget: Budget) -> int:
    """Packets of a window on each lcore. The compute reference's take about a hundred times as
    long as others, and a window that lasts longer is a disturbed one."""
    if scenario.workload.kind == "compute":
        return max(1, budget.packets // PACKETS_OF_AN_ITERATION)
    return budget.packets


def trial_of(scenario: Scenario, budget: Budget) -> Trial:
    """The trial of a visit."""
    return Trial(
        windows=budget.windows,
        packets=window_packets(scenario, budget),
        warmup=warmup_packets(scenario, budget),
        scenario=scenario,
    )
