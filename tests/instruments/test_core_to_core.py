"""The way of a cache line between two CPUs: what the probe prints, and this machine."""

from __future__ import annotations

import itertools
import json
import os
import subprocess
from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pytest

from planecast.errors import RunError
from planecast.host import Check, Root
from planecast.instruments import core_to_core as core_to_core_module
from planecast.instruments.core_to_core import (
    CoreToCore,
    CpuDistance,
    check_core_to_core,
    core_to_core,
    parse_ping_pong,
    ping_pong_now,
    usual_looks,
)
from planecast.native import native_folder


def _said(slices: list[float]) -> str:
    answer = {"cpu": 0, "other": 3, "tsc_hz": 2e9, "half_round_trips": slices}
    return json.dumps({**answer, "canary": [2.5, 2.8, 2.9]})


def test_the_median_of_slices_counts() -> None:
    found = parse_ping_pong(_said([100.0] * 6 + [120.0] * 4 + [9000.0]))
    assert (found.cpu, found.other) == (0, 3)
    assert found.ns == pytest.approx(50)
    assert str(found) == "CPUs 0 and 3 50 ns apart"
    assert found.canary_cycles == 2.8


@pytest.mark.parametrize("said", ["", "{}", _said([]), '{"tsc_hz": 0, "half_round_trips": [1]}'])
def test_what_cannot_be_read_is_refused(said: str) -> None:
    with pytest.raises(RunError, match="sent a malformed reply"):
        parse_ping_pong(said)


def test_far_is_twice_the_nearest_look(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    ways = iter((160.0, 26.0, 27.0, 160.0, None, 28.0))

    def look(*cpus: int) -> CoreToCore | None:
        assert cpus == (1, 0)
        ns = next(ways)
        if ns is None:
            return None
        return CoreToCore(cpu=1, other=0, ns=ns, canary_cycles=2.0)

    monkeypatch.setattr(core_to_core_module, "ping_pong_now", look)
    distance = CpuDistance(1, 0)
    assert (distance.ns, distance.moved) == (None, False)
    seen = [(distance.look(), distance.moved) for _ in range(6)]
    # A look that fails says nothing new.
    assert [ns for ns, _ in seen] == [160, 26, 27, 160, 160, 28]
    assert [moved for _, moved in seen] == [False, False, False, True, True, False]


@pytest.mark.parametrize(
    ("ways", "usual"),
    [
        # The two threads of one core for once, or in a seventh of the looks: not two cores.
        ([33.0, *np.linspace(45, 65, 60), *np.full(40, 220.0)], range(1, 61)),
        ([*np.linspace(20, 30, 14), *np.linspace(52, 76, 86)], range(14, 100)),
        # A last level that both share, in more than a quarter of them: not one that they don't.
        ([25.0] * 26 + [160.0] * 74, range(26)),
        ([25.0] * 24 + [160.0] * 76, range(24, 100)),
        ([60.0, 24.0, 62.0], (0, 2)),
        ([160.0, 24.0], (1,)),
        ([60.0], (0,)),
    ],
)
def test_the_cpus_are_usually_where_most_looks_find_them_or_some_nearer(
    ways: list[float], usual: Sequence[int]
) -> None:
    assert np.flatnonzero(usual_looks(np.array([*ways, np.nan]))).tolist() == [*usual, len(ways)]


def _checks(
    monkeypatch: pytest.MonkeyPatch,
    ways: tuple[float | None, ...],
    cpus: tuple[int, ...] = (0, 1, 5),
    root: Root | None = None,
) -> list[Check]:
    """What doctor says where these ways are found in turn, again and again."""
    found = itertools.cycle(ways)

    def look(cpu: int, other: int | None = None) -> CoreToCore | None:
        assert (cpu, other) == (cpus[-1], None)
        ns = next(found)
        if ns is None:
            return None
        return CoreToCore(cpu=cpu, other=cpus[0], ns=ns, canary_cycles=2.0)

    monkeypatch.setattr(core_to_core_module, "ping_pong_now", look)
    monkeypatch.setattr(os, "sched_getaffinity", lambda _: set(cpus))
    return list(check_core_to_core(root or Root()))


def test_a_way_that_stays_is_a_note(monkeypatch: pytest.MonkeyPatch) -> None:
    (check,) = _checks(monkeypatch, (50.0, 60.0, 70.0, 74.0))
    assert (check.what, check.state, check.found) == ("core_to_core", "note", "65 ns")
    assert "between CPUs 5 and 0" in check.meaning
    assert check.fix == ""


def test_a_way_that_changes_limits_and_says_how_to_better_it(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    (check,) = _checks(monkeypatch, (50.0, None, 100.0))
    assert (check.state, check.found) == ("limits", "50 to 100 ns")
    assert "hypervisor moves these CPUs" in check.meaning
    assert "pinned" in check.fix


def test_without_two_cpus_or_the_probe_doctor_says_nothing_of_the_way(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    assert _checks(monkeypatch, (50.0,), cpus=(3,)) == []
    assert _checks(monkeypatch, (None,)) == []
    assert _checks(monkeypatch, (50.0,), root=Root(tmp_path)) == []  # not this machine


@pytest.mark.live
def test_two_cpus_of_this_machine() -> None:
    allowed = sorted(os.sched_getaffinity(0))
    if len(allowed) < 2 or not (native_folder() / "planecast-probe").is_file():
        pytest.skip("two CPUs and the probe are needed")
    found = core_to_core(allowed[0], allowed[-1])
    assert 1 < found.ns < 1e6


def test_one_cpu_has_no_way() -> None:
    cpu = min(os.sched_getaffinity(0))
    assert ping_pong_now(cpu, cpu) is None
    assert ping_pong_now(100_000) is None


@pytest.mark.live
@pytest.mark.parametrize("cpus", ["0", "0,0", "0,1,2", "0,x"])
def test_two_different_cpus_are_named(cpus: str) -> None:
    program = native_folder() / "planecast-probe"
    if not program.is_file():
        pytest.skip("planecast-probe is not built")
    done = subprocess.run(
        [program, "--ping-pong", cpus], capture_output=True, text=True, check=False
    )
    assert done.returncode == 2
    assert "--ping-pong" in done.stderr
