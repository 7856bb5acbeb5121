"""The reference clock: the first measurement's, kept until the machine boots."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

from planecast.engines.measure import reference
from planecast.engines.measure.reference import Reference, factors, reference_state


@pytest.fixture(autouse=True)
def empty_cache(fake: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))


def test_the_first_measurement_decides_and_later_ones_follow() -> None:
    assert reference_state(np.array([])) is None
    assert reference_state(np.array([2.4, 2.5, 2.5, 2.6])) == Reference(canary_cycles=2.5)
    assert reference_state(np.array([2.9] * 9)) == Reference(canary_cycles=2.5)
    assert reference_state(np.array([])) == Reference(canary_cycles=2.5)


def test_another_boot_or_program_has_its_own(fake: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    assert reference_state(np.array([2.5])) == Reference(canary_cycles=2.5)
    program = fake.folder / "planecast-dataplane"
    program.write_text(program.read_text() + "\n# another build\n")
    assert reference_state(np.array([2.6])) == Reference(canary_cycles=2.6)
    monkeypatch.setattr(reference, "boot_id", lambda: "another")
    assert reference_state(np.array([2.7])) == Reference(canary_cycles=2.7)


def test_a_slower_clock_is_taken_off() -> None:
    found = factors(np.array([2.5, 2.6, 2.4]), Reference(canary_cycles=2.5))
    assert found[0] == 1.0
    assert found[1] < 1 < found[2]
    # Memory does not follow the clock.
    assert found[1] > 2.5 / 2.6
