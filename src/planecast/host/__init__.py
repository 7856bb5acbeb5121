"""Room `host`: what this machine is, and what of it helps or hinders measuring.

At the bottom of the import order, with `catalog`: it reads proc and sys, and knows no noun. The
checks load when they are asked for: most verbs want a CPU list alone.
"""

from collections.abc import Iterator
from pathlib import Path

from planecast.host.check import Check, Setting
from planecast.host.root import Root

__all__ = ["Check", "Root", "Setting", "examine"]


def examine(root: Root, runs: Path = Path("runs"), steal_sample_s: float = 1.0) -> Iterator[Check]:
    """Every check, in the order a reader wants them; takes `steal_sample_s` seconds."""
    from planecast.host.cards import check_cards
    from planecast.host.clock import check_clock
    from planecast.host.clock_rate import check_clock_rate
    from planecast.host.counters import check_counters
    from planecast.host.cpus import check_cpus
    from planecast.host.dimms import check_dimms
    from planecast.host.disturbance import check_disturbance
    from planecast.host.jitter import check_jitter
    from planecast.host.memory import check_memory
    from planecast.host.nodes import check_nodes
    from planecast.host.partitioning import check_partitioning
    from planecast.host.software import check_software
    from planecast.host.topology import read_topology

    topology = read_topology(root)
    yield from check_cpus(root)
    yield from check_clock_rate(root)
    yield from check_jitter(root)
    yield from check_memory(root, runs)
    yield from check_nodes(root, topology)
    yield from check_dimms(root)
    yield from check_cards(root, topology.nics)
    yield from check_partitioning(topology)
    yield from check_clock(root)
    yield from check_counters(root)
    yield from check_disturbance(root, steal_sample_s)
    folder = None if root.live else root.path / "usr/lib/planecast"
    yield from check_software(root, folder)
