"""In which order this machine's CPUs are best given to forwarding lcores."""

from __future__ import annotations

import os
from collections.abc import Collection

from planecast.host.cpu_list import cpus_of, kernel_cpus
from planecast.host.cpus import sibling_lists
from planecast.host.root import Root


def core_groups(allowed: Collection[int], root: Root) -> list[tuple[int, ...]]:
    """The CPUs of each core that we may use, as the machine shows them."""
    groups = [kernel_cpus(text) for text in sibling_lists(root)]
    known = {cpu for group in groups for cpu in group}
    groups += [(cpu,) for cpu in allowed if cpu not in known]
    mine = [tuple(cpu for cpu in group if cpu in allowed) for group in groups]
    return sorted(group for group in mine if group)


def lcore_order(root: Root) -> tuple[int, ...]:
    """Every CPU that lcores may run on, the best first.

    One thread of each core comes before any second one. Isolated cores come first, and the core of
    the first CPU, which serves interrupts and everything else, last; then one NUMA node after the
    other. Isolated CPUs are not in a process's affinity, but may be used.
    """
    online = cpus_of(root, "sys/devices/system/cpu/online")
    allowed = online if online and not root.live else tuple(os.sched_getaffinity(0))
    lent = cpus_of(root, "sys/fs/cgroup/cpuset.cpus.effective")
    isolated = {*cpus_of(root, "sys/devices/system/cpu/isolated")} & {*(lent or online or allowed)}
    nodes = {
        cpu: number
        for number, path in enumerate(root.paths("sys/devices/system/node/node[0-9]*"))
        for cpu in cpus_of(root, f"{path.relative_to(root.path)}/cpulist")
    }
    groups = core_groups(isolated.union(allowed), root)
    first = groups[0] if groups else ()
    groups.sort(key=lambda g: (not isolated.issuperset(g), g == first, nodes.get(g[0], 0), g))
    threads = max((len(group) for group in groups), default=0)
    return tuple(g[number] for number in range(threads) for g in groups if number < len(g))
