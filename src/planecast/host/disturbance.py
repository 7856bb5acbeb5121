"""What else runs on the cores: a hypervisor, stolen time."""

from __future__ import annotations

import logging
import time
from collections.abc import Iterator

from planecast.host.check import Check
from planecast.host.root import Root

_log = logging.getLogger(__name__)

_STEAL = 7  # eighth number of proc/stat's cpu line: time that the hypervisor gave to others


_CLOCKS = {
    "kvm-clock": "KVM",
    "hyperv_clocksource_tsc_page": "Hyper-V",
    "xen": "Xen",
}
"""Whose clock source the kernel offers, where the firmware has no name (Firecracker, for one)."""


def check_disturbance(root: Root, sample_s: float) -> Iterator[Check]:
    """The hypervisor, and the share of time it took away during `sample_s` seconds."""
    yield _hypervisor(root)
    yield _steal(root, sample_s)


def _hypervisor(root: Root) -> Check:
    vendor = root.text("sys/class/dmi/id/sys_vendor")
    product = root.text("sys/class/dmi/id/product_name")
    name = " ".join(part for part in (vendor, product) if part) or root.text("sys/hypervisor/type")
    clocks = root.text("sys/devices/system/clocksource/clocksource0/available_clocksource").split()
    name = name or next((maker for clock, maker in _CLOCKS.items() if clock in clocks), "")
    if "hypervisor" not in root.cpu_flags():
        return Check("hypervisor", "good", "none", "no other machine shares this hardware")
    return Check(
        "hypervisor",
        "limits",
        name or "present, unnamed",
        "caches, memory and hyper-threads are shared with machines that can't be seen",
        "nothing to do: canaries next to each trial show when neighbours were busy",
    )


def _times(root: Root) -> tuple[int, int] | None:
    """Stolen and all ticks since boot, over all CPUs."""
    line = root.text("proc/stat").partition("\n")[0].split()
    ticks = [int(part) for part in line[1:] if part.isdecimal()]
    # guest time (from the ninth on) is counted in user time already
    return (ticks[_STEAL], sum(ticks[: _STEAL + 1])) if len(ticks) > _STEAL else None


def _steal(root: Root, sample_s: float) -> Check:
    before = _times(root)
    if before is None:
        return Check("steal", "note", "unknown", "the kernel doesn't count stolen time")
    if root.live:
        _log.info("watching stolen time for %g s", sample_s)
        time.sleep(sample_s)
    after = _times(root) or before
    stolen, ticks = after[0] - before[0], after[1] - before[1]
    span = f"over {sample_s:g} s"
    if ticks <= 0:  # a stand-in doesn't move: what it counted since boot
        (stolen, ticks), span = before, "since boot"
    share = 100 * stolen / ticks if ticks else 0.0
    found = f"{share:.1f} % {span}"
    if share < 0.5:
        return Check("steal", "good", found, "the hypervisor takes no CPU time from this machine")
    return Check(
        "steal",
        "limits",
        found,
        "the hypervisor gives the CPUs to others in between; such trials are left out",
        "measure at another time, or longer (--seconds 300)",
    )
