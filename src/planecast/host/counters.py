"""Hardware counters: there, forbidden or hidden. Found out by trying, not by asking."""

from __future__ import annotations

import ctypes
import errno
import os
import platform
from collections.abc import Iterator
from typing import Literal

from planecast.host.check import Check, Setting
from planecast.host.root import Root

Counters = Literal["there", "forbidden", "hidden", "not tried"]

_SYSCALL = {"x86_64": 298, "aarch64": 241}
_ATTR_BYTES = 128
_EXCLUDE_KERNEL_AND_HYPERVISOR = (1 << 5) | (1 << 6)  # perf_event_attr's flag bits 5 and 6


def hardware_counters() -> Counters:
    """Whether this process can count its own core cycles with a hardware counter."""
    number = _SYSCALL.get(platform.machine())
    if number is None or platform.system() != "Linux":
        return "not tried"
    attributes = bytearray(_ATTR_BYTES)  # type 0: hardware; config 0: core cycles
    attributes[4:8] = _ATTR_BYTES.to_bytes(4, "little")
    attributes[40:48] = _EXCLUDE_KERNEL_AND_HYPERVISOR.to_bytes(8, "little")
    libc = ctypes.CDLL(None, use_errno=True)
    libc.syscall.restype = ctypes.c_long
    buffer = (ctypes.c_char * _ATTR_BYTES).from_buffer(attributes)
    descriptor = libc.syscall(
        ctypes.c_long(number),
        ctypes.byref(buffer),
        ctypes.c_int(0),
        ctypes.c_int(-1),
        ctypes.c_int(-1),
        ctypes.c_ulong(0),
    )
    if descriptor < 0:
        refused = ctypes.get_errno() in (errno.EACCES, errno.EPERM)
        return "forbidden" if refused else "hidden"
    try:
        sum(range(10_000))
        counted = int.from_bytes(os.read(descriptor, 8), "little")
    except OSError:
        counted = 0
    finally:
        os.close(descriptor)
    # Some hypervisors let a counter be opened that never counts.
    return "there" if counted > 0 else "hidden"


def check_counters(root: Root, found: Counters | None = None) -> Iterator[Check]:
    """What can be counted; `found` stands in for trying."""
    counters = found or (hardware_counters() if root.live else "not tried")
    paranoid = root.number("proc/sys/kernel/perf_event_paranoid")
    level = "" if paranoid is None else f" (perf_event_paranoid {paranoid})"
    instead = "instructions are counted by callgrind or single-stepping, misses by the cache model"
    if counters == "there":
        yield Check("counters", "good", f"there{level}", "instructions and misses can be counted")
    elif counters == "forbidden":
        yield Check(
            "counters",
            "limits",
            f"forbidden{level}",
            instead,
            "sudo sysctl kernel.perf_event_paranoid=1",
            "Linux, Documentation/admin-guide/perf-security.rst",
            (Setting("proc/sys/kernel/perf_event_paranoid", "1"),) if paranoid is not None else (),
        )
    elif counters == "hidden":
        fix = "ask for a machine whose hypervisor exposes them (vPMU), or for bare metal"
        yield Check("counters", "limits", f"hidden{level}", instead, fix)
    else:
        yield Check("counters", "note", f"not tried{level}", instead)
