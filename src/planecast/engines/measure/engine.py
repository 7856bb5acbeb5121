"""The engine: visits every point in turns until the time is over, then estimates.

A visit is one trial: warm-up, then short windows with canaries. The order of the points is drawn anew
for each round, so drift of the machine hits all alike. Processes are started anew several times, for
where the kernel put the tables' pages differs between starts.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from contextlib import ExitStack
from dataclasses import dataclass

import numpy as np

from planecast.dataplanes import Dataplane, DataplaneConfig, Trial, TrialAnswer, configs_for
from planecast.engines.measure.estimate import PointFacts, estimate_point, undisturbed_rows
from planecast.engines.measure.trials import TrialTable
from planecast.results.manifest import Manifest
from planecast.results.result import Result
from planecast.scenario.scenario import Scenario
from planecast.scenario.study import Budget

Progress = Callable[[float, float, str], None]

MIN_ROUNDS = 2
"""Every point is visited so often in each restart, however short the time is."""


@dataclass
class Measurement:
    """Results in the order of the scenarios, and the raw trials behind them."""

    results: list[Result]
    trials: TrialTable


def measure(
    scenarios: Sequence[Scenario],
    budget: Budget,
    manifest: Manifest,
    *,
    labels: Sequence[str] | None = None,
    eal_arguments: Sequence[str] = (),
    progress: Progress = lambda done, total, words: None,
    kept: TrialTable | None = None,
) -> Measurement:
    """Measures the scenarios together, interleaved, for about ``budget.seconds``.

    `kept` receives the raw trials as they come, so that an interrupted run has them too. Raises
    MissingError without the data plane's program, RunError when it fails.
    """
    names = list(labels) if labels is not None else [scenario.name for scenario in scenarios]
    table = kept if kept is not None else TrialTable(names)
    facts = [PointFacts() for _ in scenarios]
    configs = configs_for(scenarios)
    random = np.random.default_rng(manifest.seed)
    began = time.monotonic()
    visit = 0
    for restart in range(budget.restarts):
        until = began + budget.seconds * (restart + 1) / budget.restarts
        with ExitStack() as stack:
            progress(time.monotonic() - began, budget.seconds, "building the tables")
            running = _start(stack, configs, eal_arguments)
            rounds = 0
            while rounds < MIN_ROUNDS or time.monotonic() < until:
                for point in random.permutation(len(scenarios)):
                    if rounds >= MIN_ROUNDS and time.monotonic() >= until:
                        break
                    answer = _visit(running[configs[point]], scenarios[point], budget)
                    table.append(int(point), restart, visit, answer)
                    facts[point].add(answer)
                    visit += 1
                    elapsed = time.monotonic() - began
                    progress(min(elapsed, budget.seconds), budget.seconds, names[point])
                rounds += 1
    columns = table.columns()
    good = undisturbed_rows(columns)
    return Measurement(
        [
            estimate_point(scenario, columns, good, point, facts[point], manifest)
            for point, scenario in enumerate(scenarios)
        ],
        table,
    )


def _start(
    stack: ExitStack, configs: Sequence[DataplaneConfig], eal_arguments: Sequence[str]
) -> dict[DataplaneConfig, Dataplane]:
    """One process for each configuration. They sleep while another one forwards."""
    return {
        config: stack.enter_context(Dataplane(config, eal_arguments))
        for config in dict.fromkeys(configs)
    }


def _visit(dataplane: Dataplane, scenario: Scenario, budget: Budget) -> TrialAnswer:
    lcores = len(scenario.placement.cpus)
    # Every active flow's lines shall have been touched before the first window: after twice as many
    # packets as flows, 86 % of them have been; the rest comes with the first windows.
    warmup = max(budget.warmup, 2 * scenario.traffic.flows // lcores)
    return dataplane.trial(
        Trial(windows=budget.windows, packets=budget.packets, warmup=warmup, scenario=scenario)
    )
