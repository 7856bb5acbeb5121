"""Whether a core's clock stands still: governor, turbo, sleep states."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from planecast.host.check import BSDP, Check, Setting
from planecast.host.root import Root

_CPU = "sys/devices/system/cpu"
_SOURCE = f"{BSDP}, §10 1.1, §13.3"
_DEEP_US = 10
"""A packet every 10 µs is 0.1 Mpps: who sleeps longer than that to wake up, loses packets."""


def check_clock_rate(root: Root) -> Iterator[Check]:
    """What changes a core's clock under a measurement."""
    yield _governor(root)
    yield from _turbo(root)
    yield from _sleep(root)


def _governor(root: Root) -> Check:
    files = root.paths(f"{_CPU}/cpu[0-9]*/cpufreq/scaling_governor")
    names = {_below(root, path): root.text(_below(root, path)) for path in files}
    if not any(names.values()):
        return Check(
            "frequency",
            "note",
            "not exposed to this machine",
            "the core's clock may differ from the TSC's and change: canaries show when it does",
        )
    slow = [path for path, governor in names.items() if governor != "performance"]
    found = ", ".join(sorted(set(names.values())))
    if not slow:
        return Check(
            "frequency",
            "good",
            f"governor {found} on {len(names)} CPUs",
            "the core runs as fast as it is allowed to",
            source=_SOURCE,
        )
    return Check(
        "frequency",
        "limits",
        f"governor {found}; not performance on {len(slow)} of {len(names)} CPUs",
        "the core changes its clock with load, so the same work costs other TSC cycles",
        f"echo performance | sudo tee /{_CPU}/cpu*/cpufreq/scaling_governor",
        _SOURCE,
        tuple(Setting(path, "performance") for path in slow),
    )


def _turbo(root: Root) -> Iterator[Check]:
    places = {f"{_CPU}/intel_pstate/no_turbo": "1", f"{_CPU}/cpufreq/boost": "0"}
    for path, off in places.items():
        now = root.text(path)
        if not now:
            continue
        if now == off:
            yield Check("turbo", "good", "off", "the clock is the same in each run", source=_SOURCE)
        else:
            yield Check(
                "turbo",
                "limits",
                "on",
                "the clock depends on heat and on what other cores do: two runs differ by it",
                f"echo {off} | sudo tee /{path}",
                _SOURCE,
                (Setting(path, off),),
            )
        return
    words = "the clock may depend on heat and on other cores: canaries show when it does"
    yield Check("turbo", "note", "not exposed to this machine", words)


def _sleep(root: Root) -> Iterator[Check]:
    """C-states that take long to leave, where they are allowed."""
    deep: list[str] = []
    worst_us, name = 0, ""
    states = root.paths(f"{_CPU}/cpu[0-9]*/cpuidle/state[0-9]*")
    for state in states:
        here = _below(root, state)
        latency_us = root.number(f"{here}/latency") or 0
        if latency_us <= _DEEP_US or root.number(f"{here}/disable"):
            continue
        deep.append(f"{here}/disable")
        if latency_us > worst_us:
            worst_us, name = latency_us, root.text(f"{here}/name")
    if not states:
        driver = root.text(f"{_CPU}/cpuidle/current_driver") or "none"
        yield Check(
            "sleep states",
            "note",
            f"not exposed to this machine (driver {driver})",
            "a polling core never sleeps; one that waits may take long to wake up",
        )
    elif not deep:
        found = f"none above {_DEEP_US} µs"
        yield Check("sleep states", "good", found, "a core that waits is awake at once")
    else:
        yield Check(
            "sleep states",
            "limits",
            f"{name} takes {worst_us} µs to leave",
            f"packets wait for a core that slept; {_DEEP_US} µs are a ring of 150 at 14.88 Mpps",
            f"echo 1 | sudo tee /{_CPU}/cpu*/cpuidle/state*/disable, or boot with "
            "processor.max_cstate=1 intel_idle.max_cstate=1",
            _SOURCE,
            tuple(Setting(path, "1") for path in deep),
        )


def _below(root: Root, path: Path) -> str:
    return str(path.relative_to(root.path))
