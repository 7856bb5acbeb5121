"""Core: how many slots a core fills a cycle, from the catalogue of cores."""

from __future__ import annotations

from functools import cache
from pathlib import Path
from typing import Annotated

from pydantic import BeforeValidator, Field

from planecast.results.manifest import Manifest
from planecast.scenario.document import read_document
from planecast.scenario.model import Noun, listed

CATALOG = Path(__file__).parent.parent / "catalog"


class Core(Noun):
    """One micro-architecture."""

    name: str
    vendor: str
    family: int
    models: Annotated[tuple[int, ...], BeforeValidator(listed)]
    slots: Annotated[int, Field(ge=1)]
    """Slots a cycle: no core retires more instructions a cycle, fused ones aside."""

    @property
    def ids(self) -> set[str]:
        """As a manifest names CPUs."""
        return {f"{self.vendor}-{self.family}-{model}" for model in self.models}


@cache
def cores() -> tuple[Core, ...]:
    """Every core of the catalogue."""
    document = read_document(CATALOG / "cores.yaml")
    return tuple(Core.model_validate(entry) for entry in document.data["cores"])


def core_of(manifest: Manifest) -> Core | None:
    """The core that made a result; None for one that isn't in the catalogue, or isn't named."""
    identity = str(manifest.host.get("cpu_id", ""))
    return next((core for core in cores() if identity in core.ids), None)
