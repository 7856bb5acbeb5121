"""Recorded runs of ours, testpmd, l3fwd and Open vSwitch: what share of their cycles has no cause.

The goal is 15 % at most. A run that misses it has to say so in its first lines.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from planecast.dataplanes.polls import RX
from planecast.explain import Case, Explanation, explain_case
from planecast.explain.explain_inputs import explained_run
from planecast.explain.model_breakdown import ModelBreakdown
from planecast.explain.search_basis import SearchBasis
from planecast.explain.searched import explain_search
from planecast.explain.searched_stages import Divided
from planecast.model.calibration import Calibration
from planecast.results import Estimate, Result, RunDirectory
from planecast.results.search import SearchAnswer
from planecast.study.calibration_run import calibration_of

_DATA = Path(__file__).parent / "data"
_MOST = 0.15
_WITHOUT_A_CAUSE = ("unattributed", "unexplained")


def share_not_explained(found: Explanation) -> float:
    """Of the cycles that a packet takes, whichever the sign."""
    whole = found.cycles_per_packet
    assert whole is not None
    causes = {part.cause: part.cycles.value for part in found.causes}
    assert sum(causes.values()) == pytest.approx(whole.value, rel=1e-3)
    share = sum(abs(causes.get(name, 0.0)) for name in _WITHOUT_A_CAUSE) / whole.value
    print(f"{found.label}: {share:.1%} of {whole.value:.1f} cycles a packet are not explained")
    return share


def computed(ends: list[float]) -> Estimate:
    value, low, high = ends
    return Estimate(value=value, low=low, high=high, unit="cycles/packet", kind="computed")


def recorded(name: str) -> tuple[dict[str, Any], ModelBreakdown]:
    """A recorded run, and what the model said of it."""
    document = json.loads((_DATA / f"{name}.json").read_text(encoding="utf-8"))
    model = document["model"]
    said = ModelBreakdown(
        parts={(stage, cause): computed(ends) for stage, cause, ends in model["parts"]},
        stages={stage: computed(ends) for stage, ends in model["stages"].items()},
        causes={cause: computed(ends) for cause, ends in model["causes"].items()},
        whole=computed(model["whole"]),
    )
    return document, said


@pytest.mark.parametrize(
    "name", ["measure-vpe-upstream", "measure-testpmd-io", "measure-l3fwd", "measure-l3fwd-base"]
)
def test_a_measured_run_has_causes_for_most_of_its_cycles(
    name: str, monkeypatch: pytest.MonkeyPatch, calibration: Calibration
) -> None:
    document, said = recorded(name)
    result = Result.model_validate(document["result"])
    monkeypatch.setattr("planecast.explain.run.model_breakdown", lambda *_: said)
    case = Case(name, result.scenario, result, calibration=calibration)
    assert share_not_explained(explain_case(case, apart=False, advised=False)) < _MOST


@pytest.mark.parametrize("position", range(3))
@pytest.mark.parametrize(
    "run", ["20261129T113712Z-validate-vpe-upstream", "20261125T033438Z-validate-ovs"]
)
def test_the_documents_runs_have_causes_for_most_of_their_cycles(
    run: str, position: int, repository: Path
) -> None:
    """By their own calibrations, of ours and of Open vSwitch."""
    root = repository / "docs/examples/explain/runs"
    found = explained_run(RunDirectory(root / run), position, calibration_of(run, root))
    assert share_not_explained(found) < _MOST


def test_a_search_of_open_vswitch_has_causes_for_most_of_its_cycles(repository: Path) -> None:
    root = repository / "docs/examples/explain/runs"
    run = RunDirectory(root / "20261125T041000Z-search-ovs-l2xc")
    found = explained_run(run, None, calibration_of("20261125T033438Z-validate-ovs", root))
    assert share_not_explained(found) < _MOST
    assert {role.role for role in found.roles if role.cycles} == {"I/O", "processing", "other"}
    causes = {part.cause: part.cycles.value for part in found.causes}
    assert causes.keys() >= {"issue", "L2", "ports", "waiting", "unexplained"}
    stages = {stage.stage for stage in found.stages}
    assert stages >= {"rx", "parse", "classify", "actions", "tx", "ports", "polling"}
    nodes = {node.node: node.share for node in found.nodes}
    assert nodes["retiring"] is not None
    assert all(stage.nodes for stage in found.stages if stage.stage == "classify")
    alone = explain_search(run.read(), "without any other run")
    assert share_not_explained(alone) > _MOST
    assert any("planecast validate studies/ovs.yaml" in text for text in alone.limits)


@pytest.mark.parametrize("name", ["search-vpe-upstream", "search-l3fwd", "search-testpmd-io"])
def test_a_search_has_causes_for_most_of_its_cycles(
    name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Ours has its stage clock; of l3fwd and testpmd the meter timed polls and ports."""
    document, said = recorded(name)
    answer = SearchAnswer.model_validate(document["answer"])
    port = computed(document["port"]) if document["port"] else None
    timed = RX in answer.second_opinion
    by = Divided(answer.scenario, said, burst=document["burst"], port=port, timed_ports=timed)
    assert timed == (name != "search-vpe-upstream")
    monkeypatch.setattr("planecast.explain.searched.divided_by", lambda *_: by)
    found = explain_search(answer, name, SearchBasis())
    assert share_not_explained(found) < _MOST
    assert {part.cause for part in found.causes} >= {"issue", "ports", "unexplained"}
    assert not any("are not explained" in text for text in found.limits)


def test_a_search_without_such_a_trial_says_what_it_lacks(monkeypatch: pytest.MonkeyPatch) -> None:
    """As searches of earlier versions are, and of programs whose port has several queues."""
    document, said = recorded("search-testpmd-io")
    answer = SearchAnswer.model_validate({**document["answer"], "second_opinion": {}})
    by = Divided(answer.scenario, said, burst=document["burst"])
    monkeypatch.setattr("planecast.explain.searched.divided_by", lambda *_: by)
    found = explain_search(answer, "untimed", SearchBasis())
    assert share_not_explained(found) > _MOST
    (named,) = [text for text in found.limits if "are not explained" in text]
    assert "polls that find nothing are among them" in named
    assert "planecast machine ports" in named
