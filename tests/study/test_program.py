"""Which values of keys a program of others is traced at."""

import itertools
import os
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from planecast.errors import InputError
from planecast.scenario import Scenario
from planecast.scenario.override import with_overrides
from planecast.study import program
from planecast.study.program import (
    SHARE,
    STEP,
    made_of,
    traced_points,
    traced_values,
    varied_values,
)
from planecast.workload.scenario_columns import ScenarioColumns
from planecast.workload.traced.coordinates import ROTATION, exact_misses

FLOWS, MASKS, RULES = "traffic.flows", "dataplane.masks", "dataplane.rules"


@pytest.mark.parametrize(("low", "high", "count"), [(64, 512, 2), (64, 513, 3), (1, 4096, 5)])
def test_neighbours_are_near(low: float, high: float, count: int) -> None:
    found = traced_values([high, low, 100])
    assert (found[0], found[-1], len(found)) == (low, high, count)
    assert all(b / a <= STEP * 1.01 for a, b in itertools.pairwise(found))


def test_some_values_are_named() -> None:
    assert traced_values([64, 4096], through=[512, 64, 9999]) == [64, 512, 4096]


def test_neighbours_are_near_on_a_scale_of_their_own() -> None:
    found = np.array(traced_values([64, 32768], exact_misses))
    assert np.diff(exact_misses(found)).max() <= SHARE
    assert len(found) < 10


def test_keys_together_at_few_of_their_values() -> None:
    base = Scenario.model_validate(
        {"name": "switch", "dataplane": {"kind": "ovs", "rules": 512, "masks": 2}}
    )
    plan = traced_points(
        base, {FLOWS: [64.0, 32768.0], MASKS: [1.0, 2.0, 8.0], RULES: [64.0, 512.0, 4096.0]}
    )
    assert plan[0] == {}
    alone = [point for point in plan if len(point) == 1]
    pairs = [tuple(point) for point in plan if len(point) == 2]
    assert {FLOWS: 64} in alone
    assert {MASKS: 8} in alone
    assert set(pairs) == {(FLOWS, MASKS), (FLOWS, RULES)}
    assert pairs.count((FLOWS, MASKS)) == 3 * 2
    # Flows bend where they are as many as the rules: 64, 512 and 4096, and the highest.
    rows = {point[FLOWS] for point in plan if tuple(point) == (FLOWS, RULES)}
    assert {64, 512, 4096} < rows
    assert pairs.count((FLOWS, RULES)) == 4 * 2
    for point in plan:
        assert all({key: value} in alone for key, value in point.items())


def test_bursts_whose_buffers_go_round_are_traced_apart() -> None:
    base = Scenario(name="program")
    plan = traced_points(base, {FLOWS: [64.0, 1024.0]}, (0.0, 0.6))
    assert plan[-2:] == [{ROTATION: 0.0}, {ROTATION: 0.6}]
    assert all(ROTATION not in point for point in plan[:-2])


@pytest.mark.parametrize(
    ("dataplane", "key", "value"),
    [
        ({"kind": "l3fwd", "routes": 512}, "dataplane.route_depth", 24),
        ({"kind": "ovs", "rules": 2}, "dataplane.smc", True),
        ({"kind": "testpmd"}, "dataplane.memory", "no-huge"),
        ({"kind": "l3fwd", "routes": 512}, "traffic.destination_step", "0.0.0.1"),
    ],
)
def test_a_key_without_an_order_is_refused_before_anything_is_counted(
    dataplane: dict[str, Any], key: str, value: object
) -> None:
    base = Scenario.model_validate({"name": "s", "dataplane": dataplane})
    with pytest.raises(InputError, match=f"{key}: no trace leads from one value of it") as error:
        varied_values([base, with_overrides(base, {key: value})])
    assert error.value.what_to_do == "make a study of each of its values"


def test_what_a_study_varies_the_model_has_columns_of() -> None:
    base = Scenario.model_validate({"name": "s", "dataplane": {"kind": "ovs", "rules": 2}})
    other = with_overrides(base, {"dataplane.emc_insert_inv_prob": 1, "traffic.flows": 64})
    assert set(varied_values([base, other])) <= set(ScenarioColumns.of([base]).numbers)


def test_a_command_is_made_of_its_program_libraries_and_files(tmp_path: Path) -> None:
    rules = tmp_path / "rules"
    rules.write_text("one")
    found = [file.name for file in made_of(["true", f"--rules={rules}", str(rules), "word"])]
    assert found[0] == "true"
    assert found.count("rules") == 1
    assert any(name.startswith("libc.so") for name in found)
    assert "word" not in found


def test_a_changed_file_or_library_is_counted_again(
    scenario: Callable[..., Scenario], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    own, library, rules = (tmp_path / name for name in ("own", "library.so", "rules"))
    shutil.copyfile("/bin/true", own)
    own.chmod(0o755)
    for file in (library, rules):
        file.write_text("one")
    monkeypatch.setattr(program, "meter_library", lambda kind: library)
    monkeypatch.setattr(program, "native_library", lambda _: library)
    command = f"{own} {{in_eal}} {{out_eal}} --rules={rules}"
    changes: dict[str, Any] = {"dataplane.kind": "command", "dataplane.command": command}
    asked = scenario(changes)
    known = program._kept("counted", asked)
    assert program._kept("counted", asked) == known
    for number, file in enumerate((rules, library), 2):
        file.write_text("two")
        os.utime(file, ns=(number, number))
        changed = program._kept("counted", asked)
        assert changed != known
        known = changed
