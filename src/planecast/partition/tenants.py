"""The tenants file: who shares the machine, what each needs, how much it matters."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any, Literal, Self

from pydantic import BeforeValidator, Field, model_validator

from planecast.errors import InputError
from planecast.partition.machine import MachineShape, described
from planecast.partition.profiles import PROFILES, Profile
from planecast.scenario.cpus import parse_cpus
from planecast.scenario.document import read_document
from planecast.scenario.frames import line_rate_pps
from planecast.scenario.model import Count, Noun, listed, typed
from planecast.scenario.placement import CpuList
from planecast.scenario.problems import validated
from planecast.scenario.scenario import Name
from planecast.scenario.units import parse_duration_s, parse_rate_pps


def _profile(value: Any) -> Any:
    if isinstance(value, str):
        if value not in PROFILES:
            raise ValueError(f"got '{value}'; profiles are {', '.join(PROFILES)}, or a section")
        return PROFILES[value]
    return value


class Target(Noun):
    """What a tenant has to reach."""

    rate: Annotated[float, typed(parse_rate_pps), Field(gt=0, le=1e12)]
    """Packets (or units of its work) a second that it has to do."""
    loss: Annotated[float, Field(ge=0, lt=1)] = 0.0
    """Share of them that may be lost."""
    latency: (
        Annotated[float, typed(lambda text: parse_duration_s(text) * 1e6), Field(gt=0, le=1e9)]
        | None
    ) = None
    """Mean time in its queue and its core, at most, in microseconds (or as 50us)."""


class Tenant(Noun):
    """One who shares the machine."""

    name: Name
    role: Literal["dataplane", "control", "vm", "neighbour", "system"] = "vm"
    """dataplane: near the card, on cores of priority. control: its control threads. system: what
    keeps the machine running, in the default class."""
    rank: Annotated[Count, Field(ge=1, le=9)] = 1
    """1 matters most; what a tenant of rank 2 loses counts a third, and so on."""
    cpus: CpuList | None = None
    """Its cores, by their first threads: siblings come along. Or say how many `cores`."""
    cores: Annotated[Count, Field(ge=0, le=1024)] = 0
    """How many cores it needs, where the plan may choose them."""
    siblings: Literal["idle", "busy"] = "idle"
    """Whether it runs on its cores' second threads as well."""
    profile: Annotated[
        Profile | None, BeforeValidator(_profile, json_schema_input_type=Profile | str)
    ] = None
    """What its work costs: a name or a section; none: nothing is predicted of it."""
    target: Target | None = None
    service: Annotated[Count, Field(ge=0, le=127)] | None = None
    """Class of service, where it isn't the plan's to choose."""

    @model_validator(mode="after")
    def _placed(self) -> Self:
        if (self.cpus is None) == (self.cores == 0):
            raise ValueError(f"tenant {self.name} needs either cpus or cores")
        return self


class ClassRequest(Noun):
    """A class of service as the file wants it."""

    number: Annotated[Count, Field(ge=0, le=127)]
    l3: Annotated[int, Field(ge=1, lt=1 << 32)]
    """Mask of its ways, such as 0x7f0."""
    bandwidth: Annotated[Count, Field(ge=0, le=1 << 20)] | None = None
    """Its share of memory bandwidth, in the machine's unit."""
    overlap: bool = False
    """Its ways may be those of others on the same cache: without this, that is refused."""


class Leg(Noun):
    """A tenant on a packet's path."""

    tenant: str
    visits: Annotated[float, Field(gt=0, le=100)] = 1.0
    """Times that a packet of the path is this tenant's work, on average."""


class PathOf(Noun):
    """Packets that pass several tenants: the path is as fast as its slowest leg."""

    name: Name
    legs: Annotated[tuple[Leg, ...], BeforeValidator(listed), Field(min_length=1)]
    frames: Annotated[tuple[int, ...], BeforeValidator(listed), Field(min_length=1)] = (64,)
    """Frame sizes in bytes, with FCS."""
    link_gbps: Annotated[float, Field(ge=0, le=10000)] = 0.0
    """Of all its ports together; 0: no limit."""
    published: Annotated[tuple[float, ...], BeforeValidator(listed)] = ()
    """Published gains in percent, where the source reports them."""

    def line_rate_pps(self, frame_bytes: int) -> float:
        """Frames a second that the ports carry."""
        return line_rate_pps(self.link_gbps, frame_bytes) if self.link_gbps else float("inf")


class Tenancy(Noun):
    """A tenants file."""

    name: Name
    source: str = ""
    """Where it is from, when it is published."""
    machine: Annotated[
        MachineShape | None,
        BeforeValidator(described, json_schema_input_type=str | MachineShape),
    ] = None
    """host: this machine, or the recorded one; a name of `planecast machine list`, or a YAML file
    of `planecast machine probe`: one socket of it; or a section that describes one."""
    tenants: Annotated[tuple[Tenant, ...], BeforeValidator(listed), Field(min_length=1)]
    classes: Annotated[tuple[ClassRequest, ...], BeforeValidator(listed)] = ()
    """The division itself, when it isn't the plan's to choose."""
    paths: Annotated[tuple[PathOf, ...], BeforeValidator(listed)] = ()

    @model_validator(mode="after")
    def _agrees(self) -> Self:
        names = [tenant.name for tenant in self.tenants]
        for name in names:
            if names.count(name) > 1:
                raise ValueError(f"two tenants are called {name}")
        for path in self.paths:
            for leg in path.legs:
                if leg.tenant not in names:
                    raise ValueError(f"path {path.name} names {leg.tenant}, which is not a tenant")
        self._check_classes()
        return self

    def _check_classes(self) -> None:
        known = [request.number for request in self.classes]
        if len(set(known)) < len(known):
            raise ValueError("a class of service appears twice")
        for tenant in self.tenants:
            if known and tenant.service not in known:
                raise ValueError(
                    f"tenant {tenant.name} has the class {tenant.service}, which is not under "
                    "classes: with classes given, every tenant needs one of them as service"
                )

    @property
    def frames(self) -> tuple[int, ...]:
        """Every frame size that is asked about, ascending."""
        return tuple(sorted({size for path in self.paths for size in path.frames})) or (64,)

    def tenant(self, name: str) -> Tenant:
        """The tenant of this name."""
        return next(tenant for tenant in self.tenants if tenant.name == name)


def load_tenancy(path: str | Path) -> Tenancy:
    """The tenants file `path`. Raises InputError with file and line for whatever is wrong."""
    document = read_document(path)
    place = document.where
    tenancy = validated(Tenancy, document.data, place)
    taken: dict[int, str] = {}
    for number, tenant in enumerate(tenancy.tenants):
        for cpu in parse_cpus(tenant.cpus) if tenant.cpus else ():
            if cpu in taken:
                raise InputError(
                    f"CPU {cpu} is {tenant.name}'s and {taken[cpu]}'s",
                    place(("tenants", number, "cpus")),
                    "give it to one of them",
                )
            taken[cpu] = tenant.name
    return tenancy
