"""The page in headless Chromium, where it does something: measures, adds, reads runs, copies."""

from __future__ import annotations

import json
import shlex
from collections.abc import Callable
from pathlib import Path

import pytest
from tests.cli.conftest import Run, run
from tests.explore.page import Page, page
from tests.explore.test_measuring import program
from tests.explore.test_past import BURST, LEVELS, recorded

from planecast.explore.copying import scenario_yaml
from planecast.explore.session import Session
from planecast.results import Result, ResultSet, RunDirectory
from planecast.scenario import with_overrides
from planecast.sweep import Job, Plan, Workers, parse_axis, run_sweep

__all__ = ["page", "program", "run"]

pytestmark = pytest.mark.browser

BASIS = "document.getElementById('basis').textContent"
SAID = "document.querySelector('#measure [role=status]').textContent"


def click(page: Page, name: str) -> None:
    page.run(f"document.getElementById('{name}').click()")


def test_a_point_is_measured_shown_and_added(
    page: Page,
    session: Session,
    points: list[Result],
    program: Callable[[str], tuple[str, ...]],
) -> None:
    asked = with_overrides(points[0].scenario, {"placement.burst": 128})
    answer = session.root / "answer.json"
    measured = points[0].model_copy(update={"scenario": asked})
    answer.write_text(ResultSet(results=(measured,)).model_dump_json())
    session.measuring.program = program(
        "assert 'burst: 128' in Path(sys.argv[2]).read_text()\n"
        "assert sys.argv[3:5] == ['--seconds', '1']\n"
        f"Path(sys.argv[-1]).write_text(Path({str(answer)!r}).read_text())"
    )
    page.open("placement.burst=128&-curve=placement.burst")
    before = page.run(f"return {BASIS}")
    assert page.run("return document.getElementById('measure-add').disabled")
    assert page.run("return document.querySelectorAll('#curve .measured').length") == 0
    page.run("document.getElementById('measure-seconds').value = '1'")
    click(page, "measure-start")
    dot = page.until("document.querySelector('#measure .dots li')?.textContent")
    assert "% cycles" in dot
    page.until("document.querySelector('#curve .measured circle')")
    page.until("!document.getElementById('measure-add').disabled")
    click(page, "measure-add")
    page.until(f"{BASIS} !== {json.dumps(before)}")
    basis = page.run(f"return {BASIS}")
    assert session.chosen("vpe-upstream").basis.run in basis
    assert "not validated" in basis
    page.until(f"{SAID}.includes('from now on')")
    page.until("!document.querySelector('#headline.extrapolates')")  # it is within now
    assert page.browser.complaints() == []


def test_a_measurement_is_stopped_and_a_refusal_is_read(
    page: Page, session: Session, program: Callable[[str], tuple[str, ...]]
) -> None:
    session.measuring.program = program("time.sleep(60)")
    page.open()
    click(page, "measure-start")
    page.until("!document.getElementById('measure-stop').hidden")
    assert page.run("return document.getElementById('measure-start').disabled")
    assert page.until(SAID).startswith("measuring: ")
    click(page, "measure-stop")
    page.until("!document.getElementById('measure-start').disabled")
    assert "stopped" in page.until(SAID)
    page.run("document.getElementById('measure-seconds').value = '0'")
    click(page, "measure-start")
    page.until(f"{SAID}.includes('say 1 to')")
    session.measuring.program = program(
        "print('planecast: no huge pages', file=sys.stderr); sys.exit(3)"
    )
    page.run("document.getElementById('measure-seconds').value = '1'")
    click(page, "measure-start")
    page.until(f"{SAID}.includes('no huge pages')")


def test_a_page_that_is_loaded_again_knows_the_measurement(
    page: Page,
    session: Session,
    points: list[Result],
    tmp_path: Path,
    program: Callable[[str], tuple[str, ...]],
) -> None:
    answer, go = session.root / "answer.json", tmp_path / "go"
    answer.write_text(ResultSet(results=(points[0],)).model_dump_json())
    session.measuring.program = program(
        f"while not Path({str(go)!r}).exists():\n    time.sleep(0.01)\n"
        f"Path(sys.argv[-1]).write_text(Path({str(answer)!r}).read_text())"
    )
    session.measuring.start(session.base, 1)
    page.open()
    page.until("!document.getElementById('measure-stop').hidden")
    go.touch()
    page.until("document.querySelector('#measure .dots li')?.textContent")
    page.until("!document.getElementById('measure-add').disabled")
    page.open()
    page.until("!document.getElementById('measure-add').disabled")
    assert page.run(f"return {SAID}") == ""


def test_the_recorded_sweep_has_a_front_of_its_own(page: Page, session: Session) -> None:
    chosen = session.chosen("vpe-upstream")
    axes = [parse_axis("placement.lcores=1,2,4"), parse_axis("placement.burst=4,16,64")]
    job = Job(
        plan=Plan.of(session.base, axes, "grid", None, 1),
        calibration=chosen.model,
        engine="solve",
        precision=0.1,
        batch=4,
        manifest=chosen.model.manifest,
    )
    with RunDirectory.create(session.root, "sweep", "test") as kept:
        run_sweep(job, kept, Workers(1), lambda *_: None)
    session.sweep = kept
    page.open()
    said = "document.querySelector('#front [role=status]').textContent"
    computed = page.until(said)
    click(page, "front-recorded")
    page.until(f"{said}.startsWith('9 of 9 points')")
    assert page.run("return document.querySelectorAll('#front tbody tr').length") == 3
    assert "-recorded=true" in page.run("return location.hash")
    click(page, "front-recorded")
    page.until(f"{said} === {json.dumps(computed)}")


def test_a_copied_command_answers_as_the_page_does(
    page: Page, session: Session, tmp_path: Path, run: Run
) -> None:
    file = tmp_path / "my scenario.yaml"
    file.write_text(scenario_yaml(session.base))
    session.file = str(file)
    page.open("traffic.flows=4096&placement.page_size=4KiB")
    click(page, "copy")
    line = page.until("document.getElementById('copy-predict')?.textContent")
    words = shlex.split(line)
    assert words[:3] == ["planecast", "predict", str(file)]
    answer = run(*words[1:], "--format", "json").json()
    (found,) = answer["results"]
    mpps = found["throughput_pps"]["value"] / 1e6
    assert float(page.figure()) == pytest.approx(mpps, rel=1e-3)
    for verb in ("measure", "explore"):
        other = page.run(f"return document.getElementById('copy-{verb}').textContent")
        assert shlex.split(other)[:3] == ["planecast", verb, str(file)]
        assert "traffic.flows=4096" in shlex.split(other)
    page.run(
        "document.querySelector('#copy-predict').closest('section').querySelector('button').click()"
    )
    page.until(
        "document.querySelector('#copy-predict').closest('section').querySelector('button')"
        ".textContent === 'Copied' || getSelection().toString() === "
        f"{json.dumps(line)}"
    )


@pytest.mark.parametrize(("width", "scheme"), [(400, "dark"), (1280, "light")])
def test_the_history_of_the_scenario(
    page: Page, session: Session, points: list[Result], width: int, scheme: str
) -> None:
    slower = recorded(session.root, points[0], LEVELS)[4]
    page.open(f"placement.burst={BURST['placement.burst']}", width, scheme)
    page.until("document.querySelectorAll('#history svg circle').length === 7")
    rows = page.run(
        "return [...document.querySelectorAll('#history tbody tr')].map(row => row.textContent)"
    )
    assert len(rows) == 2
    assert "regression" in rows[0]
    assert slower in rows[0]
    assert "-20.0 %" in rows[0]
    assert page.run("return document.documentElement.scrollWidth") <= width
    overlapping = page.run(
        "const texts = [...document.querySelectorAll('#history svg text')];"
        "const boxes = texts.map(text => text.getBoundingClientRect());"
        "return texts.filter((_, i) => boxes.some((b, j) => j > i && b.left < boxes[i].right"
        " && boxes[i].left < b.right && b.top < boxes[i].bottom && boxes[i].top < b.bottom))"
        ".map(text => text.textContent)"
    )
    assert overlapping == []
    page.type("placement.burst", "7")
    page.until("document.querySelector('#history .readout').textContent.startsWith('no run')")
    assert page.browser.complaints() == []
