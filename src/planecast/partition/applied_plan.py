"""A plan that is verified: applied during some visits, undone after each; and what it predicts."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from planecast.errors import InputError
from planecast.host.root import Root
from planecast.host.topology import Topology
from planecast.partition.apply import HERE, apply, undo
from planecast.partition.division import Service, Share
from planecast.partition.neighbour_prediction import Parts
from planecast.partition.plan import Plan
from planecast.partition.resctrl_backend import Groups
from planecast.scenario.host_cpus import cpus_here
from planecast.scenario.scenario import Scenario


@dataclass(frozen=True)
class Divided:
    """A plan, and what of it concerns a data plane and its neighbour."""

    plan: Plan
    topology: Topology
    """Of the machine that it is for."""
    own: Service
    """The data plane's class."""
    other: Service
    """The neighbour's."""
    lacking: str
    """Why it can't be applied here; empty when it can."""
    groups: Groups | None = None
    """What it is applied through."""
    state: Path | None = None
    root: Root = HERE

    @contextmanager
    def applied(self) -> Iterator[None]:
        """Divided during the block, and as it was after it. Raises as `apply` and `undo` do."""
        assert self.groups is not None
        assert self.state is not None
        apply(self.plan, self.topology, self.groups, self.state, self.root)
        try:
            yield
        finally:
            undo(self.groups, self.state, self.root)

    def parts(self) -> Parts:
        """What both have of the last level. Ways that both may fill count as half of either's."""
        cache = self.topology.rdt.l3
        if cache is None:
            return Parts(1.0, 1.0, self._held_back())
        own, other = (service.l3 or cache.mask for service in (self.own, self.other))
        both = (own & other).bit_count() / 2
        ways = [(mask.bit_count() - both) / cache.ways for mask in (own, other)]
        return Parts(ways[0], ways[1], self._held_back())

    def _held_back(self) -> float:
        """By the neighbour's limit; AMD's, in GB/s, needs its rate and isn't known here."""
        band, limit = self.topology.rdt.bandwidth, self.other.bandwidth
        if band is None or limit is None or band.unit != "percent":
            return 1.0
        return 100 / max(1, limit)


def concerning(
    plan: Plan, topology: Topology, here: Topology, scenario: Scenario, cpu: int
) -> Divided:
    """The plan as it concerns a scenario's data plane and a neighbour on `cpu`.

    On the machine that it is for they are known by their CPUs, on others by their roles. Raises
    InputError for a plan that gives their CPUs to nobody, or both to one class.
    """
    if plan.fingerprint == here.fingerprint:
        own = _of_cpus(plan, cpus_here(scenario), "the data plane")
        other = _of_cpus(plan, (cpu,), "the neighbour")
        rdt = here.rdt
        lacking = "" if rdt.caches or rdt.bandwidth else _nothing(here)
    else:
        own, other = _of_role(plan, "dataplane"), _of_role(plan, "neighbour")
        lacking = f"the plan is for another machine, {plan.machine}"
    if own.service == other.service and not lacking:
        raise InputError(
            f"the plan puts {own.tenant} and {other.tenant} into one class: there is nothing to "
            "compare",
            plan.name,
            "give them different ranks, or classes of their own",
        )
    service = plan.division.service
    return Divided(plan, topology, service(own.service), service(other.service), lacking)


def _nothing(here: Topology) -> str:
    offered = ", ".join(here.rdt.supported)
    if offered and not here.rdt.mounted:
        return f"resctrl is not mounted; this machine has {offered}"
    return "this machine can neither give cache ways nor limit bandwidth"


def _of_cpus(plan: Plan, cpus: tuple[int, ...], who: str) -> Share:
    for share in plan.division.shares:
        if set(cpus) <= set(share.threads):
            return share
    listed = ",".join(map(str, cpus))
    raise InputError(
        f"no tenant of the plan has {who}'s CPUs {listed}", plan.name, "give them to one: cpus"
    )


def _of_role(plan: Plan, role: str) -> Share:
    for share in plan.division.shares:
        if plan.roles.get(share.tenant) == role:
            return share
    raise InputError(f"no tenant of the plan is a {role}", plan.name, f"give one the role {role}")
