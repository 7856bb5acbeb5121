"""Settings: applied with a record, restored from it, after a crash too."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pytest

from planecast.errors import RunError
from planecast.host import Root, Setting, examine, settings

MakeRoot = Callable[..., Root]
WATCHDOG, GOVERNOR = "proc/sys/kernel/nmi_watchdog", "sys/cpufreq/governor"
ASPM = "sys/module/pcie_aspm/parameters/policy"
BOOT = "proc/sys/kernel/random/boot_id"


@pytest.fixture
def root(make_root: MakeRoot) -> Root:
    return make_root({WATCHDOG: "1\n", GOVERNOR: "powersave\n", BOOT: "one\n"})


def texts(root: Root) -> tuple[str, str]:
    return root.text(WATCHDOG), root.text(GOVERNOR)


WANTED = (Setting(WATCHDOG, "0"), Setting(GOVERNOR, "performance"))


def test_what_is_applied_is_undone(root: Root) -> None:
    changes = settings.apply(root, WANTED)
    assert [(c.before, c.after, c.refused) for c in changes] == [
        ("1", "0", ""),
        ("powersave", "performance", ""),
    ]
    assert texts(root) == ("0", "performance")
    assert [change.path for change in settings.undo(root)] == [GOVERNOR, WATCHDOG]
    assert texts(root) == ("1", "powersave")
    assert not settings.record_path(root).exists()
    assert settings.undo(root) == []


def test_what_holds_already_is_left_alone(root: Root) -> None:
    settings.apply(root, WANTED)
    assert settings.apply(root, WANTED) == []
    # A second change of one setting keeps the value that was there first.
    settings.apply(root, [Setting(GOVERNOR, "schedutil")])
    settings.undo(root)
    assert texts(root) == ("1", "powersave")


@pytest.mark.parametrize("dies_at", [0, 1])
def test_a_crash_at_any_write_can_be_undone(
    root: Root, monkeypatch: pytest.MonkeyPatch, dies_at: int
) -> None:
    real, writes = settings._write, 0

    def write(where: Root, path: str, value: str) -> settings.Change:
        nonlocal writes
        if writes == dies_at:
            raise SystemExit("killed")
        writes += 1
        return real(where, path, value)

    with monkeypatch.context() as patch:
        patch.setattr(settings, "_write", write)
        with pytest.raises(SystemExit):
            settings.apply(root, WANTED)
    assert set(settings.recorded(root)) == {WATCHDOG, GOVERNOR}
    settings.undo(root)
    assert texts(root) == ("1", "powersave")


def test_after_another_boot_there_is_nothing_to_restore(root: Root) -> None:
    settings.apply(root, WANTED)
    (root.path / BOOT).write_text("two\n")
    assert settings.recorded(root) == {}
    assert settings.undo(root) == []
    assert texts(root) == ("0", "performance")


def test_what_the_system_refuses_is_reported_and_not_recorded(root: Root) -> None:
    missing = Setting("sys/no/such", "1")
    first, second = settings.apply(root, [missing, WANTED[0]])
    assert (first.refused, second.refused) == ("No such file or directory", "")
    assert not (root.path / "sys/no").exists()
    assert settings.recorded(root) == {WATCHDOG: "1"}


def test_nothing_is_written_without_a_record(root: Root) -> None:
    (root.path / "var").write_text("in the way")
    with pytest.raises(RunError, match="can't record what was there"):
        settings.apply(root, WANTED)
    assert texts(root) == ("1", "powersave")


def test_a_damaged_record_is_no_traceback(root: Root) -> None:
    settings.apply(root, WANTED)
    settings.record_path(root).write_text("{")
    with pytest.raises(RunError, match="it is damaged"):
        settings.undo(root)


def test_a_choice_is_read_by_its_brackets(make_root: MakeRoot) -> None:
    root = make_root({ASPM: "[default] performance powersave\n"})
    settings.apply(root, [Setting(ASPM, "performance")])
    old = json.loads(settings.record_path(root).read_text())["content"]["old"]
    assert old == {ASPM: "default"}


def test_every_setting_of_a_check_betters_it(make_root: MakeRoot) -> None:
    cpu = "sys/devices/system/cpu"
    root = make_root(
        {
            WATCHDOG: "1\n",
            f"{cpu}/cpu0/cpufreq/scaling_governor": "powersave\n",
            f"{cpu}/intel_pstate/no_turbo": "0\n",
            f"{cpu}/cpu0/cpuidle/state3/latency": "133\n",
            f"{cpu}/cpu0/cpuidle/state3/name": "C6\n",
            f"{cpu}/cpu0/cpuidle/state3/disable": "0\n",
            "proc/irq/7/smp_affinity_list": "0-3\n",
            "sys/devices/system/clocksource/clocksource0/current_clocksource": "hpet\n",
            "sys/devices/system/clocksource/clocksource0/available_clocksource": "tsc hpet\n",
            "sys/devices/system/node/node0/cpulist": "0-1\n",
            "sys/devices/system/node/node1/cpulist": "2-3\n",
            "proc/sys/kernel/numa_balancing": "1\n",
        }
    )
    worse = [check for check in examine(root, steal_sample_s=0) if check.settings]
    assert {check.what for check in worse} == {
        *("frequency", "turbo", "sleep states", "interrupts", "NMI watchdog", "clock source"),
        "NUMA balancing",
    }
    settings.apply(root, [setting for check in worse for setting in check.settings])
    named = {check.what for check in worse}
    for check in examine(root, steal_sample_s=0):
        assert check.what not in named or check.state == "good", check


def test_the_record_is_below_the_root(root: Root) -> None:
    assert settings.record_path(root).is_relative_to(root.path)
    assert settings.record_path(Root()) == Path("/var/lib/planecast/settings.json")
