"""What of caches, memory and clocks can be divided: RDT and Speed Select."""

from __future__ import annotations

from collections.abc import Iterator

from planecast.host.check import Check
from planecast.host.rdt import RESCTRL
from planecast.host.topology import Topology

_RESCTRL = "Linux, Documentation/arch/x86/resctrl.rst"


def check_partitioning(topology: Topology) -> Iterator[Check]:
    """Cache and bandwidth allocation, cores of higher clock."""
    yield _rdt(topology)
    yield _speed_select(topology)


def _rdt(topology: Topology) -> Check:
    rdt = topology.rdt
    if not rdt.supported:
        words = "neighbours on the socket can't be kept out of the cache: canaries show them"
        return Check("RDT", "note", "not exposed to this machine", words)
    found = ", ".join(rdt.supported)
    if not rdt.mounted:
        return Check(
            "RDT",
            "limits",
            f"{found}; resctrl not mounted",
            "forwarding cores can be given their own cache ways, once it is",
            f"sudo mount -t resctrl resctrl /{RESCTRL}",
            _RESCTRL,
        )
    return Check(
        "RDT", "good", f"{found}; {len(rdt.groups)} groups", "planecast partition plans with it"
    )


def _speed_select(topology: Topology) -> Check:
    fast = [core for core in topology.cores if core.frequency.priority == "high"]
    if fast:
        clock = max(core.frequency.base_mhz for core in fast)
        cpus = " ".join(str(core.first) for core in fast)
        return Check(
            "Speed Select",
            "note",
            f"{len(fast)} of {len(topology.cores)} cores at {clock} MHz: {cpus}",
            "forward on these: placement.cpus",
        )
    clocks = {core.frequency.base_mhz for core in topology.cores}
    found = "all cores have one base clock" if clocks != {0} else "base clocks not reported"
    return Check("Speed Select", "note", found, "no core has priority over the others")
