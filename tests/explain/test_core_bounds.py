"""Frontend and speculation without counters: bounds from counted code, and what they leave."""

from __future__ import annotations

import numpy as np
import pytest

from planecast.explain import Case, Explanation, explain_case
from planecast.explain.core_bounds import centre
from planecast.explain.stall_causes import CORES_OWN
from planecast.model.calibration import Calibration
from planecast.results import Estimate, Result
from planecast.results.arithmetic import total
from planecast.workload.counts import CODE_PARTS, CodeCounts, StageInstructions, split

PLAN = [(64, 8), (128, 8), (64, 32), (128, 32)]
STAGES = ("source", "acl", "key", "classify", "actions", "route", "tx", "other")


def code(lines: int = 200, **per_packet: int) -> CodeCounts:
    """So many a packet in every stage."""

    def each(number: int) -> dict[str, StageInstructions]:
        return dict.fromkeys(STAGES, split({(n, burst): number * n for n, burst in PLAN}))

    return CodeCounts(**{what: each(per_packet.get(what, 0)) for what in CODE_PARTS}, lines=lines)


def explained(
    measured: Result, calibration: Calibration, counted: CodeCounts | None, *, apart: bool = True
) -> Explanation:
    case = Case(
        "x", measured.scenario, measured, code=counted, code_by="profile-1", calibration=calibration
    )
    return explain_case(case, apart=apart)


def parts(found: Explanation, name: str) -> dict[str, Estimate]:
    stage = next(stage for stage in found.stages if stage.stage == name)
    return {part.cause: part.cycles for part in stage.causes}


def own_most(stage: dict[str, Estimate]) -> float:
    """What the core's own causes take at most, before any is bounded."""
    own = total(stage[cause] for cause in CORES_OWN if cause in stage)
    assert own is not None
    return own.high or 0


@pytest.mark.parametrize(
    ("first", "second", "room"),
    [(4.0, 6.0, 20.0), (30.0, 30.0, 9.0), (5.0, 8.0, 10.0), (12.0, 3.0, 10.0), (0.0, 8.0, 5.0)],
)
def test_the_centre_is_that_of_what_is_possible(first: float, second: float, room: float) -> None:
    x, y = np.meshgrid(
        np.linspace(0, first, 801) if first else np.zeros(1), np.linspace(0, second, 801)
    )
    inside = x + y <= room
    found = centre(first, second, room)
    assert found == pytest.approx((x[inside].mean(), y[inside].mean()), rel=0.01, abs=1e-9)
    assert sum(found) <= room


def test_the_catalogues_penalties_bound_what_code_can_lose(
    measured: Result, calibration: Calibration
) -> None:
    """Sapphire Rapids: 32 bytes a cycle, 2 cycles a jump, 25 + 512 / 6 a misprediction."""
    scale = calibration.hierarchy.tsc_hz / calibration.hierarchy.core_hz
    found = explained(measured, calibration, code(jumps=1, windows_32=2))
    assert parts(found, "acl")["fetch"].interval == (0, pytest.approx(scale * (2 + 2 * 1)))
    guessed = explained(measured, calibration, code(mispredictions=1))
    most = own_most(parts(explained(measured, calibration, None), "acl"))
    bound = parts(guessed, "acl")["speculation"]
    assert bound.interval == (0, pytest.approx(min(most, scale * (25 + 512 / 6))))
    assert bound.kind == "computed"


def test_causes_still_add_up_and_the_core_keeps_the_rest(
    measured: Result, calibration: Calibration
) -> None:
    whole = explained(measured, calibration, code(jumps=1), apart=False)
    found = explained(measured, calibration, code(mispredictions=1, jumps=2, windows_32=4))
    for before, after in zip(whole.stages, found.stages, strict=True):
        assert sum(p.cycles.value for p in before.causes) == pytest.approx(
            sum(p.cycles.value for p in after.causes)
        )
    assert found.cycles_per_packet is not None
    assert sum(p.cycles.value for p in found.causes) == pytest.approx(found.cycles_per_packet.value)
    before, after = parts(whole, "acl"), parts(found, "acl")
    assert after["core"].value < before["core"].value
    assert after["core"].high == before["core"].high
    assert (after["core"].low or 0) <= (before["core"].low or 0)
    for cause in ("fetch", "speculation"):
        assert after[cause].high <= own_most(before) + 1e-9  # type: ignore[operator]


def test_nodes_are_bounds_that_the_count_narrows(
    measured: Result, calibration: Calibration
) -> None:
    wide = {n.node: n for n in explained(measured, calibration, None).nodes}
    close = {n.node: n for n in explained(measured, calibration, code(windows_32=1)).nodes}
    for name in ("frontend_bound", "bad_speculation", "backend_bound", "core_bound"):
        for nodes in (wide, close):
            share = nodes[name].share
            assert share is not None
            assert share.kind == "computed"
            assert (share.low or 0) <= share.value <= (share.high or 0) <= 1
            assert nodes[name].marks[0].startswith("a bound")
        assert "singlestep narrows it" in wide[name].marks[0]
        assert "narrows" not in close[name].marks[0]
    assert not wide["frontend_bound"].over
    guessed = close["bad_speculation"].share
    assert guessed is not None
    assert guessed.value == 0  # no branch was ever mispredicted
    top = ("frontend_bound", "bad_speculation", "backend_bound", "retiring")
    bounded = sum(share.value for name in top if (share := wide[name].share) is not None)
    rest = next(p.cycles.value for p in explained(measured, calibration, None).causes[-1:])
    assert measured.cycles_per_packet.value * (1 - bounded) == pytest.approx(rest, abs=0.01)


def test_code_beyond_the_cache_has_no_bound_of_fetching(
    measured: Result, calibration: Calibration
) -> None:
    found = explained(measured, calibration, code(lines=600, windows_32=1))
    whole = explained(measured, calibration, None)
    assert parts(found, "acl")["fetch"].high == own_most(parts(whole, "acl"))
    assert any("does not fit in the L1" in note for note in found.notes)
    assert any("counted by profile-1" in note for note in found.notes)


def test_each_stage_has_its_tree(measured: Result, calibration: Calibration) -> None:
    found = explained(measured, calibration, code(windows_32=1))
    acl = next(stage for stage in found.stages if stage.stage == "acl")
    shares = {node.node: node.share for node in acl.nodes}
    issue, whole = parts(found, "acl")["issue"], acl.cycles
    assert whole is not None
    assert shares["retiring"] is not None
    assert shares["retiring"].value == pytest.approx(issue.value / whole.value)
    assert shares["frontend_bound"] is not None
    assert shares["frontend_bound"].value == pytest.approx(
        parts(found, "acl")["fetch"].value / whole.value
    )
