"""Cores, hyper-thread siblings, isolated CPUs."""

from __future__ import annotations

from collections.abc import Iterator

from planecast.host.check import Check
from planecast.host.cpu_list import kernel_cpus
from planecast.host.root import Root


def check_cpus(root: Root) -> Iterator[Check]:
    """How many cores there are to forward on, and who shares them."""
    siblings = sibling_lists(root)
    online = sum(len(kernel_cpus(text)) for text in siblings) or len(root.cpuinfo("processor"))
    model = (root.cpuinfo("model name") or ["CPU of unknown model"])[0]
    found = f"{model}, {online} CPUs online"
    if online >= 2:
        yield Check("cores", "good", found, "one CPU controls, the others can forward")
    else:
        yield Check(
            "cores",
            "limits",
            found,
            "the forwarding lcore shares its CPU with everything else, so results scatter",
            "use a machine with two CPUs or more",
        )
    yield _smt(root, siblings)
    yield _isolated(root)


def sibling_lists(root: Root) -> list[str]:
    """The CPU lists of the physical cores, such as ``["0,4", "1,5"]``."""
    paths = root.paths("sys/devices/system/cpu/cpu[0-9]*/topology/thread_siblings_list")
    texts = [root.text(str(path.relative_to(root.path))) for path in paths]
    return sorted({text for text in texts if text})


def _smt(root: Root, siblings: list[str]) -> Check:
    shared = [text for text in siblings if len(kernel_cpus(text)) > 1]
    if shared:
        return Check(
            "hyper-threads",
            "limits",
            "siblings " + " ".join(shared[:4]) + (" …" if len(shared) > 4 else ""),
            "a busy sibling raises a packet's cycles by a factor of 1.3 to 1.5",
            "leave the siblings of forwarding CPUs idle, or switch hyper-threading off",
        )
    if "hypervisor" in root.cpu_flags():
        return Check(
            "hyper-threads",
            "limits",
            "none exposed to this virtual machine",
            "another machine's thread may be the sibling of yours: canaries mark such trials",
            "ask for whole cores, or measure longer",
        )
    return Check("hyper-threads", "good", "none", "a core's units are one thread's alone")


def _isolated(root: Root) -> Check:
    isolated = root.text("sys/devices/system/cpu/isolated")
    if isolated:
        return Check("isolated CPUs", "good", isolated, "the scheduler puts nothing else there")
    return Check(
        "isolated CPUs",
        "limits",
        "none",
        "other processes and the timer interrupt the forwarding CPUs; such trials are left out",
        "boot with isolcpus=1 nohz_full=1 rcu_nocbs=1 for the forwarding CPUs",
    )
