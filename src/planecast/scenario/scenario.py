"""Scenario: one question to any engine; machine, workload, traffic and placement together."""

from __future__ import annotations

import re
from itertools import count, islice
from typing import Annotated

from pydantic import AfterValidator, ValidationInfo, WithJsonSchema, field_validator

from planecast.errors import InputError
from planecast.scenario.accelerator import Accelerator
from planecast.scenario.dataplane import DataplaneUnderTest
from planecast.scenario.interference import Interference
from planecast.scenario.load_generator import LoadGeneratorChoice
from planecast.scenario.machine import machine_of
from planecast.scenario.model import Noun
from planecast.scenario.neighbour import Neighbour
from planecast.scenario.nic import Nic
from planecast.scenario.placement import Placement
from planecast.scenario.shares import stage_shares
from planecast.scenario.traffic import Traffic
from planecast.scenario.workload import FUNCTIONS, Workload

_VPP_GRAPHS = ("l2patch", "l2bridge", "ip4")
"""Kinds of workload that VPP has a graph for."""
_NAME = r"[A-Za-z0-9][A-Za-z0-9._-]{0,63}"


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
    machine: Name = "host"
    """Machine it runs on: host is the one planecast runs on; others are of the catalogue, and for
    the model alone (`planecast machine list`)."""
    workload: Workload = Workload()
    """What is done to each packet."""
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
    """What runs on other CPUs beside the data plane."""
    dataplane: DataplaneUnderTest = DataplaneUnderTest()
    """The program under test, for searches."""
    generator: LoadGeneratorChoice = LoadGeneratorChoice()
    """Who sends, in searches."""

    @field_validator("machine")
    @classmethod
    def _known_machine(cls, machine: str) -> str:
        if machine != "host":
            try:
                machine_of(machine)
            except InputError as error:
                raise ValueError(f"{error.what}; {error.what_to_do}") from None
        return machine

    @field_validator("placement")
    @classmethod
    def _fits_machine(cls, placement: Placement, info: ValidationInfo) -> Placement:
        name = info.data.get("machine", "host")  # absent when it was refused itself
        if name == "host":
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
        cores = machine.values.cores.value
        if len(placement.cpus) > cores:
            raise ValueError(
                f"{len(placement.cpus)} lcores are more than the {cores:g} cores of a socket of "
                f"{machine.title}"
            )
        return placement

    @field_validator("placement")
    @classmethod
    def _cut_at_stages(cls, placement: Placement, info: ValidationInfo) -> Placement:
        workload = info.data.get("workload")  # absent when it was refused itself
        if workload is None:
            return placement
        places = (*FUNCTIONS[workload.kind], "tx")
        typed = ",".join(placement.cuts)
        if list(placement.cuts) != [name for name in places if name in placement.cuts]:
            raise ValueError(
                f"got cuts '{typed}', but {workload.kind} can be cut, in this order and at each "
                "place once, before " + ",".join(places)
            )
        if len(placement.cpus) % placement.segments:
            raise ValueError(
                f"{len(placement.cpus)} lcores can't be shared evenly by the "
                f"{placement.segments} segments that the cuts '{typed}' make"
            )
        return placement

    @field_validator("traffic")
    @classmethod
    def _every_flow_has_an_entry(cls, traffic: Traffic, info: ValidationInfo) -> Traffic:
        # More active flows than entries would measure misses, and call them a fast router.
        workload = info.data.get("workload")  # absent when it was refused itself
        active = traffic.active_flows
        if workload is not None and active > workload.flows:
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

    @field_validator("nic")
    @classmethod
    def _ports_share_lcores(cls, nic: Nic, info: ValidationInfo) -> Nic:
        placement = info.data.get("placement")  # absent when it was refused itself
        if placement is not None and len(placement.chains) % nic.port_count:
            raise ValueError(
                f"{len(placement.chains)} receive queues, one for each lcore that takes packets, "
                f"can't be shared evenly by {nic.port_count} ports"
            )
        return nic

    @field_validator("neighbour")
    @classmethod
    def _beside(cls, neighbour: Neighbour, info: ValidationInfo) -> Neighbour:
        placement, machine = info.data.get("placement"), info.data.get("machine")
        if placement is not None and neighbour.busy and neighbour.cpu in placement.cpus:
            raise ValueError(f"the data plane forwards on CPU {neighbour.cpu} itself")
        if machine is not None:
            _check_ways(neighbour, machine)
        return neighbour

    @field_validator("dataplane")
    @classmethod
    def _vpp_has_a_graph(
        cls, dataplane: DataplaneUnderTest, info: ValidationInfo
    ) -> DataplaneUnderTest:
        workload = info.data.get("workload")  # absent when it was refused itself
        if workload is None or dataplane.kind != "vpp":
            return dataplane
        named = "kind" in workload.model_fields_set
        if dataplane.graph == "workload" and workload.kind not in _VPP_GRAPHS:
            if named:
                raise ValueError(
                    f"vpp has no graph for the workload {workload.kind}; take workload.kind "
                    "l2patch, l2bridge or ip4, or set dataplane.graph to l2xc or ip6"
                )
            # Kept, so that the scenario means the same when it is read again with all its keys.
            return dataplane.model_copy(update={"graph": "l2xc"})
        contradicts = workload.kind in _VPP_GRAPHS and workload.kind != dataplane.graph
        if dataplane.graph != "workload" and contradicts:
            raise ValueError(
                f"got graph '{dataplane.graph}', but workload.kind is {workload.kind}; leave one "
                "of the two out"
            )
        return dataplane

    @field_validator("accelerator")
    @classmethod
    def _serves_a_stage(cls, accelerator: Accelerator, info: ValidationInfo) -> Accelerator:
        workload = info.data.get("workload")
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
            if not set(pair) <= set(placement.cpus):
                raise ValueError(
                    f"got siblings {pair[0]}+{pair[1]}, but the forwarding lcores are "
                    f"{placement.lcores}"
                )
        return interference

    @property
    def vpp_graph(self) -> str:
        """What VPP forwards by: l2xc, l2patch, l2bridge, ip4 or ip6."""
        graph = self.dataplane.graph
        return self.workload.kind if graph == "workload" else graph

    @property
    def neighbour_cpus(self) -> tuple[int, ...]:
        """The neighbours' CPUs: as many as there are neighbours, of those that don't forward, from
        the one that was told or the first on."""
        if not self.neighbour.busy:
            return ()
        taken = set(self.placement.cpus)
        free = (cpu for cpu in count(self.neighbour.cpu or 0) if cpu not in taken)
        return tuple(islice(free, self.neighbour.cores))


def _check_ways(neighbour: Neighbour, machine: str) -> None:
    """Raises ValueError for more ways of a last cache level than there are, or are known."""
    if neighbour.ways is None:
        return
    if machine == "host":
        raise ValueError(
            "nobody knows how many ways this host's last level has; leave ways out, or name a "
            "machine of the catalogue"
        )
    found = machine_of(machine)
    if neighbour.ways > found.values.llc_ways.value:
        raise ValueError(
            f"got ways {neighbour.ways}, but the last level of {found.title} has "
            f"{found.values.llc_ways.value:g} ways"
        )
