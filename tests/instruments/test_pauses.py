"""What took CPUs away: the program's answer, and stretches of a recording."""

from __future__ import annotations

import json
import os

import numpy as np
import pytest

from planecast.errors import RunError
from planecast.instruments.pauses import Pauses, parse_pauses, watch_pauses
from planecast.native import native_folder

built = pytest.mark.skipif(not (native_folder() / "planecast-probe").exists(), reason="not built")

TEN_MS = Pauses(1, 0.010, np.array([0.001, 0.004, 0.0099]), np.array([1e-5, 2e-5, 1e-4]))


def text(starts: list[int], lengths: list[int]) -> str:
    cpus = [{"cpu": 1, "starts": starts, "lengths": lengths}]
    return json.dumps({"tsc_hz": 2e9, "cycles": 20_000_000, "cpus": cpus})


def test_cycles_become_seconds() -> None:
    (found,) = parse_pauses(text([2_000_000, 8_000_000], [20_000, 40_000]))
    assert (found.cpu, found.seconds) == (1, 0.01)
    assert found.starts_s == pytest.approx([0.001, 0.004])
    assert found.lengths_s == pytest.approx([1e-5, 2e-5])
    assert found.lengths_s.sum() / found.seconds == pytest.approx(3e-5 / 0.01)


@pytest.mark.parametrize("said", ["", "[]", "{}", text([0, 5], [10, 1]), text([0], [])])
def test_another_answer(said: str) -> None:
    with pytest.raises(RunError, match=r"planecast-probe (answered|sent a malformed reply)"):
        parse_pauses(said)


def test_a_stretch() -> None:
    starts, lengths = TEN_MS.window(0.0005, 0.003)
    assert starts == pytest.approx([0.0005])
    assert lengths == pytest.approx([1e-5])


def test_a_stretch_begins_and_ends_in_pauses() -> None:
    starts, lengths = TEN_MS.window(0.004_005, 0.005_945)
    assert starts == pytest.approx([0, 0.005_895])
    assert lengths == pytest.approx([1.5e-5, 5e-5])


def test_a_stretch_goes_round() -> None:
    starts, lengths = TEN_MS.window(0.008, 0.025)
    assert starts == pytest.approx([0.0019, 0.003, 0.006, 0.0119, 0.013, 0.016, 0.0219, 0.023])
    assert lengths.sum() == pytest.approx(3 * 1e-4 + 3 * 1e-5 + 2 * 2e-5)


def test_a_recording_without_pauses() -> None:
    starts, lengths = Pauses(0, 0.01, np.array([]), np.array([])).window(0.003, 0.02)
    assert (len(starts), len(lengths)) == (0, 0)


@built
def test_this_machine() -> None:
    cpus = sorted(os.sched_getaffinity(0))[:2]
    found = watch_pauses(cpus, 0.005)
    assert [one.cpu for one in found] == cpus
    for one in found:
        assert one.seconds == pytest.approx(0.005, rel=1e-3)
        assert np.all(one.lengths_s > 0.9e-6)
        assert np.all(one.starts_s + one.lengths_s <= one.seconds * (1 + 1e-9))


@built
def test_a_cpu_that_is_not_there() -> None:
    with pytest.raises(RunError, match="--interruptions: Invalid argument"):
        watch_pauses([1023], 0.005)
