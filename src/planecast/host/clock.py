"""The time-stamp counter."""

from __future__ import annotations

import re
from collections.abc import Iterator

from planecast.host.check import Check
from planecast.host.root import Root


def check_clock(root: Root) -> Iterator[Check]:
    """Whether TSC cycles are a unit of time here."""
    yield _tsc(root)


def tsc_hz(root: Root) -> tuple[float, str] | None:
    """The TSC's frequency in Hz and where that is from; None when the system doesn't report."""
    exact = root.number("sys/devices/system/cpu/cpu0/tsc_freq_khz")
    if exact:
        return exact * 1e3, "kernel"
    model = re.search(r"@ ([0-9.]+)GHz", " ".join(root.cpuinfo("model name")[:1]))
    if model:
        return float(model[1]) * 1e9, "model name"
    megahertz = root.cpuinfo("cpu MHz")
    if megahertz and "hypervisor" in root.cpu_flags():
        # A hypervisor shows the TSC's frequency here; bare metal shows the core's current one.
        return float(megahertz[0]) * 1e6, "hypervisor"
    return None


def _tsc(root: Root) -> Check:
    flags = root.cpu_flags()
    steady = {"constant_tsc", "nonstop_tsc"} & flags
    known = tsc_hz(root)
    rate = f"{known[0] / 1e9:.3f} GHz ({known[1]})" if known else "frequency not reported"
    found = f"TSC {rate}" + "".join(f", {flag}" for flag in sorted(steady))
    if "tsc" not in flags and flags:
        return Check(
            "clock", "missing", "no TSC", "cycles can't be measured", "use an x86-64 machine"
        )
    if len(steady) == 2:
        return Check("clock", "good", found, "TSC cycles are a unit of time, on every CPU alike")
    return Check(
        "clock",
        "limits",
        found,
        "the TSC may change its speed or stop when a CPU sleeps, so cycles are not time",
        "keep the CPUs busy (idle=poll) or use a newer machine",
    )
