"""Scenario: one question to any engine; machine, workload, traffic and placement together."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Annotated, Any, Self

from pydantic import (
    AfterValidator,
    ValidationInfo,
    WithJsonSchema,
    field_validator,
    model_validator,
)

from planecast.errors import InputError
from planecast.scenario.accelerator import Accelerator
from planecast.scenario.cpus import format_cpus
from planecast.scenario.dataplane import KINDS, OWN, Dataplane
from planecast.scenario.dataplanes.hosted import NOT_ROUTED, OWN_ALONE, Hosted
from planecast.scenario.dataplanes.own import OwnDataplane
from planecast.scenario.interference import Interference
from planecast.scenario.load_generator import LoadGeneratorChoice
from planecast.scenario.longest_frames import too_long_anywhere
from planecast.scenario.machine import HOST, machine_of
from planecast.scenario.model import Noun
from planecast.scenario.neighbour import Neighbour
from planecast.scenario.nic import Nic
from planecast.scenario.placement import Placement
from planecast.scenario.refusal import refusal
from planecast.scenario.shares import stage_shares
from planecast.scenario.traffic import Traffic
from planecast.scenario.workload import FUNCTIONS, Stage, Workload

_NAME = r"[A-Za-z0-9][A-Za-z0-9._-]{0,63}"

_OF_OURS = ", for it belongs to planecast's own data plane"


def _name(text: str) -> str:
    if re.fullmatch(_NAME, text) is None:
        raise ValueError(f"got '{text}'; a name is 1 to 64 letters, digits and . _ -")
    return text


Name = Annotated[
    str, AfterValidator(_name), WithJsonSchema({"type": "string", "pattern": f"^{_NAME}$"})
]
"""A name that can be part of a file name."""


class Scenario(Noun):
    """A configuration whose performance is asked for. Every engine takes one and gives a Result."""

    name: Name
    """Short name; it becomes part of the run's folder."""
    machine: Name = HOST
    """Machine it runs on: host is the one planecast runs on; others are of the catalogue, and for
    the model alone (`planecast machine list`)."""
    dataplane: Dataplane = OwnDataplane()
    """The program that forwards. Which other keys there are depends on its kind."""
    workload: Workload = Workload()
    """What planecast's own data plane does to each packet."""
    traffic: Traffic = Traffic()
    """The packets that come in."""
    placement: Placement = Placement()
    """CPUs, bursts, rings and pages."""
    nic: Nic = Nic()
    """The network card, for the simulator."""
    accelerator: Accelerator = Accelerator()
    """A device that serves a stage, for the simulator."""
    interference: Interference = Interference()
    """What takes time away from lcores, for the simulator."""
    neighbour: Neighbour = Neighbour()
    """What runs on other CPUs next to the data plane."""
    generator: LoadGeneratorChoice = LoadGeneratorChoice()
    """Who sends, in searches."""

    @field_validator("machine")
    @classmethod
    def _known_machine(cls, machine: str) -> str:
        if machine != HOST:
            try:
                machine_of(machine)
            except InputError as error:
                raise ValueError(f"{error.what}; {error.what_to_do}") from None
        return machine

    @field_validator(*dict.fromkeys(key.partition(".")[0] for key in NOT_ROUTED), mode="before")
    @classmethod
    def _applies(cls, value: Any, info: ValidationInfo) -> Any:
        # Called for what is typed: a default is no claim.
        kind, name = _kind(info), str(info.field_name)
        for key in KINDS[kind].lacks if kind is not None else ():
            section, _, inner = key.partition(".")
            if section != name or (inner and not _says(value, inner)):
                continue
            raise refusal(
                (inner,) if inner else (),
                f"does not apply to {kind}" + (_OF_OURS if key in OWN_ALONE else ""),
                "leave it out",
            )
        return value

    @model_validator(mode="after")
    def _no_more_than_applies(self) -> Self:
        for key in self.dataplane.lacks:
            section, _, inner = key.partition(".")
            if not inner:
                self.drop(section)
            elif inner in (part := self.__dict__[section]).__dict__:
                self.__dict__[section] = part.copy_without(inner)
        return self

    @field_validator("placement")
    @classmethod
    def _fits_machine(cls, placement: Placement, info: ValidationInfo) -> Placement:
        name = info.data.get("machine", HOST)  # absent when it was refused itself
        if name == HOST:
            return placement
        machine = machine_of(name)
        ways = machine.values.llc_ways.value
        if placement.llc_ways is not None and placement.llc_ways > ways:
            raise ValueError(
                f"got llc_ways {placement.llc_ways}, but the last level of {machine.title} has "
                f"{ways:g} ways"
            )
        if placement.core_priority != "none" and machine.values.high_priority_ghz is None:
            raise ValueError(
                f"got core_priority {placement.core_priority}, but {machine.title} has no classes"
            )
        places, what = machine.values.cores.value, "cores"
        if placement.busy_siblings:
            places, what = places * machine.values.threads_per_core.value, "threads"
        if placement.lcores > places:
            raise ValueError(
                f"{placement.lcores} lcores are more than the {places:g} {what} of a socket of "
                f"{machine.title}"
            )
        return placement

    @field_validator("placement")
    @classmethod
    def _cut_at_stages(cls, placement: Placement, info: ValidationInfo) -> Placement:
        workload = _workload(info)
        if workload is None:
            return placement
        places = (*FUNCTIONS[workload.kind], "tx")
        typed = ",".join(placement.cuts)
        if list(placement.cuts) != [name for name in places if name in placement.cuts]:
            raise ValueError(
                f"got cuts '{typed}', but {workload.kind} can be cut, in this order and at each "
                "place once, before " + ",".join(places)
            )
        if placement.lcores % placement.segments:
            raise ValueError(
                f"{placement.lcores} lcores can't be shared evenly by the "
                f"{placement.segments} segments that the cuts '{typed}' make"
            )
        return placement

    @field_validator("traffic")
    @classmethod
    def _every_flow_has_an_entry(cls, traffic: Traffic, info: ValidationInfo) -> Traffic:
        # More active flows than entries would measure misses, and call them a fast router.
        workload = _workload(info)
        active = traffic.active_flows
        if workload is not None and active > workload.most_active_flows:
            lower = "traffic.flows" if traffic.classes == "none" else "those of classes"
            raise ValueError(
                f"{active} flows are active, more than the {workload.flows} entries of the "
                f"flow table; raise workload.flows or lower {lower}"
            )
        stages = () if workload is None else workload.stages
        absent = [name for name in stage_shares(traffic.dropped) if name not in stages]
        if workload is not None and absent:
            raise ValueError(
                f"packets are dropped in '{absent[0]}', but the stages that run are "
                + (", ".join(stages) or "none")
            )
        return traffic

    @field_validator("traffic")
    @classmethod
    def _frames_pass(cls, traffic: Traffic, info: ValidationInfo) -> Traffic:
        dataplane = info.data.get("dataplane")  # absent when it was refused itself
        why_not = "" if dataplane is None else too_long_anywhere(dataplane, traffic)
        if why_not:
            raise ValueError(f"{why_not}; lower traffic.frame_bytes")
        return traffic

    @field_validator("nic")
    @classmethod
    def _ports_share_lcores(cls, nic: Nic, info: ValidationInfo) -> Nic:
        placement = info.data.get("placement")  # absent when it was refused itself
        if placement is None or _kind(info) != OWN:
            return nic
        if len(placement.chains) % nic.port_count:
            raise ValueError(
                f"{len(placement.chains)} receive queues, one for each lcore that takes packets, "
                f"can't be shared evenly by {nic.port_count} ports"
            )
        return nic

    @field_validator("neighbour")
    @classmethod
    def _neighbour_fits(cls, neighbour: Neighbour, info: ValidationInfo) -> Neighbour:
        placement, machine = info.data.get("placement"), info.data.get("machine")
        named = placement.numbers if placement is not None and placement.cpus is not None else ()
        if neighbour.busy and neighbour.cpu in named:
            raise ValueError(f"the data plane forwards on CPU {neighbour.cpu} itself")
        if machine is not None:
            _check_ways(neighbour, machine)
        return neighbour

    @field_validator("accelerator")
    @classmethod
    def _serves_a_stage(cls, accelerator: Accelerator, info: ValidationInfo) -> Accelerator:
        workload = _workload(info)
        if workload is None or accelerator.stage in ("none", *workload.stages):
            return accelerator
        raise ValueError(
            f"got stage '{accelerator.stage}', but the stages that run are "
            + (", ".join(workload.stages) or "none")
        )

    @field_validator("interference")
    @classmethod
    def _siblings_forward(cls, interference: Interference, info: ValidationInfo) -> Interference:
        placement = info.data.get("placement")
        if placement is None:
            return interference
        for pair in interference.pairs:
            if not set(pair) <= set(placement.numbers):
                raise ValueError(
                    f"got siblings {pair[0]}+{pair[1]}, but the forwarding lcores are "
                    + format_cpus(placement.numbers)
                )
        return interference

    @property
    def forwards(self) -> str:
        """What forwards: the network function of planecast's own data plane, or another."""
        return self.workload.kind if self.dataplane.kind == OWN else self.dataplane.subject

    @property
    def started(self) -> Hosted:
        """The data plane that a search starts. Raises InputError for one that is there already."""
        if isinstance(self.dataplane, Hosted):
            return self.dataplane
        raise InputError(
            "an external data plane is already running: nothing is started",
            "dataplane.kind",
            "name a program",
        )

    @property
    def stages(self) -> tuple[Stage, ...]:
        """The stages of planecast's own data plane that run; none for others."""
        return self.workload.stages if self.dataplane.kind == OWN else ()

    @property
    def all_stages(self) -> tuple[str, ...]:
        """The same with those that every pipeline begins and ends with."""
        return ("source", *self.stages, "tx")

    def in_bursts(self, burst: int) -> Self:
        """The same in bursts of so many packets at most."""
        placement = self.placement.model_copy(update={"burst": burst})
        return self.model_copy(update={"placement": placement})


def _kind(info: ValidationInfo) -> str | None:
    """The kind of data plane; None where it was refused itself."""
    dataplane = info.data.get("dataplane")
    return None if dataplane is None else str(dataplane.kind)


def _workload(info: ValidationInfo) -> Workload | None:
    """What planecast's own data plane does; None for another's, and where it was refused itself."""
    return info.data.get("workload") if _kind(info) == OWN else None


def _says(section: Any, key: str) -> bool:
    """Whether a section, as data or as a noun, has a key typed."""
    typed = section if isinstance(section, Mapping) else getattr(section, "model_fields_set", ())
    return key in typed


def _check_ways(neighbour: Neighbour, machine: str) -> None:
    """Raises ValueError for more ways of a last cache level than there are, or are known."""
    if neighbour.ways is None:
        return
    if machine == HOST:
        raise ValueError(
            "the number of ways of this host's last level is not known; leave ways out, or name a "
            "machine of the catalogue"
        )
    found = machine_of(machine)
    if neighbour.ways > found.values.llc_ways.value:
        raise ValueError(
            f"got ways {neighbour.ways}, but the last level of {found.title} has "
            f"{found.values.llc_ways.value:g} ways"
        )
