"""CPU lists as the kernel writes them into its files: ``0-3,8``, or nothing."""

from __future__ import annotations

from collections.abc import Iterable

from planecast.host.root import Root


def kernel_cpus(text: str) -> tuple[int, ...]:
    """The CPU numbers of a list, ascending; what is no list reads as empty.

    A person's lists are read by `planecast.scenario.cpus`, which says what is wrong with them.
    """
    found: set[int] = set()
    for part in text.split(","):
        first, _, last = part.strip().partition("-")
        if first.isdecimal():
            found.update(range(int(first), (int(last) if last.isdecimal() else int(first)) + 1))
    return tuple(sorted(found))


def cpus_of(root: Root, name: str) -> tuple[int, ...]:
    """The CPU list that a file such as ``sys/devices/system/cpu/isolated`` holds."""
    return kernel_cpus(root.text(name))


def kernel_list(cpus: Iterable[int]) -> str:
    """The shortest list of these CPUs, as the kernel would write it."""
    runs: list[list[int]] = []
    for cpu in sorted(set(cpus)):
        if runs and cpu == runs[-1][1] + 1:
            runs[-1][1] = cpu
        else:
            runs.append([cpu, cpu])
    return ",".join(str(a) if a == b else f"{a}-{b}" for a, b in runs)
