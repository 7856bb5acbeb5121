"""What the kernel does on forwarding CPUs now and then: timers, callbacks, interrupts."""

from __future__ import annotations

import re
from collections.abc import Iterator

from planecast.host.check import BSDP, Check, Setting
from planecast.host.cpu_list import cpus_of, kernel_cpus, kernel_list
from planecast.host.root import Root

_SOURCE = f"{BSDP}, §10 1.3"
_KERNEL = "Linux, Documentation/timers/no_hz.rst"


def check_jitter(root: Root) -> Iterator[Check]:
    """Each source of interruptions that can be asked for."""
    isolated = frozenset(cpus_of(root, "sys/devices/system/cpu/isolated"))
    yield from _silent(root, isolated)
    yield _interrupts(root, isolated)
    yield from _watchdog(root)
    yield from _balancing(root)
    yield from _clock_source(root)
    yield from _mitigations(root)


def _silent(root: Root, isolated: frozenset[int]) -> Iterator[Check]:
    """nohz_full and rcu_nocbs, for the isolated CPUs; nothing to say while there are none."""
    words = root.text("proc/cmdline").split()
    offloaded = next((w.partition("=")[2] for w in words if w.startswith("rcu_nocbs=")), "")
    there = {
        "nohz_full": root.text("sys/devices/system/cpu/nohz_full").replace("(null)", ""),
        "rcu_nocbs": offloaded,
    }
    what = {
        "nohz_full": "the timer interrupts a busy CPU hundreds of times a second",
        "rcu_nocbs": "the kernel frees its own memory on these CPUs",
    }
    for name, text in there.items():
        # nohz_full implies rcu_nocbs.
        covered = kernel_cpus(text) or kernel_cpus(there["nohz_full"])
        if isolated and isolated.issubset(covered):
            yield Check(name, "good", kernel_list(covered), "covers the isolated CPUs")
        else:
            cpus = kernel_list(isolated) if isolated else "1"
            yield Check(
                name,
                "limits",
                text or "none",
                what[name],
                f"boot with isolcpus={cpus} nohz_full={cpus} rcu_nocbs={cpus}",
                _KERNEL,
            )


def _interrupts(root: Root, isolated: frozenset[int]) -> Check:
    """Device interrupts that may come to isolated CPUs."""
    others = set(cpus_of(root, "sys/devices/system/cpu/online")) - isolated
    there = root.paths("proc/irq/[0-9]*/smp_affinity_list")
    if not isolated or not others:
        return Check(
            "interrupts",
            "note",
            f"{len(there)} that any CPU may take",
            "with isolated CPUs, planecast checks which interrupts they get",
        )
    wrong = []
    for path in there:
        name = str(path.relative_to(root.path))
        # What the kernel does count is the effective mask; it is often one CPU of the allowed.
        effective = root.text(name.replace("smp_affinity_list", "effective_affinity_list"))
        if isolated.intersection(kernel_cpus(effective or root.text(name))):
            wrong.append(name)
    if not wrong:
        return Check(
            "interrupts", "good", "none on the isolated CPUs", "no device interrupts forwarding"
        )
    housekeeping = kernel_list(others)
    return Check(
        "interrupts",
        "limits",
        f"{len(wrong)} of {len(there)} go to isolated CPUs",
        "each costs a forwarding CPU some microseconds and cold caches",
        f"echo {housekeeping} | sudo tee /proc/irq/*/smp_affinity_list, and stop irqbalance",
        _SOURCE,
        tuple(Setting(name, housekeeping) for name in wrong),
    )


def _watchdog(root: Root) -> Iterator[Check]:
    path = "proc/sys/kernel/nmi_watchdog"
    state = root.text(path)
    if not state:
        yield Check("NMI watchdog", "note", "none in this kernel", "it interrupts nothing")
    elif state == "0":
        yield Check("NMI watchdog", "good", "off", "it takes no counter and interrupts nothing")
    else:
        yield Check(
            "NMI watchdog",
            "limits",
            "on",
            "it holds one hardware counter of each CPU and interrupts it",
            "sudo sysctl kernel.nmi_watchdog=0",
            "Linux, Documentation/admin-guide/sysctl/kernel.rst, nmi_watchdog",
            (Setting(path, "0"),),
        )


def _balancing(root: Root) -> Iterator[Check]:
    path = "proc/sys/kernel/numa_balancing"
    state = root.number(path)
    nodes = len(root.paths("sys/devices/system/node/node[0-9]*"))
    if state is None or nodes < 2:
        return
    if state == 0:
        yield Check("NUMA balancing", "good", "off", "no page is unmapped to see who uses it")
    else:
        yield Check(
            "NUMA balancing",
            "limits",
            f"on, {nodes} nodes",
            "the kernel unmaps pages now and then to see who uses them: page faults in the loop",
            "sudo sysctl kernel.numa_balancing=0",
            "Linux, Documentation/admin-guide/sysctl/kernel.rst, numa_balancing",
            (Setting(path, "0"),),
        )


def _clock_source(root: Root) -> Iterator[Check]:
    folder = "sys/devices/system/clocksource/clocksource0"
    current = root.text(f"{folder}/current_clocksource")
    there = root.text(f"{folder}/available_clocksource").split()
    if current in ("tsc", "kvm-clock", "hyperv_clocksource_tsc_page"):
        yield Check("clock source", "good", current, "reading the time takes no system call")
    elif current:
        settings = (Setting(f"{folder}/current_clocksource", "tsc"),) if "tsc" in there else ()
        fix = f"echo tsc | sudo tee /{folder}/current_clocksource" if settings else ""
        yield Check(
            "clock source",
            "limits",
            f"{current}; there are {', '.join(there) or 'no others'}",
            "each reading of the time is a system call or a slow register",
            fix or "boot with tsc=reliable where the TSC is (constant_tsc, nonstop_tsc)",
            "Linux, Documentation/virt/kvm/x86/timekeeping.rst",
            settings,
        )


def _mitigations(root: Root) -> Iterator[Check]:
    files = root.paths("sys/devices/system/cpu/vulnerabilities/*")
    texts = {path.name: root.text(str(path.relative_to(root.path))) for path in files}
    on = sorted(name for name, text in texts.items() if re.match(r"Mitigation", text))
    if not texts:
        return
    words = (
        "they slow system calls and page faults, hardly a polling loop: compare machines with the "
        "same ones"
    )
    if on:
        yield Check("mitigations", "note", f"{len(on)} on: {', '.join(on)}", words)
    else:
        yield Check("mitigations", "note", "none on", "switched off, or the CPU needs none")
