"""Which stage a node of VPP's graph belongs to: the catalogue's name patterns."""

from __future__ import annotations

from fnmatch import fnmatchcase
from functools import cache
from typing import Annotated

from pydantic import BeforeValidator

from planecast.catalog import entry_path
from planecast.scenario.document import read_document
from planecast.scenario.model import Noun, listed
from planecast.scenario.problems import validated
from planecast.workload.counts import Role


class NodeStage(Noun):
    """A stage, and the nodes that do its work."""

    stage: str
    role: Role
    nodes: Annotated[tuple[str, ...], BeforeValidator(listed)]
    """Shell patterns of node names."""


class NodeStages(Noun):
    """The stages of a graph; the first pattern that fits a name counts."""

    stages: Annotated[tuple[NodeStage, ...], BeforeValidator(listed)]


def stage_of(node: str) -> tuple[str, Role]:
    """The stage of a node of VPP's, and its role; a node that the catalogue doesn't know is a stage
    of its own."""
    for stage in _stages():
        if any(fnmatchcase(node, pattern) for pattern in stage.nodes):
            return stage.stage, stage.role
    return node, "processing"


@cache
def _stages() -> tuple[NodeStage, ...]:
    document = read_document(entry_path("graphs", "vpp"))
    return validated(NodeStages, document.data, document.where).stages
