"""NUMA: large pages on each node, and cards on the node of the cores that poll them."""

from __future__ import annotations

from collections.abc import Iterator

from planecast.host.check import BSDP, Check
from planecast.host.root import Root
from planecast.host.topology import Topology

_SOURCE = f"{BSDP}, §9.7 inter-NUMA interactions"


def check_nodes(root: Root, topology: Topology) -> Iterator[Check]:
    """What lies on which node."""
    yield _pages_by_node(root, topology)
    yield from _cards(topology)


def _pages_by_node(root: Root, topology: Topology) -> Check:
    nodes = [node for node in topology.nodes if node.cpus]
    free = {node.number: _free_mib(root, node.number) for node in nodes}
    found = ", ".join(f"node {number}: {mib} MiB" for number, mib in free.items())
    bare = [number for number, mib in free.items() if mib == 0]
    if len(nodes) < 2:
        return Check("NUMA nodes", "good", "one", "all memory is equally near to every core")
    if not bare or len(bare) == len(nodes):
        words = "buffers can lie next to any core" if not bare else "no node has large pages"
        return Check("NUMA nodes", "good" if not bare else "note", f"free pages on {found}", words)
    return Check(
        "NUMA nodes",
        "limits",
        f"free pages on {found}",
        "cores of a node without large pages take buffers of another: each miss crosses the link",
        "; ".join(
            "echo 512 | sudo tee "
            f"/sys/devices/system/node/node{number}/hugepages/hugepages-2048kB/nr_hugepages"
            for number in bare
        ),
        _SOURCE,
    )


def _free_mib(root: Root, node: int) -> int:
    pools = root.page_pools(f"sys/devices/system/node/node{node}/hugepages")
    free = (kib * (root.number(f"{here}/free_hugepages") or 0) for kib, here in pools.items())
    return sum(free) >> 10


def _cards(topology: Topology) -> Iterator[Check]:
    """Cards next to isolated cores, which are those that will poll them."""
    isolated = {core.node for core in topology.cores if core.isolated}
    placed = [nic for nic in topology.nics if nic.node is not None]
    if len(topology.nodes) < 2 or not placed:
        return
    found = ", ".join(f"{nic.address} on node {nic.node}" for nic in placed)
    far = [nic.address for nic in placed if isolated and nic.node not in isolated]
    if far:
        yield Check(
            "NIC's node",
            "limits",
            f"{found}; isolated cores on node {', '.join(map(str, sorted(isolated)))}",
            "descriptors and packets of a far card cross the link between sockets",
            f"isolate cores of the card's own node for {', '.join(far)}, or move the card",
            _SOURCE,
        )
    else:
        words = "isolated cores are next to them" if isolated else "poll each from its own node"
        yield Check("NIC's node", "good" if isolated else "note", found, words, source=_SOURCE)
