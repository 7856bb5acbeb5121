"""What the cost model answers: which scenarios, and which of them together."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from planecast.errors import InputError
from planecast.model.calibration import Calibration
from planecast.results.manifest import same_host
from planecast.scenario.cpus import parse_cpus
from planecast.scenario.dataplane import OWN
from planecast.scenario.host_cpus import refuse_offline
from planecast.scenario.machine import HOST
from planecast.scenario.points import value_if_any
from planecast.scenario.scenario import Scenario
from planecast.scenario.workload import FUNCTIONS
from planecast.workload.scenario_columns import ScenarioColumns

SIMULATED = ("nic", "accelerator", "interference")
"""Sections of a scenario that the simulator alone uses."""

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
    if any(scenario.dataplane.kind != OWN for scenario in every):
        # `predict` of a function of ours starts quickly without
        from planecast.dataplanes.in_memory import refuse_outside
    for scenario in every:
        if scenario.dataplane.kind != OWN and kind != COUNTED:
            refuse_outside(scenario, "modelled")
    _refuse_kinds({scenario.forwards for scenario in every}, kind)
    for scenario in every:
        if value_if_any(scenario, "placement.cuts"):
            raise InputError(
                "the cost model covers pipelines that one lcore runs to completion, not cut ones",
                "placement.cuts",
                "measure it instead, or leave the cuts out; --engine simulate supports them",
            )
        if scenario.generator.kind != "ours":
            raise InputError(
                f"the model makes its own packets, without {scenario.generator.kind}",
                "generator.kind",
                "leave it out, or measure: planecast search",
            )
        for section in SIMULATED:
            if value_if_any(scenario, section) not in (None, getattr(_USUAL, section)):
                raise InputError(
                    f"the closed form does not model {section}", section, "add --engine simulate"
                )


_STUDIES = {
    "testpmd io": "testpmd-io",
    "ovs": "ovs",
    "ovs l2xc": "ovs-l2xc",
    "l3fwd": "l3fwd",
    "vpp ip4": "vpp-ip4",
}
"""By what they calibrate, the studies that are shipped; those of own functions have their names."""


def study_of(forwards: str) -> str:
    """The study to calibrate what forwards (`Scenario.forwards`) with, as a command names it."""
    shipped = forwards if forwards in FUNCTIONS else _STUDIES.get(forwards)
    return f"studies/{shipped}.yaml" if shipped else "STUDY, as in studies/l3fwd.yaml"


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
        ours = own in FUNCTIONS
        raise InputError(
            f"this calibration is of {kind}, not of {own}",
            "workload.kind" if ours else "dataplane",
            f"calibrate it: planecast validate {study_of(own)}",
        )


def refuse_absent_cpus(scenario: Scenario, lcores: int, calibration: Calibration) -> None:
    """Raises InputError for more lcores than the calibrated host has CPUs, and where it is the
    machine that we run on for named CPUs that are not there.

    A machine of the catalogue may have several sockets, and counters may be another machine's than
    the calibration was made on, so nothing is said of theirs.
    """
    if scenario.machine != HOST or calibration.counted:
        return
    host = calibration.manifest.host
    if scenario.placement.cpus is not None and same_host(host):
        refuse_offline(parse_cpus(scenario.placement.cpus))
    there = host.get("cpus")
    if isinstance(there, int) and lcores > there:
        raise InputError(
            f"{lcores} lcores forward, but the calibrated host has {there} CPUs",
            f"{scenario.name}: placement.lcores",
            "name fewer, or a machine that has them (--set machine=…)",
        )
