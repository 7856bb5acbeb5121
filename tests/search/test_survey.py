"""Surveys: what a machine can vary and why not, points that fail, the page of it."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

from planecast.errors import InputError, MissingError
from planecast.host.lcore_order import core_groups
from planecast.host.root import Root
from planecast.report import report_html
from planecast.results import Estimate, Manifest, Result
from planecast.results.content import read_result
from planecast.results.survey import SurveyAnswer, SurveyPoint
from planecast.results.telemetry import InstructionSplit
from planecast.scenario import Scenario
from planecast.scenario.survey import Survey, load_survey
from planecast.search import survey as surveying
from planecast.search.feasible_points import Case, cases
from planecast.search.survey import ceilings_of, filled, not_varied, survey_points

SURVEY = """\
name: small
question: What does it do?
subjects:
  - {label: ours, scenario: ours.yaml, by: measure}
  - {label: testpmd, scenario: testpmd.yaml}
vary: {vary}
budget: {seconds: 1}
"""


def survey_of(folder: Path, vary: str = "{}") -> Survey:
    (folder / "ours.yaml").write_text("name: o\nworkload: {kind: l2patch}\n")
    (folder / "testpmd.yaml").write_text("name: t\ndataplane: {kind: testpmd}\n")
    (folder / "survey.yaml").write_text(SURVEY.replace("{vary}", vary))
    return load_survey(folder / "survey.yaml")


def machine(folder: Path, siblings: Sequence[str], khz: tuple[int, int] | None = None) -> Root:
    """A machine whose cores have these CPUs, fixed between two clocks."""
    for text in siblings:
        for cpu in text.split(","):
            place = folder / f"sys/devices/system/cpu/cpu{cpu}"
            (place / "topology").mkdir(parents=True)
            (place / "topology/thread_siblings_list").write_text(f"{text}\n")
            if khz is not None:
                (place / "cpufreq").mkdir()
                for name, value in zip(("min", "max"), khz, strict=True):
                    (place / f"cpufreq/scaling_{name}_freq").write_text(f"{value}\n")
    return Root(folder)


def found(survey: Survey, root: Root, allowed: Sequence[int]) -> dict[tuple[Any, ...], str]:
    """Each case with its CPUs, or why there are none."""
    return {
        (c.subject.label, c.threads, c.cores, c.ghz): c.why_not or c.scenario.placement.cpus
        for c in cases(survey, allowed, root)
    }


def test_a_machine_with_siblings_varies_threads_and_cores(tmp_path: Path) -> None:
    root = machine(tmp_path / "root", ["0,4", "1,5", "2,6", "3,7"])
    survey = survey_of(tmp_path, "{threads: [1, 2], cores: [1, 2, 8]}")
    there = found(survey, root, range(8))
    assert there["ours", 1, 1, None] == "3"
    assert there["ours", 2, 1, None] == "3,7"
    assert there["ours", 1, 2, None] == "2-3"
    assert there["ours", 2, 2, None] == "2-3,6-7"
    assert there["ours", 1, 8, None] == "8 cores: this machine lends 4"
    assert there["testpmd", 1, 1, None] == "3"
    assert "one queue" in there["testpmd", 1, 2, None]


def test_a_virtual_machine_says_what_it_cannot_vary(tmp_path: Path) -> None:
    root = machine(tmp_path / "root", ["0", "1"])
    survey = survey_of(tmp_path, "{threads: [1, 2], cores: [1, 4]}")
    there = found(survey, root, (0, 1))
    assert "shows a sibling" in there["ours", 2, 1, None]
    assert there["ours", 1, 4, None] == "4 cores: this machine lends 2"
    alone = found(survey, root, (1,))
    assert "a CPU for the generator" in alone["testpmd", 1, 1, None]
    assert core_groups((1,), root) == [(1,)]


def test_clocks_are_those_that_a_person_has_fixed(tmp_path: Path) -> None:
    survey = survey_of(tmp_path, "{ghz: [2.2, 3.2]}")
    fixed = found(survey, machine(tmp_path / "fixed", ["0", "1"], (2200000, 2200000)), (0, 1))
    assert fixed["ours", 1, 1, 2.2] == "1"
    assert "run at 2.2 to 2.2; fix them" in fixed["ours", 1, 1, 3.2]
    free = found(survey, machine(tmp_path / "free", ["0", "1"], (800000, 3500000)), (0, 1))
    assert "run at 0.8 to 3.5" in free["ours", 1, 1, 2.2]
    assert free["ours", 1, 1, None] == "1"  # as it is, then
    none = found(survey, machine(tmp_path / "none", ["0", "1"]), (0, 1))
    assert "a hypervisor sets it" in none["ours", 1, 1, 3.2]


def test_more_flows_make_the_tables_larger(tmp_path: Path) -> None:
    survey = survey_of(tmp_path, "{flows: [256, 1000000]}")
    made = list(cases(survey, (0, 1), machine(tmp_path / "root", ["0", "1"])))
    assert [(c.flows, c.scenario.workload.flows) for c in made[:2]] == [
        (256, 65536),
        (1000000, 1000000),
    ]


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("subjects: []", "subjects"),
        ("vary: {threads: [3]}", "vary.threads"),
        ("colour: red", "unknown key colour"),
        ("card: x711", "x711"),
    ],
)
def test_a_survey_that_is_wrong_says_where(tmp_path: Path, text: str, said: str) -> None:
    survey_of(tmp_path)
    path = tmp_path / "survey.yaml"
    key = text.partition(":")[0]
    kept = [line for line in path.read_text().splitlines() if not line.startswith(f"{key}:")]
    if key == "subjects":
        kept = [line for line in kept if not line.startswith("  -")]
    path.write_text("\n".join([*kept, text]) + "\n")
    with pytest.raises(InputError, match=said):
        ceilings_of(load_survey(path))


def test_only_ours_is_measured(tmp_path: Path) -> None:
    survey_of(tmp_path)
    path = tmp_path / "survey.yaml"
    path.write_text(path.read_text().replace("testpmd.yaml}", "testpmd.yaml, by: measure}"))
    with pytest.raises(InputError, match="measure has planecast's own data plane alone"):
        load_survey(path)


def _rate(pps: float) -> Estimate:
    return Estimate(value=pps, low=0.99 * pps, high=1.01 * pps, samples=2, unit="pps",
                    kind="measured")  # fmt: skip


def test_points_that_fail_say_why_and_the_others_continue(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, manifest: Manifest
) -> None:
    survey = survey_of(tmp_path)
    due = list(cases(survey, (0, 1), machine(tmp_path / "root", ["0", "1"])))

    def missing(*words: object) -> None:
        raise MissingError("testpmd is not here")

    def measured(scenarios: Sequence[Scenario], *words: object, **named: object) -> list[Result]:
        cycles = Estimate(value=50.0, unit="cycles/packet", kind="measured")
        return [
            Result(
                scenario=scenario,
                throughput_pps=_rate(40e6),
                cycles_per_packet=cycles,
                manifest=manifest,
            )
            for scenario in scenarios
        ]

    monkeypatch.setattr(surveying, "_searched", missing)
    monkeypatch.setattr(surveying, "measure", measured)
    monkeypatch.setattr(surveying, "_counts", lambda survey, case: None)
    kept: list[int] = []
    points = survey_points(
        survey, due, tmp_path, manifest, keep=lambda so_far: kept.append(len(so_far))
    )
    assert points[0].pps == 40e6
    assert points[1].why_not == "testpmd is not here"
    assert kept == [2, 2, 2]
    assert not_varied(points) == ["testpmd: testpmd is not here"]


def _point(label: str, **keys: Any) -> SurveyPoint:
    usual: dict[str, Any] = {"threads": 1, "cores": 1, "flows": 100, "by": "measure"}
    return SurveyPoint(label=label, **(usual | keys))


def test_an_earlier_run_fills_what_is_missing() -> None:
    slow = _point("a", ghz=2.2, rates={"NDR": _rate(1e6)})
    fast = _point("a", ghz=3.2, why_not="the clock can't be fixed here")
    then = [_point("a", ghz=2.2, why_not="x"), _point("a", ghz=3.2, rates={"NDR": _rate(2e6)})]
    whole = filled([slow, fast], then)
    assert [point.pps for point in whole] == [1e6, 2e6]


def test_ceilings_are_the_cards(tmp_path: Path) -> None:
    survey = survey_of(tmp_path, "{cores: [1, 8]}")
    survey = survey.model_copy(update={"file": survey.file.model_copy(update={"card": "x710"})})
    limits = ceilings_of(survey)
    assert set(limits) == {"1", "8"}
    # Two cards of 35.8 million packets a second for four ports, four for sixteen.
    assert limits["8"]["NIC"] == pytest.approx(4 * 35.8e6, rel=0.01)


def test_the_page_has_the_documents_shape(tmp_path: Path, manifest: Manifest) -> None:
    split = InstructionSplit(io=40, processing=455, other=25, instrument="singlestep")
    cycles = Estimate(value=433.0, unit="cycles/packet", kind="measured")
    points = [
        _point(
            "ours",
            cores=cores,
            rates={"throughput": _rate(cores * 5.8e6)},
            split=split,
            cycles_per_packet=cycles,
            cycles_of="time-stamp counter",
        )
        for cores in (1, 2)
    ]
    points.append(_point("ours", cores=4, why_not="4 cores: this machine lends 2"))
    answer = SurveyAnswer(
        name="cores",
        question="How does it scale?",
        document="In the shape of Figure 14.",
        points=tuple(points),
        ceilings={"1": {"NIC": 71.6e6}, "2": {"NIC": 71.6e6}},
        not_varied=("4 cores: this machine lends 2",),
        manifest=manifest,
    )
    path = tmp_path / "result.json"
    path.write_text(answer.model_dump_json())
    assert read_result(path) == answer
    page = report_html(answer)
    for title in ("Performance and efficiency", "Relative changes", "Not measured here"):
        assert title in page
    for drawn in ('id="cores-plot"', 'id="split-plot"', "ceiling: NIC", "this machine lends 2"):
        assert drawn in page
    assert ">2.000<" in page  # two cores over one


def test_the_shipped_surveys_load(repository: Path) -> None:
    names = ("single-core", "frequency", "cores", "flows")
    for name in names:
        survey = load_survey(repository / "studies" / f"{name}.yaml")
        assert survey.file.name == name
        root = Root(repository / "none")
        made: list[Case] = list(cases(survey, (0, 1), root))
        assert any(not case.why_not for case in made)


def test_ipc_is_reported_of_core_cycles_alone(manifest: Manifest, make_result: Any) -> None:
    point = SurveyPoint(label="a", threads=1, cores=1, flows=1, by="measure")
    counted = surveying._of_result(point, make_result(), None)
    assert (counted.ipc, counted.cycles_of) == (None, "time-stamp counter")


def test_what_forwards_already_keeps_its_cpus(tmp_path: Path) -> None:
    survey_of(tmp_path)
    other = "{kind: otg, server: 'http://127.0.0.1:8080', ports: [a, b]}"
    (tmp_path / "testpmd.yaml").write_text(
        f"name: t\ndataplane: {{kind: external}}\ngenerator: {other}\n"
    )
    survey = load_survey(tmp_path / "survey.yaml")
    points = list(cases(survey, (0, 1), machine(tmp_path / "m", ["0", "1"])))
    external = next(point for point in points if point.subject.label == "testpmd")
    assert external.why_not == ""
    assert external.scenario.placement == survey.scenarios[1].placement
