"""Stages of a program of others: its cycles, divided as the model of its counts has them.

The meter reads the clock at a program's ports, not within it. What each of its stages takes of
the time between them is the model's to say.
"""

from __future__ import annotations

from collections.abc import Mapping

from planecast.explain.model_breakdown import ModelBreakdown
from planecast.results.estimate import Estimate
from planecast.workload.counts import IO_STAGES
from planecast.workload.traced.clocks import PROGRAM


def inner_stages(model: ModelBreakdown) -> dict[str, Estimate]:
    """The model's stages between the ports."""
    return {name: said for name, said in model.stages.items() if name not in IO_STAGES}


def with_inner_stages(
    measured: Mapping[str, Estimate], model: ModelBreakdown | None
) -> dict[str, Estimate]:
    """Cycles by stage with the program's own ones in place of `PROGRAM`: what was measured of all
    of them, in the model's proportions."""
    whole = measured.get(PROGRAM)
    inner = {} if model is None else inner_stages(model)
    said = sum(one.value for one in inner.values())
    found: dict[str, Estimate] = {}
    for name, cycles in measured.items():
        if name != PROGRAM or whole is None or said <= 0:
            found[name] = cycles
            continue
        for stage, one in inner.items():
            part = whole.scaled(one.value / said, whole.unit)
            found[stage] = part.model_copy(update={"kind": "computed"})
    return found
