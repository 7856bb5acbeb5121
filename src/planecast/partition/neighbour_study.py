"""A study of noisy neighbours: a data plane's scenario, and what is next to it."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Self

from pydantic import BeforeValidator, Field, model_validator

from planecast.errors import InputError
from planecast.generators.neighbour import Work
from planecast.scenario.document import read_document
from planecast.scenario.host_cpus import cpus_here
from planecast.scenario.load import load_scenario
from planecast.scenario.model import Count, Noun, listed
from planecast.scenario.neighbour import Busy
from planecast.scenario.problems import validated
from planecast.scenario.scenario import Name, Scenario
from planecast.scenario.study import Budget


class NoisyPoint(Busy):
    """What the neighbour does at one point: one of walk, stream and spin."""

    @model_validator(mode="after")
    def _one(self) -> Self:
        if self.kinds != 1:
            raise ValueError("a point needs one of walk, stream and spin")
        return self

    def work(self) -> Work:
        """As the neighbour is asked."""
        return Work.of(self)


class NeighbourStudy(Noun):
    """A study of noisy neighbours, as its YAML file holds it."""

    name: Name
    scenario: str
    """Path of the scenario, relative to the study's own."""
    cpu: Annotated[Count, Field(ge=0, le=1023)] = 0
    """The neighbour's CPU. The data plane's main thread, which sleeps, may be there too."""
    memory_gbs: Annotated[float, Field(gt=0, le=10000)] | None = None
    """What the node's memory gives at most, GB/s: for the latency under load beyond what
    `planecast machine probe` measured of it. None: assumed."""
    calibrate: Annotated[tuple[NoisyPoint, ...], BeforeValidator(listed)] = ()
    """Neighbours that are measured first, and show the model what is shared and what shows."""
    points: Annotated[tuple[NoisyPoint, ...], BeforeValidator(listed), Field(min_length=1)]
    """What the neighbour does; idle is measured as well, twice."""
    budget: Budget = Budget()
    """How much measuring to do."""

    @property
    def first_part(self) -> float:
        """Share of the time for the neighbours that are measured first, next to an idle one."""
        first = len(self.calibrate) + 1 if self.calibrate else 0
        return first / (first + len(self.points) + 2)  # the others have two idle ones


def load_neighbour_study(path: str | Path) -> tuple[NeighbourStudy, Scenario]:
    """The study and its scenario. Raises InputError with file and line for whatever is wrong."""
    document = read_document(path)
    found = validated(NeighbourStudy, document.data, document.where)
    scenario_file = Path(path).parent / found.scenario
    if not scenario_file.is_file():
        raise InputError(
            f"scenario: there is no file {scenario_file}",
            document.where(("scenario",)),
            "name a scenario file relative to the study's own folder",
        )
    scenario = load_scenario(scenario_file)
    if found.cpu in cpus_here(scenario):
        raise InputError(
            f"the data plane forwards on CPU {found.cpu} itself",
            document.where(("cpu",)),
            "name another one",
        )
    return found, scenario
