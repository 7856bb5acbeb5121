"""What the cost model knows: the regions of its stages are those of one network function."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from planecast.engines.solve.questions import Questions
from planecast.errors import InputError
from planecast.scenario.scenario import Scenario

KNOWN = "vpe-upstream"

SIMULATED = ("nic", "accelerator", "interference")
"""Sections of a scenario that the simulator alone heeds."""

_USUAL = Scenario(name="usual")


def asked(scenarios: Questions | Sequence[Scenario], *, any_workload: bool = False) -> Questions:
    """The scenarios as columns, in which they may come. Raises InputError for what the model
    doesn't know; `any_workload`: counters told of it, whatever it is."""
    if isinstance(scenarios, Questions):
        return scenarios
    refuse_unmodelled(scenarios, any_workload=any_workload)
    return Questions.of(scenarios)


def refuse_unmodelled(scenarios: Iterable[Scenario], *, any_workload: bool = False) -> None:
    """Raises InputError for a network function, a placement or a device that the model doesn't
    know."""
    for scenario in scenarios:
        if scenario.workload.kind != KNOWN and not any_workload:
            raise InputError(
                f"the cost model knows {KNOWN} only, not {scenario.workload.kind}",
                "workload.kind",
                "measure or profile it instead",
            )
        if scenario.placement.cuts:
            raise InputError(
                "the cost model knows pipelines that one lcore runs to completion, not cut ones",
                "placement.cuts",
                "measure it instead, or leave the cuts out; --engine simulate knows them",
            )
        if scenario.dataplane.kind != "ours" and not any_workload:
            raise InputError(
                f"the model is of planecast's own data plane, not of {scenario.dataplane.kind}",
                "dataplane.kind",
                "measure it: planecast search",
            )
        if scenario.generator.kind != "ours":
            raise InputError(
                f"the model makes its own packets, without {scenario.generator.kind}",
                "generator.kind",
                "leave it out, or measure: planecast search",
            )
        for section in SIMULATED:
            if getattr(scenario, section) != getattr(_USUAL, section):
                raise InputError(
                    f"the closed form knows no {section}", section, "add --engine simulate"
                )
