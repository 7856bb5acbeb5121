"""Explanation: where a packet's cycles go, by stage and cause, and what follows from it."""

from __future__ import annotations

from typing import Annotated

from pydantic import BeforeValidator

from planecast.explain.node import ExplainedNode
from planecast.results.basis import Basis
from planecast.results.estimate import Estimate
from planecast.results.manifest import Manifest
from planecast.results.result import Texts
from planecast.scenario.model import Noun, listed
from planecast.scenario.scenario import Scenario
from planecast.workload.counts import Role


class CauseCycles(Noun):
    """Cycles of one cause."""

    cause: str
    """Name of the cause, as in `planecast.explain.CAUSES`."""
    cycles: Estimate
    """TSC cycles a packet. Only `unexplained` can be negative."""


Causes = Annotated[tuple[CauseCycles, ...], BeforeValidator(listed)]


class StageExplanation(Noun):
    """One stage: what it costs, and why."""

    stage: str
    """``source``, a stage of the pipeline, ``tx``, or ``loop``: what is between the stages."""
    role: Role
    cycles: Estimate | None
    """TSC cycles a packet: measured where the stage clock read them, else computed."""
    modelled: Estimate | None = None
    """The same by the calibrated model; None where it does not have the stage."""
    instructions: Estimate | None = None
    """Instructions a packet."""
    ipc: Estimate | None = None
    """Instructions a core cycle; None where the core's clock is not known."""
    causes: Causes = ()
    """They add up to `cycles`, `unexplained` among them."""
    nodes: Annotated[tuple[ExplainedNode, ...], BeforeValidator(listed)] = ()
    """The top-down tree of the stage where it can be computed: shares of its cycles."""

    @property
    def clocked_and_modelled(self) -> bool:
        """Whether a clock read its cycles and the model divides them."""
        clocked = self.cycles is not None and self.cycles.kind == "measured"
        return clocked and self.modelled is not None


class RoleShare(Noun):
    """What stages of one role take together."""

    role: Role
    cycles: Estimate | None
    """TSC cycles a packet."""
    instructions: Estimate | None
    """Instructions a packet."""


class Advice(Noun):
    """Something to try."""

    try_this: str
    """What to change, as a person types it where it is a key of the scenario."""
    saves: Estimate | None = None
    """TSC cycles a packet that the model says it saves; None where it can't say."""
    why: str


class Explanation(Noun):
    """Where the cycles of one result go."""

    label: str
    """Which result of which run."""
    scenario: Scenario
    cycles_per_packet: Estimate | None
    """TSC cycles that one lcore spends on a packet; None when none were measured or modelled."""
    modelled: Estimate | None = None
    """The same by the calibrated model."""
    throughput_pps: Estimate | None = None
    instructions_per_packet: Estimate | None = None
    ipc: Estimate | None = None
    """Instructions a core cycle."""
    stages: Annotated[tuple[StageExplanation, ...], BeforeValidator(listed)] = ()
    """In pipeline order, the loop last."""
    causes: Causes = ()
    """Over all stages; they add up to `cycles_per_packet`."""
    roles: Annotated[tuple[RoleShare, ...], BeforeValidator(listed)] = ()
    nodes: Annotated[tuple[ExplainedNode, ...], BeforeValidator(listed)] = ()
    """The top-down tree where it can be computed: shares of the cycles."""
    limits: Texts = ()
    """What limits this data plane, as sentences."""
    certainty: Texts = ()
    """How sure that is."""
    advice: Annotated[tuple[Advice, ...], BeforeValidator(listed)] = ()
    """What to try next, the most promising first."""
    unknown: Texts = ()
    """What can't be known from this input, and why."""
    notes: Texts = ()
    """What a reader should know about the numbers."""
    manifest: Manifest | None = None
    """What made the result; None for a profile, which keeps none."""
    calibration: Basis | None = None
    """What causes were distinguished with; None without a calibration."""
