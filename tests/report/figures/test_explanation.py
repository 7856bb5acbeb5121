"""Figures of an explanation: their bands, bars and steps are the explanation's numbers."""

from __future__ import annotations

import pytest
from tests.explain.conftest import base, calibration, counts, hierarchy, manifest, measured

from planecast.explain import Case, Explanation, compare_explanations, explain_case
from planecast.model.calibration import Calibration
from planecast.report.figures.cycles_by_cause import cycles_by_cause
from planecast.report.figures.cycles_sankey import cycles_sankey
from planecast.report.figures.waterfall import waterfall
from planecast.results import Result

__all__ = ["base", "calibration", "counts", "hierarchy", "manifest", "measured"]


@pytest.fixture
def explained(measured: Result, calibration: Calibration) -> Explanation:
    return explain_case(Case("a", measured.scenario, measured, calibration=calibration))


def test_bands_lead_from_the_packet_over_stages_to_causes(explained: Explanation) -> None:
    figure = cycles_sankey(explained)
    assert figure is not None
    (trace,) = figure.data
    names = [label.rpartition(" ")[0] for label in trace.node.label]
    first = [v for s, v in zip(trace.link.source, trace.link.value, strict=True) if s == 0]
    stages = {s.stage: s.cycles.value for s in explained.stages if s.cycles}
    assert first == pytest.approx([stages[name] for name in names[1 : 1 + len(first)]])
    into_core = [
        value
        for target, value in zip(trace.link.target, trace.link.value, strict=True)
        if names[target] == "core and L1"
    ]
    core = next(part for part in explained.causes if part.cause == "core")
    assert sum(into_core) == pytest.approx(core.cycles.value, rel=0.02)
    assert min(trace.link.value) > 0


def test_bars_are_the_causes_of_each_stage(explained: Explanation) -> None:
    figure = cycles_by_cause(explained)
    assert figure is not None
    for trace in figure.data:
        for stage, value in zip(trace.y, trace.x, strict=True):
            found = next(s for s in explained.stages if s.stage == stage)
            parts = {part.cause: part.cycles.value for part in found.causes}
            assert value is None or value in parts.values()


def test_steps_lead_from_a_to_b(explained: Explanation) -> None:
    cost = explained.cycles_per_packet
    assert cost is not None
    parts = tuple(
        part.model_copy(update={"cycles": part.cycles.scaled(1.5, "cycles/packet")})
        if part.cause == "core"
        else part
        for part in explained.causes
    )
    added = sum(part.cycles.value for part in parts) - cost.value
    b = explained.model_copy(
        update={
            "causes": parts,
            "cycles_per_packet": cost.model_copy(
                update={
                    "value": cost.value + added,
                    "low": cost.value,
                    "high": cost.value + 2 * added,
                }
            ),
        }
    )
    figure = waterfall(compare_explanations(explained, b), by_cause=True)
    assert figure is not None
    (trace,) = figure.data
    assert [name.removesuffix(" (?)") for name in trace.x] == ["A", "core and L1", "others", "B"]
    assert sum(trace.y[:-1]) == pytest.approx(trace.y[-1])
    assert waterfall(compare_explanations(explained, explained), by_cause=True) is None


def test_without_causes_there_is_no_figure(measured: Result) -> None:
    bare = explain_case(Case("a", measured.scenario, measured.model_copy(update={"stages": {}})))
    assert cycles_sankey(bare) is None
    assert cycles_by_cause(bare) is None
