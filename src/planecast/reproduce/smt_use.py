"""What the published forwarders make of a second thread, for predictions of other documents."""

from __future__ import annotations

from planecast.machine.slots import Slots
from planecast.machine.smt import fitted_use
from planecast.reproduce.documents import document_of
from planecast.reproduce.provenance import remembered
from planecast.scenario.machine import CoreValues

APPLICATIONS = {
    "testpmd": "testpmd L2 loop",
    "l3fwd": "l3fwd IPv4",
    "vpp-l2-patch": "VPP L2 patch",
    "vpp-l2-mac": "VPP L2 MAC",
    "ovs-l2": "OVS-DPDK L2 cross-connect",
    "vpp-ip4": "VPP IPv4",
}
"""BSDP's six forwarders, by their names in the catalogue."""


def slots_of(application: str, threads: str) -> Slots:
    """Top-down shares of BSDP's Table 9; `threads` is noHT or HT."""
    keys = ("retiring", "bad-speculation", "frontend", "backend")
    document = document_of("bsdp")
    return Slots(*(document.value(f"slots.{threads}.{key}.{application}") for key in keys))


def speedup_of(application: str, clock: str = "2.2GHz") -> float:
    """Published cycles a packet without hyper-threading over those with it."""
    document = document_of("bsdp")
    return document.value(f"cpp.{clock}.noHT.{application}") / document.value(
        f"cpp.{clock}.HT.{application}"
    )


@remembered
def forwarders_use(without: str = "") -> float:
    """Use of empty slots, fitted to all forwarders but `without`, at 2.2 GHz."""
    used = [name for name in APPLICATIONS if name != without]
    return fitted_use(
        [slots_of(name, "noHT") for name in used], [speedup_of(name) for name in used]
    )


def slots_of_cpi(cpi: float, core: CoreValues) -> Slots:
    """Top-down shares where only CPI is known: what isn't retired is the backend's.

    An instruction counts as one micro-operation: fusion and splitting about cancel out in
    forwarders (BSDP: 1.4 instructions a cycle at 34.1 % of four slots).
    """
    retiring = 100 / (cpi * core.issue_width.value)
    return Slots(retiring, 0.0, 0.0, 100 - retiring)
