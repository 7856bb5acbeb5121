"""The page over a program of others: the keys that its calibration knows, and no simulator."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from tests.calibrate.made_counters import Truth, perf_file
from tests.explore.conftest import Ask
from tests.explore.page import Page, page
from tests.traced_programs import BASE, POINTS, PROFILE, measured_program

from planecast.calibrate.counted_run import Condition, counted_run
from planecast.calibrate.from_counters import calibrate_counters
from planecast.engines.solve import solve
from planecast.errors import InputError
from planecast.explore.begin import session_of
from planecast.explore.session import Session
from planecast.instruments.recorded import read_recording
from planecast.machine.hierarchy import Hierarchy
from planecast.model.calibrate import calibrate
from planecast.results import Manifest, Result, RunDirectory, collect_manifest
from planecast.results.store import CALIBRATION
from planecast.scenario import Scenario, with_overrides
from planecast.scenario.machine import machine_of

__all__ = ["page"]


@pytest.fixture
def results(hierarchy: Hierarchy, manifest: Manifest) -> list[Result]:
    """What the program's calibration was fitted to."""
    return measured_program(POINTS, hierarchy, manifest, noise=0.003)


@pytest.fixture
def programs(
    tmp_path: Path, results: list[Result], hierarchy: Hierarchy, manifest: Manifest
) -> Path:
    """A folder of runs whose one calibration is of l3fwd."""
    fitted = calibrate(results, hierarchy, {"program": PROFILE.counts}, manifest, PROFILE)
    with RunDirectory.create(tmp_path / "programs", "calibrate", "l3fwd") as run:
        run.write_json(CALIBRATION, fitted)
        run.write_result(results)
    return tmp_path / "programs"


@pytest.fixture
def session(programs: Path) -> Session:
    """What plain ``planecast explore`` begins with there."""
    return session_of(None, {}, None, programs)


def test_without_an_argument_it_is_what_the_latest_calibration_is_of(session: Session) -> None:
    assert session.base.dataplane.kind == "l3fwd"
    assert session.base.traffic.flows == BASE.traffic.flows
    changed = session_of(None, {"traffic.flows": 77}, None, session.root)
    assert changed.base.traffic.flows == 77


def test_its_answers_are_the_closed_forms(ask: Ask, session: Session) -> None:
    page = ask("page")
    assert page["program"] == "l3fwd"
    assert set(PROFILE.stages) <= set(page["stage_colours"])
    found = ask("answer", changes={"placement.burst": 8})
    (expected,) = solve(
        [with_overrides(session.base, {"placement.burst": 8})],
        session.chosen("l3fwd").model,
        collect_manifest("solve", 1),
    )
    assert found["throughput"] == expected.throughput_pps.model_dump(mode="json")
    assert [stage["stage"] for stage in found["stages"]]
    curve = ask("curve", changes={}, key="traffic.flows")
    assert sum(why is None for why in curve["refused"]) > 5
    heat = ask("heat", changes={}, across="traffic.flows", up="placement.burst")
    assert any(value is not None for value in heat["throughput_pps"])
    assert ask("front", changes={}, prices={"placement.burst": 1})["front"]
    assert ask("history", changes={})["runs"] == 1
    assert len(found["measured"]) == 0 or found["measured"][0]["values"] == {}


def test_its_controls_are_keys_that_the_calibration_knows(ask: Ask) -> None:
    controls = {one["key"]: one for one in ask("controls", changes={})["controls"]}
    assert {"traffic.flows", "placement.burst", "dataplane.routes", "machine"} <= controls.keys()
    assert controls["dataplane.routes"]["text"]
    assert not [key for key in controls if key.startswith(("workload.", "nic.", "interference."))]
    assert "placement.lcores" not in controls
    assert all(one["engine"] == "solve" for one in controls.values())
    for key, control in controls.items():
        for value in control["values"][-1:]:
            found = ask("answer", changes={key: value})
            answered = found.get("throughput", {}).get("value", 0) > 0
            assert answered != bool(found.get("refused")), (key, value, found)
            assert "mistake in planecast" not in found.get("refused", ""), (key, value, found)


def test_the_simulator_says_that_it_does_not_play_it(ask: Ask) -> None:
    assert "planecast's own pipelines, not l3fwd" in ask("timed", changes={}, load=0.8)["refused"]


def test_a_measured_point_is_added(ask: Ask, session: Session, results: list[Result]) -> None:
    scenario = with_overrides(results[0].scenario, {"placement.burst": 24})
    session.measuring.done.append(results[0].model_copy(update={"scenario": scenario}))
    before = session.chosen("l3fwd").model.points
    found = ask("add", changes={})
    assert "refused" not in found, found
    assert session.chosen("l3fwd").model.points == before + 1


@pytest.mark.parametrize(
    ("dataplane", "why"),
    [
        ({"kind": "testpmd", "host": "elsewhere"}, "it runs on elsewhere"),
        ({"kind": "command", "command": "./mine {in} {out}"}, "does not take its ports"),
    ],
)
def test_what_no_calibration_can_be_of_is_refused_with_the_reason(
    programs: Path, dataplane: dict[str, str], why: str
) -> None:
    scenario = Scenario.model_validate({"name": "mine", "dataplane": dataplane})
    with pytest.raises(InputError, match=why):
        Session(scenario, programs)


def test_another_program_than_the_calibrated_one_gets_a_sentence(programs: Path) -> None:
    scenario = Scenario.model_validate({"name": "mine", "dataplane": {"kind": "testpmd"}})
    with pytest.raises(InputError, match="there is no calibration of testpmd io"):
        Session(scenario, programs).chosen(scenario.forwards)


@pytest.fixture
def counters(tmp_path: Path) -> Callable[[Path], Path]:
    """Adds a calibration from counters of nobody knows what to a folder of runs."""

    def made(root: Path) -> Path:
        truth = Truth(machine_of("gold-6152"))
        counted = []
        for ways in (11, 5, 2):
            file = perf_file(tmp_path / f"w{ways}.csv", truth.counts(ways, 2.1, 4e6))
            condition = Condition(file.name, core_ghz=2.1, llc_ways=ways, packets=4e6)
            counted.append(counted_run(read_recording(file), condition, truth.machine))
        done = calibrate_counters(counted, truth.machine, collect_manifest("import", 0))
        with RunDirectory.create(root, "calibrate", "counters-gold-6152") as run:
            run.write_json(CALIBRATION, done.calibration)
            run.write_result([])
        return root

    return made


def test_another_data_plane_is_another_page(ask: Ask) -> None:
    found = ask("answer", changes={"dataplane.kind": "testpmd"})
    assert "this page is of l3fwd" in found["refused"]


def test_counters_of_something_unnamed_are_passed_over(
    root: Path, counters: Callable[[Path], Path]
) -> None:
    counters(root)
    assert session_of(None, {}, None, root).base.workload.kind == "vpe-upstream"


def test_counters_alone_ask_for_the_scenario(
    tmp_path: Path, counters: Callable[[Path], Path]
) -> None:
    with pytest.raises(InputError, match="counters of one workload"):
        session_of(None, {}, None, counters(tmp_path / "alone"))


def test_the_page_of_counters_answers_for_what_was_counted(
    tmp_path: Path, counters: Callable[[Path], Path]
) -> None:
    """Its scenario's: keys that counters say nothing of are folded, and refused when set."""
    page = Session(Scenario(name="counted"), counters(tmp_path / "alone"))
    chosen = page.chosen("vpe-upstream")
    matters = {one.key: one.matters for one in page.controls(page.base, chosen)}
    assert not matters["placement.burst"]
    assert not matters["traffic.flows"]
    assert matters["placement.core_ghz"]
    chosen.refuse_other_workloads([page.base])
    with pytest.raises(InputError, match="counters of counted, and the scenario differs"):
        chosen.refuse_other_workloads([page.scenario({"placement.burst": 8})])


@pytest.mark.browser
@pytest.mark.parametrize("width", [400, 1280])
def test_the_page_of_a_program(page: Page, width: int) -> None:
    page.open(width=width, timed=False)
    assert "(l3fwd)" in page.run("return document.getElementById('name').textContent")
    assert page.run("return document.getElementById('timed')") is None
    assert page.run("return document.documentElement.scrollWidth") <= width
    first = page.figure()
    page.type("placement.burst", "4")
    page.changed_from(first)
    keys = page.run("return [...document.querySelectorAll('.row')].map(row => row.dataset.key)")
    assert "dataplane.routes" in keys
    assert "placement.lcores" not in keys
    assert page.until("document.querySelectorAll('#front tbody tr').length") >= 1
    assert page.run("return document.querySelector('#front [role=status]').textContent")[
        0
    ].isdigit()
    assert page.browser.complaints() == []
