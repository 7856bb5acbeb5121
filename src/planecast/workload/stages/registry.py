"""The stages that the cost model knows: one line a stage."""

from __future__ import annotations

from planecast.scenario.workload import FUNCTIONS
from planecast.workload.stages.acl import Acl
from planecast.workload.stages.actions import Actions
from planecast.workload.stages.bridge_forward import Forward
from planecast.workload.stages.bridge_learn import Learn
from planecast.workload.stages.classify import Classify
from planecast.workload.stages.compute import Compute
from planecast.workload.stages.descriptor import StageDescriptor
from planecast.workload.stages.downroute import Downroute
from planecast.workload.stages.ip4_check import Check
from planecast.workload.stages.ip4_next_hop import NextHop
from planecast.workload.stages.ip4_rewrite import Rewrite
from planecast.workload.stages.key import Key
from planecast.workload.stages.macswap import Macswap
from planecast.workload.stages.qinq import Qinq
from planecast.workload.stages.route import Route
from planecast.workload.stages.source import Source
from planecast.workload.stages.tm import TrafficManager
from planecast.workload.stages.tx import Tx

STAGES: dict[str, StageDescriptor] = {
    stage.name: stage
    for stage in (
        Source(),
        Acl(),
        Key(),
        Classify(),
        Actions(),
        Route(),
        Downroute(),
        Qinq(),
        TrafficManager(),
        Compute(),
        Macswap(),
        Learn(),
        Forward(),
        Check(),
        NextHop(),
        Rewrite(),
        Tx(),
    )
}


def stages_of(kind: str) -> list[StageDescriptor]:
    """The descriptors of a network function in pipeline order, source and tx among them; of a
    program of others these two alone.

    Raises KeyError for a function one of whose stages has no descriptor.
    """
    own: tuple[str, ...] = FUNCTIONS.get(kind, ())
    return [STAGES[name] for name in ("source", *own, "tx")]
