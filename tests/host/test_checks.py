"""Every check of doctor, on machines made of files."""

from __future__ import annotations

import shutil
from collections.abc import Callable
from pathlib import Path

import pytest

from planecast.host import Check, Root, examine
from planecast.host.clock import tsc_hz
from planecast.host.counters import Counters, check_counters, hardware_counters

MakeRoot = Callable[..., Root]
CPU = "sys/devices/system/cpu"
CLOCKS = "sys/devices/system/clocksource/clocksource0"
VIRTUAL = (
    "processor\t: 0\nmodel name\t: Cloud CPU\ncpu MHz\t\t: 2600.0\nflags\t\t: tsc hypervisor\n"
)


def checks(root: Root) -> dict[str, Check]:
    return {check.what: check for check in examine(root, steal_sample_s=0)}


def test_a_machine_made_for_measuring_is_good(make_root: MakeRoot) -> None:
    found = checks(make_root())
    assert {what for what, check in found.items() if check.state not in ("good", "note")} == set()
    assert found["cores"].found == "Fast CPU @ 2.50GHz, 4 CPUs online"
    assert found["hugepages"].found == "2 MiB: 1000 free of 1024"
    assert found["clock"].found == "TSC 2.500 GHz (model name), constant_tsc, nonstop_tsc"
    assert found["libdpdk"].found == "22.11.11"
    assert found["isolated CPUs"].found == "2-3"


def test_whatever_limits_says_how_to_better_it(make_root: MakeRoot, tmp_path: Path) -> None:
    for check in (*examine(Root(tmp_path / "empty"), steal_sample_s=0), *examine(make_root())):
        assert check.meaning, check
        assert bool(check.fix) or check.state in ("good", "note"), check


def test_an_empty_machine_has_rows_and_no_traceback(tmp_path: Path) -> None:
    found = checks(Root(tmp_path))
    assert found["libdpdk"].state == "missing"
    assert found["planecast-dataplane"].state == "missing"
    assert found["memory"].found == "unknown"
    assert found["steal"].found == "unknown"


@pytest.mark.parametrize(
    ("files", "what", "state", "found"),
    [
        ({f"{CPU}/cpu0/topology/thread_siblings_list": "0,4"}, "hyper-threads", "limits", "0,4"),
        (
            {"proc/cpuinfo": VIRTUAL},
            "hyper-threads",
            "limits",
            "none exposed to this virtual machine",
        ),
        ({"proc/cpuinfo": VIRTUAL}, "hypervisor", "limits", "present, unnamed"),
        (
            {"proc/cpuinfo": VIRTUAL, f"{CLOCKS}/available_clocksource": "tsc kvm-clock"},
            "hypervisor",
            "limits",
            "KVM",
        ),
        (
            {"proc/cpuinfo": VIRTUAL, "sys/class/dmi/id/sys_vendor": "QEMU\n"},
            "hypervisor",
            "limits",
            "QEMU",
        ),
        ({"proc/cpuinfo": VIRTUAL}, "clock", "limits", "TSC 2.600 GHz (hypervisor)"),
        ({"proc/cpuinfo": "flags\t: fpu\n"}, "clock", "missing", "no TSC"),
        ({f"{CPU}/isolated": "\n"}, "isolated CPUs", "limits", "none"),
        ({f"{CPU}/cpu0/cpufreq/scaling_governor": "powersave"}, "frequency", "limits", "powersave"),
        (
            {
                "sys/kernel/mm/hugepages/hugepages-2048kB/free_hugepages": "0",
                "sys/kernel/mm/transparent_hugepage/enabled": "always madvise [never]",
            },
            "hugepages",
            "limits",
            "2 MiB: 0 free of 1024",
        ),
        (
            {
                "sys/kernel/mm/hugepages/hugepages-2048kB/free_hugepages": "19",
                "sys/kernel/mm/transparent_hugepage/enabled": "always [madvise] never",
            },
            "hugepages",
            "note",
            "2 MiB: 19 free of 1024",
        ),
        (
            {"sys/kernel/mm/hugepages/hugepages-1048576kB/free_hugepages": "1"},
            "hugepages",
            "good",
            "1 GiB: 1 free of 0",
        ),
        (
            {"sys/kernel/mm/transparent_hugepage/enabled": "[always] never"},
            "transparent hugepages",
            "note",
            "always",
        ),
        ({"proc/meminfo": "MemAvailable: 102400 kB"}, "memory", "limits", "100 MiB available"),
        ({"proc/stat": "cpu  50 0 0 40 0 0 0 10 0 0"}, "steal", "limits", "10.0 % since boot"),
        ({"proc/stat": "cpu  50 0 0 50 0 0 0 0 90 0"}, "steal", "good", "0.0 % since boot"),
        ({"proc/sys/kernel/perf_event_paranoid": "4"}, "counters", "note", "perf_event_paranoid 4"),
    ],
)
def test_each_state(
    make_root: MakeRoot, files: dict[str, str], what: str, state: str, found: str
) -> None:
    check = checks(make_root(files))[what]
    assert (check.state, found in check.found) == (state, True), check


def test_no_hint_at_root_for_root(make_root: MakeRoot, monkeypatch: pytest.MonkeyPatch) -> None:
    shown = [check for check in checks(make_root()).values() if "needs root" in check.meaning]
    assert [check.what for check in shown] == ["memory channels"]
    monkeypatch.setattr(Root, "privileged", True)
    for check in checks(make_root()).values():
        assert "needs root" not in check.found + check.meaning + check.fix


def test_programs_that_lack_say_what_to_install(make_root: MakeRoot) -> None:
    root = make_root()
    for name in ("usr/bin", "usr/lib"):
        shutil.rmtree(root.path / name)
    found = checks(root)
    assert "apt-get install libdpdk-dev" in found["libdpdk"].fix
    assert found["valgrind"].state == "limits"
    assert found["chromium"].state == "note"
    assert found["planecast-probe"].fix == "`make setup`"
    assert found["planecast-dataplane"].fix == "install libdpdk-dev, then `make setup`"


@pytest.mark.parametrize(
    ("counters", "state", "fragment"),
    [
        ("there", "good", ""),
        ("forbidden", "limits", "sysctl kernel.perf_event_paranoid=1"),
        ("hidden", "limits", "vPMU"),
        ("not tried", "note", ""),
    ],
)
def test_counters(make_root: MakeRoot, counters: Counters, state: str, fragment: str) -> None:
    (check,) = check_counters(make_root(), counters)
    assert (check.state, fragment in check.fix) == (state, True)


def test_trying_the_counters_of_this_machine_answers() -> None:
    assert hardware_counters() in ("there", "forbidden", "hidden", "not tried")


def test_the_kernel_knows_the_tsc_best(make_root: MakeRoot) -> None:
    assert tsc_hz(make_root({f"{CPU}/cpu0/tsc_freq_khz": "2399999\n"})) == (2399999e3, "kernel")
    # On bare metal `cpu MHz` is the core's clock of the moment, not the TSC's.
    bare = VIRTUAL.replace(" hypervisor", "")
    assert tsc_hz(make_root({"proc/cpuinfo": bare, f"{CPU}/cpu0/tsc_freq_khz": ""})) is None


def test_this_machine_can_be_examined(tmp_path: Path) -> None:
    found = {check.what for check in examine(Root(), tmp_path, steal_sample_s=0.01)}
    assert {"cores", "hugepages", "clock", "counters", "steal", "libdpdk", "valgrind"} <= found
