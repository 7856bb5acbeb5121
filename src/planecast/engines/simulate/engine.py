"""The engine: scenarios to models, models to the native core, what it answers to Results."""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import replace

from planecast.engines.simulate import _simulator as sim
from planecast.engines.simulate.card import card_of
from planecast.engines.simulate.closed_form_view import closed_form_view
from planecast.engines.simulate.ddio_overflow import ddio_overflow, with_ddio_overflow
from planecast.engines.simulate.handoff import line_costs
from planecast.engines.simulate.limits import limits_of
from planecast.engines.simulate.model import HOST_SECONDS, MAX_PACKETS, Recording, model_of
from planecast.engines.simulate.pipeline_split import split_pipeline
from planecast.engines.simulate.port import Port, with_port
from planecast.engines.simulate.replications import replicated
from planecast.engines.simulate.sources import capture_of, frames_of
from planecast.engines.simulate.stage_cost import PipelineCost, header_miss_cycles, stage_costs
from planecast.engines.simulate.to_result import Prepared, to_result
from planecast.engines.solve import solve
from planecast.errors import InputError, RunError
from planecast.model.calibration import Calibration
from planecast.results.manifest import Manifest
from planecast.results.result import Result
from planecast.scenario.scenario import Scenario


def simulate(
    scenarios: Sequence[Scenario],
    calibration: Calibration,
    manifest: Manifest,
    *,
    precision: float = 0.01,
    seed: int | None = None,
    threads: int | None = None,
    packets: int = MAX_PACKETS,
    host_seconds: float = HOST_SECONDS,
    replications: int = 1,
    recording: Recording | None = None,
    recorded: list[sim.Results] | None = None,
    slower: Sequence[float] | None = None,
) -> list[Result]:
    """Simulates scenarios. Intervals are 95 %, from batch means: the simulation's own.

    Each runs until the half-width of its throughput (its mean latency, with an offered rate) is no
    more than `precision` times the value; `packets` and `host_seconds` end it before. With a
    `recording` of so much simulated time it runs that long instead, from empty rings on; `recorded`
    receives what the core answered, its series and traces among it. `slower` says for each scenario
    how many times its cost a packet takes, by default once: what the calibration leaves open has to
    be played to be seen in loss and latency. `seed` is by default that of the scenario's traffic.
    With `replications` each runs so often, with the seeds that follow: then percentiles have an
    interval, too. The same seed gives the same Results on any number of `threads`, by default one a
    CPU. Raises InputError for what the model doesn't know and for a capture that can't be read,
    RunError when the core refuses its model.
    """
    if not 0 < precision < 1:
        raise InputError(f"got a precision of {precision}", what_to_do="it is a share such as 0.01")
    if replications < 1:
        raise InputError(f"got {replications} replications", what_to_do="the minimum is one")
    asked = prepare(scenarios, calibration, manifest, recording, precision)
    if slower is not None:
        asked = [_at_cost(one, one.cost.times(by)) for one, by in zip(asked, slower, strict=True)]
    models = [
        model_of(
            one,
            precision=precision,
            seed=(one.scenario.traffic.seed if seed is None else seed) + number,
            packets=packets,
            host_seconds=host_seconds,
            recording=recording,
        )
        for number in range(replications)
        for one in asked
    ]
    answers = played(models, threads)
    if recorded is not None:
        recorded.extend(answers[: len(asked)])
    made_by = manifest.model_copy(
        update={"engine": "simulate"} | ({} if seed is None else {"seed": seed})
    )
    return [
        replicated(to_result(one, answers[i], made_by), answers[i :: len(asked)])
        for i, one in enumerate(asked)
    ]


def played(models: Sequence[sim.Model], threads: int | None = None) -> list[sim.Results]:
    """What the core answers, by default on every CPU. Raises RunError when it refuses."""
    try:
        return sim.simulate_many(models, threads=threads or len(os.sched_getaffinity(0)))
    except (sim.ModelError, sim.InvariantError) as error:
        raise RunError(f"the simulator refused its model or its own answer: {error}") from error


def over_port(asked: Prepared, port: Port) -> Prepared:
    """The same over a port."""
    return _at_cost(asked, with_port(asked.cost, port, asked.scenario.placement.burst))


def _at_cost(asked: Prepared, cost: PipelineCost) -> Prepared:
    return replace(asked, cost=cost, segments=split_pipeline(asked.scenario, cost, asked.lines))


def prepare(
    scenarios: Sequence[Scenario],
    calibration: Calibration,
    manifest: Manifest,
    recording: Recording | None,
    precision: float,
) -> list[Prepared]:
    """What is known of the scenarios before they run. Raises InputError for what the calibration or
    the model doesn't know."""
    plain = [closed_form_view(scenario) for scenario in scenarios]
    closed = solve(plain, calibration, manifest)
    costs = stage_costs(plain, calibration)
    timed = recording is not None and recording.duration_ns is not None
    found = []
    for scenario, solved, in_caches in zip(scenarios, closed, costs, strict=True):
        lines = line_costs(scenario.placement, calibration.hierarchy)
        spill = ddio_overflow(scenario)
        cost = (
            in_caches
            if spill is None
            else with_ddio_overflow(in_caches, spill, header_miss_cycles(scenario, calibration))
        )
        found.append(
            Prepared(
                scenario=scenario,
                solved=solved,
                cost=cost,
                segments=split_pipeline(scenario, cost, lines),
                lines=lines,
                tsc_hz=calibration.hierarchy.tsc_hz,
                limits=limits_of(
                    scenario, frames_of(scenario, capture_of(scenario, card_of(scenario).ports))
                ),
                precision=None if timed else precision,
                more_notes=() if spill is None else spill.notes,
            )
        )
    return found
