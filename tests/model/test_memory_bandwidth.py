"""A cost that memory's bandwidth caps: the wait is a row of its own, and all rows add up."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from planecast.engines.solve import solve
from planecast.errors import InputError
from planecast.explain import Case, explain_case
from planecast.machine.overlap import PREFETCHED
from planecast.model.calibration import Calibration
from planecast.model.prediction import predict
from planecast.results import Manifest
from planecast.results.result import MEMORY_BANDWIDTH
from planecast.scenario import Scenario, with_overrides
from planecast.sweep.bounds import bounds

FEW = Scenario(name="few-flows")
MANY = with_overrides(
    FEW,
    {
        "traffic.flows": 1 << 22,
        "workload.flows": 1 << 22,
        "workload.stages": "key,classify",
    },
)
"""Buckets from memory that a burst asks for together, and little work."""


@pytest.fixture
def guest(repository: Path) -> Calibration:
    """A machine whose core waits for little of what it asks for ahead, with slow memory."""
    run = repository / "docs/examples/explain/runs/20261129T113712Z-validate-vpe-upstream"
    text = (run / "calibration.json").read_text(encoding="utf-8")
    known = Calibration.model_validate_json(text)
    hidden = tuple(
        one.model_copy(update={"value": 0.2}) if one.name == PREFETCHED else one
        for one in known.parameters
    )
    slow = known.hierarchy.with_memory(4)
    return known.model_copy(update={"hierarchy": slow, "parameters": hidden})


def test_stages_add_up_with_what_waits_for_memory(guest: Calibration) -> None:
    elsewhere = with_overrides(MANY, {"machine": "gold-6230n"})  # a part of its own, without a wait
    for asked in ([MANY, FEW], [FEW, MANY, elsewhere]):
        found = predict(asked, guest)
        wait, deviation = found.stages[MEMORY_BANDWIDTH]
        capped = asked.index(MANY)
        assert found.capped_by_memory[capped]
        assert wait[capped] > 0 < deviation[capped]
        few = asked.index(FEW)
        assert (wait[few], deviation[few]) == (0, 0)
        summed = np.sum([value for value, _ in found.stages.values()], axis=0)
        assert summed == pytest.approx(found.value)
    assert MEMORY_BANDWIDTH not in predict([FEW], guest).stages


def test_the_answers_have_it_as_a_row_without_instructions(
    guest: Calibration, manifest: Manifest
) -> None:
    many, few = solve([MANY, FEW], guest, manifest)
    assert many.capped_by == "memory"
    cycles = [one.cycles_per_packet for one in many.stages.values()]
    summed = sum(one.value for one in cycles if one is not None)
    assert summed == pytest.approx(many.cycles_per_packet.value)
    assert list(many.stages)[-1] == MEMORY_BANDWIDTH
    assert many.stages[MEMORY_BANDWIDTH].instructions_per_packet is None
    assert MEMORY_BANDWIDTH not in few.stages


def test_explain_has_the_same_row(guest: Calibration) -> None:
    found = explain_case(Case("model", MANY, calibration=guest))
    assert found.cycles_per_packet is not None
    summed = sum(one.cycles.value for one in found.stages if one.cycles)
    assert summed == pytest.approx(found.cycles_per_packet.value)
    row = next(one for one in found.stages if one.stage == MEMORY_BANDWIDTH)
    assert (row.role, [part.cause for part in row.causes]) == ("other", ["bandwidth"])
    assert found.ipc is not None


def test_a_faster_stage_waits_longer(guest: Calibration, manifest: Manifest) -> None:
    found = {one.name: one.result for one in bounds(MANY, guest, manifest, {"key": 2.0})}
    base, faster = found["as-it-is"], found["key-x2"]
    assert faster.cycles_per_packet == base.cycles_per_packet
    assert faster.capped_by == "memory"
    parts = (one.cycles_per_packet for one in faster.stages.values())
    summed = sum(one.value for one in parts if one is not None)
    assert summed == pytest.approx(base.cycles_per_packet.value)
    with pytest.raises(InputError, match="doesn't run"):
        bounds(MANY, guest, manifest, {MEMORY_BANDWIDTH: 2.0})
