"""What ``--dry-run`` prints: the processes that would be started, and what they would be asked."""

from __future__ import annotations

import shlex
from collections.abc import Sequence
from typing import TYPE_CHECKING

import typer

if TYPE_CHECKING:
    from planecast.scenario import Scenario
    from planecast.scenario.study import Budget, Study


def print_plan(scenarios: Sequence[Scenario], budget: Budget, eal: Sequence[str] = ()) -> None:
    """Each process with its configuration, its command and the requests of one round."""
    from planecast.dataplanes import Trial, configs_for
    from planecast.dataplanes.config import config_text
    from planecast.engines.measure.engine import warmup_packets
    from planecast.native import native_program

    program = str(native_program("planecast-dataplane"))
    configs = configs_for(scenarios)
    for number, config in enumerate(dict.fromkeys(configs)):
        words = [program, f"dataplane{number}.ini", "--control", *(["--", *eal] if eal else [])]
        typer.echo(f"# dataplane{number}.ini; started {budget.restarts} times")
        typer.echo(config_text(config), nl=False)
        typer.echo(shlex.join(words))
        for scenario, own in zip(scenarios, configs, strict=True):
            if own == config:
                trial = Trial(
                    windows=budget.windows,
                    packets=budget.packets,
                    warmup=warmup_packets(scenario, budget),
                    scenario=scenario,
                )
                typer.echo(trial.request)
        typer.echo("")


def print_study_plan(study: Study, *, held_out: bool) -> None:
    """The probe, then the calibration points, then what is held out."""
    from planecast.instruments.probe import probe_command

    typer.echo(shlex.join(probe_command(cpu=study.scenario.placement.cpus[0])))
    typer.echo("\n# calibration points")
    print_plan(study.scenarios(study.calibrate), study.budget)
    if held_out:
        typer.echo("# held-out points, after their predictions were written")
        print_plan(study.scenarios(study.hold_out), study.budget)
