"""A study of noisy neighbours: a data plane's scenario, and what is beside it."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any, Self

from pydantic import BeforeValidator, Field, model_validator

from planecast.errors import InputError
from planecast.generators.neighbour import Work
from planecast.scenario.document import read_document
from planecast.scenario.load import load_scenario
from planecast.scenario.model import Bytes, Count, Noun, listed
from planecast.scenario.problems import validated
from planecast.scenario.scenario import Name, Scenario
from planecast.scenario.study import Budget
from planecast.scenario.units import parse_count

MAX_BYTES = 4 << 30


def _rate(value: Any) -> Any:
    return float(parse_count(value)) if isinstance(value, str) else value


class NoisyPoint(Noun):
    """What the neighbour does at one point: one of walk, stream and spin."""

    walk: Annotated[Bytes, Field(ge=4096, le=MAX_BYTES)] | None = None
    """Working set that it chases pointers through."""
    stream: Annotated[Bytes, Field(ge=16384, le=MAX_BYTES)] | None = None
    """Memory that it reads in order."""
    spin: bool = False
    """It computes, and touches no memory."""
    rate: Annotated[
        float, BeforeValidator(_rate, json_schema_input_type=float | str), Field(ge=0, le=1e12)
    ] = 0.0
    """Cache lines a second at most, such as 20M; 0: as fast as it goes."""
    width: Annotated[Count, Field(ge=1, le=16)] = 8
    """walk: misses in flight."""
    write: bool = False
    """stream: writes what it read."""

    @model_validator(mode="after")
    def _one(self) -> Self:
        kinds = (self.walk is not None, self.stream is not None, self.spin)
        if sum(kinds) != 1:
            raise ValueError("a point needs one of walk, stream and spin")
        return self

    def work(self) -> Work:
        """As the neighbour is asked."""
        if self.spin:
            return Work(mode="spin")
        size = self.walk if self.walk is not None else self.stream
        return Work(
            mode="walk" if self.walk is not None else "stream",
            bytes=size or 0,
            lines_per_s=self.rate,
            width=self.width,
            write=self.write,
        )

    def label(self) -> str:
        """Short name: ``walk 4MiB``, ``stream 256MiB 20M/s``."""
        if self.spin:
            return "spin"
        size = _size(self.walk if self.walk is not None else self.stream or 0)
        kind = "walk" if self.walk is not None else "stream"
        limit = f" {self.rate / 1e6:g}M/s" if self.rate else ""
        return f"{kind} {size}{limit}" + (" write" if self.write else "")


def _size(size: int) -> str:
    for shift, unit in ((30, "GiB"), (20, "MiB"), (10, "KiB")):
        if size >= 1 << shift:
            return f"{size / (1 << shift):g}{unit}"
    return f"{size}B"


class Noisy(Noun):
    """A study of noisy neighbours, as its YAML file holds it."""

    name: Name
    scenario: str
    """Path of the scenario, relative to the study's own."""
    cpu: Annotated[Count, Field(ge=0, le=1023)] = 0
    """The neighbour's CPU. The data plane's main thread, which sleeps, may be there too."""
    memory_gbs: Annotated[float, Field(gt=0, le=10000)] = 119.7
    """What the node's memory gives at most, GB/s: for the latency under load."""
    calibrate: Annotated[tuple[NoisyPoint, ...], BeforeValidator(listed)] = ()
    """Neighbours that are measured first, and tell the model what is shared and what shows."""
    points: Annotated[tuple[NoisyPoint, ...], BeforeValidator(listed), Field(min_length=1)]
    """What the neighbour does; idle is measured as well, twice."""
    budget: Budget = Budget()
    """How much measuring to do."""

    @property
    def first_part(self) -> float:
        """Share of the time for the neighbours that are measured first, beside an idle one."""
        first = len(self.calibrate) + 1 if self.calibrate else 0
        return first / (first + len(self.points) + 2)  # the others have two idle ones


def load_noisy(path: str | Path) -> tuple[Noisy, Scenario]:
    """The study and its scenario. Raises InputError with file and line for whatever is wrong."""
    document = read_document(path)
    found = validated(Noisy, document.data, document.where)
    beside = Path(path).parent / found.scenario
    if not beside.is_file():
        raise InputError(
            f"scenario: there is no file {beside}",
            document.where(("scenario",)),
            "name a scenario file relative to the study's own folder",
        )
    scenario = load_scenario(beside)
    if found.cpu in scenario.placement.cpus:
        raise InputError(
            f"the data plane forwards on CPU {found.cpu} itself",
            document.where(("cpu",)),
            "name another one",
        )
    return found, scenario
