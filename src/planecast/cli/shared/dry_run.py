"""What ``--dry-run`` prints: the processes that would be started, and what they would be asked."""

from __future__ import annotations

import shlex
from collections.abc import Sequence
from typing import TYPE_CHECKING

import typer

if TYPE_CHECKING:
    from planecast.process import Planned
    from planecast.scenario import Scenario
    from planecast.scenario.study import Budget, Study


def print_plan(scenarios: Sequence[Scenario], budget: Budget, eal: Sequence[str] = ()) -> None:
    """Each process with its configuration, its command and the requests of one round."""
    from planecast.dataplanes.processes import process, processes_for
    from planecast.engines.measure.engine import trial_of

    configs = processes_for(scenarios)
    for number, config in enumerate(dict.fromkeys(configs)):
        wanted = process(config, eal)
        print_process(wanted.plan(f"dataplane{number}.ini"), budget.restarts)
        for scenario, own in zip(scenarios, configs, strict=True):
            if own == config:
                typer.echo(wanted.request(trial_of(scenario, budget)))
        typer.echo("")


def print_process(process: Planned, starts: int) -> None:
    """A process: what is in its configuration, and its command."""
    file = f"{process.file}; " if process.file else ""
    typer.echo(f"# {file}started {starts} times")
    if process.text:
        typer.echo(process.text.rstrip("\n"))
    typer.echo(shlex.join(process.words))


def print_study_plan(study: Study, *, held_out: bool) -> None:
    """The probe, then all points, which take turns; without what is held out for `calibrate`."""
    from planecast.instruments.probe import probe_command
    from planecast.scenario.host_cpus import cpus_here

    typer.echo(shlex.join(probe_command(cpu=cpus_here(study.scenario)[0])))
    if not held_out:
        typer.echo("\n# calibration points")
        print_plan(study.scenarios(study.calibrate), study.budget)
        return
    typer.echo("\n# calibration points and held-out points, in turns")
    print_plan(study.scenarios((*study.calibrate, *study.hold_out, *study.check)), study.budget)
