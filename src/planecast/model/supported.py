"""What the cost model answers: which scenarios, and which of them together."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from planecast.errors import InputError
from planecast.model.calibration import Calibration
from planecast.model.site import HOST
from planecast.scenario.scenario import Scenario
from planecast.workload.scenario_columns import ScenarioColumns

SIMULATED = ("nic", "accelerator", "interference")
"""Sections of a scenario that the simulator alone heeds."""

_USUAL = Scenario(name="usual")


def columns_of(
    scenarios: ScenarioColumns | Sequence[Scenario], kind: str | None = None
) -> ScenarioColumns:
    """The scenarios as columns, in which they may come.

    `kind` is the network function that was calibrated on; None: any; ``counted``: counters reported
    it, whatever it is. Raises InputError for what the model doesn't know.
    """
    if isinstance(scenarios, ScenarioColumns):
        _refuse_kinds({scenarios.kind}, kind)
        return scenarios
    refuse_unmodelled(scenarios, kind)
    return ScenarioColumns.of(scenarios)


def refuse_unmodelled(scenarios: Iterable[Scenario], kind: str | None = None) -> None:
    """Raises InputError for a network function other than `kind`, and for a placement or a device
    that the model doesn't know."""
    every = list(scenarios)
    _refuse_kinds({scenario.workload.kind for scenario in every}, kind)
    for scenario in every:
        if scenario.placement.cuts:
            raise InputError(
                "the cost model knows pipelines that one lcore runs to completion, not cut ones",
                "placement.cuts",
                "measure it instead, or leave the cuts out; --engine simulate knows them",
            )
        if scenario.dataplane.kind != "ours" and kind != COUNTED:
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


COUNTED = "counted"
"""In place of a network function: what counters were read of."""


def _refuse_kinds(kinds: set[str], kind: str | None) -> None:
    if len(kinds) > 1:
        raise InputError(
            f"these scenarios are of several network functions: {', '.join(sorted(kinds))}",
            "workload.kind",
            "ask of one at a time",
        )
    if kind in (None, COUNTED):
        return
    for own in kinds - {kind}:
        raise InputError(
            f"this calibration is of {kind}, not of {own}",
            "workload.kind",
            f"calibrate it: planecast validate studies/{own}.yaml",
        )


def refuse_too_many_lcores(scenario: Scenario, lcores: int, calibration: Calibration) -> None:
    """Raises InputError for more lcores than the calibrated host has CPUs.

    A machine of the catalogue may have several sockets, and counters may be another machine's than
    the calibration was made on, so nothing is said of theirs.
    """
    there = None if calibration.counted else calibration.manifest.host.get("cpus")
    if scenario.machine == HOST and isinstance(there, int) and lcores > there:
        raise InputError(
            f"{lcores} lcores forward, but the calibrated host has {there} CPUs",
            f"{scenario.name}: placement.lcores",
            "name fewer, or a machine that has them (--set machine=…)",
        )
