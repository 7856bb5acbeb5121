"""A plan as the commands of other tools."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Literal

from planecast.host.topology import Topology
from planecast.partition.division import Division, Service, Share
from planecast.partition.plan import Plan
from planecast.partition.schemata import schemata_of
from planecast.scenario.cpus import format_cpus

Form = Literal["pqos", "resctrl", "taskset", "cgroup", "ovs", "dpdk", "sst"]

RESCTRL = "/sys/fs/resctrl"
PREFIX = "planecast"
"""Begins the name of every group that is made."""


def show(plan: Plan, form: Form, topology: Topology | None = None) -> list[str]:
    """The lines of a plan in this form. `topology` is the machine's, where cache domains, nodes and
    clocks are needed."""
    division = plan.division
    forms: dict[Form, Iterable[str]] = {
        "pqos": pqos(division),
        "resctrl": _resctrl(division, topology),
        "taskset": _taskset(division),
        "cgroup": _cgroup(division, topology),
        "ovs": _ovs(plan),
        "dpdk": _dpdk(plan),
        "sst": _sst(division, topology),
    }
    return list(forms[form])


def _taskset(division: Division) -> Iterator[str]:
    for share in division.shares:
        yield f"taskset -c {format_cpus(share.busy)} COMMAND  # {share.tenant}"


def pqos(division: Division) -> Iterator[str]:
    """As Intel's pqos takes them. The default class's cores are ranges; the others' are core by
    core in the tenants' order, their siblings in a command of its own."""
    ways = "".join(f"llc:{s.number}={s.l3:#x};" for s in division.services if s.l3 is not None)
    limits = "".join(
        f"mba:{s.number}={s.bandwidth};" for s in division.services if s.bandwidth is not None
    )
    if ways:
        yield f'pqos -e "{ways}"'
    if limits:
        yield f'pqos -e "{limits}"'
    default = division.cpus_of(0)
    if default:
        yield f'pqos -a "llc:0={format_cpus(default)}"'
    for siblings in (False, True):
        parts = []
        for service in division.services:
            cpus = [
                cpu
                for share in division.shares
                if share.service == service.number != 0
                for cpu in (share.siblings if siblings else share.cores)
            ]
            if cpus:
                parts.append(f"llc:{service.number}={','.join(map(str, cpus))}")
        if parts:
            yield f'pqos -a "{";".join(parts)}"'


def group_name(service: Service) -> str:
    """The resctrl group of a class that isn't the default one."""
    return f"{PREFIX}-{service.number}"


def _resctrl(division: Division, topology: Topology | None) -> Iterator[str]:
    for service in division.services:
        place = RESCTRL
        if service.number:
            place = f"{RESCTRL}/{group_name(service)}"
            yield f"mkdir {place}"
        for line in schemata_of(service, topology.rdt if topology else None).splitlines():
            yield f"echo '{line}' > {place}/schemata"
        if service.number and division.cpus_of(service.number):
            yield f"echo {format_cpus(division.cpus_of(service.number))} > {place}/cpus_list"


def _cgroup(division: Division, topology: Topology | None) -> Iterator[str]:
    yield "echo +cpuset > /sys/fs/cgroup/cgroup.subtree_control"
    for share in division.shares:
        place = f"/sys/fs/cgroup/{PREFIX}-{share.tenant}"
        yield f"mkdir {place}"
        yield f"echo {format_cpus(share.threads)} > {place}/cpuset.cpus"
        yield f"echo {format_cpus(_nodes(share, topology))} > {place}/cpuset.mems"


def _nodes(share: Share, topology: Topology | None) -> set[int]:
    cores = [topology.core_of(cpu) for cpu in share.cores] if topology else []
    return {core.node for core in cores if core is not None} or {0}


def _of_role(plan: Plan, *roles: str) -> list[Share]:
    return [share for share in plan.division.shares if plan.roles.get(share.tenant) in roles]


def _mask(cpus: Iterable[int]) -> str:
    return f"{sum(1 << cpu for cpu in cpus):#x}"


def _ovs(plan: Plan) -> Iterator[str]:
    for role, option in (("dataplane", "pmd-cpu-mask"), ("control", "dpdk-lcore-mask")):
        for share in _of_role(plan, role):
            set_ = f"ovs-vsctl set Open_vSwitch . other_config:{option}={_mask(share.busy)}"
            yield f"{set_}  # {share.tenant}: {format_cpus(share.busy)}"


def _dpdk(plan: Plan) -> Iterator[str]:
    for share in _of_role(plan, "dataplane", "vm"):
        yield f"-l {format_cpus(share.busy)} --main-lcore {share.cores[0]}  # {share.tenant}"


def _sst(division: Division, topology: Topology | None) -> Iterator[str]:
    """Clock steps: nothing where no core has priority."""
    cores = topology.cores if topology else ()
    if not any(core.frequency.priority == "high" for core in cores):
        yield "# no core of this machine has priority (SST-BF is off, or not there)"
        return
    yield "intel-speed-select base-freq enable -a"
    for core in cores:
        khz = core.frequency.base_mhz * 1000
        owner = next((s.tenant for s in division.shares if core.first in s.cores), "nobody")
        for cpu in core.threads:
            place = f"/sys/devices/system/cpu/cpu{cpu}/cpufreq"
            yield f"echo {khz} > {place}/scaling_min_freq  # {owner}"
            yield f"echo {khz} > {place}/scaling_max_freq"
