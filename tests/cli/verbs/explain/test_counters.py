"""The verb on recorded counters: text, JSON and csv; options that contradict each other."""

from __future__ import annotations

import json
import shlex
from pathlib import Path

import pytest
from typer.testing import CliRunner

from planecast.cli.app import app
from planecast.errors import InputError

ZEN = """\
# started on Sun Nov 22 08:00:00 2026

3000000000,,cycles,1000000000,100.00,,
3600000000,,instructions,1000000000,100.00,,
9000000000,,de_no_dispatch_per_slot.no_ops_from_frontend,1000000000,100.00,,
3600000000,,de_no_dispatch_per_slot.backend_stalls,1000000000,100.00,,
0,,de_no_dispatch_per_slot.smt_contention,1000000000,100.00,,
4000000000,,de_src_op_disp.all,1000000000,100.00,,
3900000000,,ex_ret_ops,1000000000,100.00,,
"""


def run(*arguments: str) -> str:
    found = CliRunner().invoke(app, ["explain", *arguments], catch_exceptions=False)
    assert found.exit_code == 0
    return found.stdout


def refused(*arguments: str) -> str:
    with pytest.raises(InputError) as error:
        CliRunner().invoke(app, ["explain", *arguments], catch_exceptions=False)
    return str(error.value)


@pytest.fixture
def zen(tmp_path: Path) -> str:
    file = tmp_path / "zen4.csv"
    file.write_text(ZEN, encoding="utf-8")
    return str(file)


def test_the_questions_are_answered_in_order(zen: str) -> None:
    text = run("--from", zen, "--arch", "genoa", "--packets", "10000000", "--wide")
    questions = ["What limits it", "How sure that is", "What to try", "Fetch latency"]
    places = [text.index(question) for question in questions]
    assert places == sorted(places)
    assert "Frontend bound 50.0 % (over 15 % of the slots)" in text
    assert "360.0  instructions/packet" in text
    assert "300.0  core cycles/packet" in text
    assert "count de_no_dispatch_per_slot.no_ops_from_frontend:c6 too" in text


def test_json_holds_the_same(zen: str, tmp_path: Path) -> None:
    file = tmp_path / "answer.json"
    run("--from", zen, "--arch", "zen4", "--format", "json", "-o", str(file))
    found = json.loads(file.read_text(encoding="utf-8"))
    frontend = next(node for node in found["nodes"] if node["node"] == "frontend_bound")
    assert frontend["share"]["value"] == 0.5
    assert frontend["over"] is True
    assert found["limits"][0].startswith("Frontend bound 50.0 %")
    assert found["manifest"]["engine"] == "explain"


def test_csv_has_a_line_a_node(zen: str) -> None:
    lines = run("--from", zen, "--arch", "zen4", "--format", "csv").splitlines()
    assert lines[0] == "name,level,value,low,high,unit,threshold,over,samples,kind,marks"
    assert lines[1].startswith("frontend_bound,1,0.5,,,share of slots,0.15,True,1,computed,")


def test_a_page_and_the_others_say_the_same(zen: str, tmp_path: Path) -> None:
    file = tmp_path / "zen4.html"
    said = run("--from", zen, "--arch", "zen4", "--against", zen, "-o", str(file))
    assert said == f"{file}\n"
    page = file.read_text(encoding="utf-8")
    assert "Frontend bound 50.0 % (over 15 % of the slots)" in page
    assert 'id="tree-plot"' in page
    assert 'id="points-plot"' in page


def test_a_recording_next_to_a_published_row(zen: str) -> None:
    text = run(
        "--from", zen, "--arch", "zen4", "--packets", "1e7", "--against", "OVS-L2 HT", "--wide"
    )
    assert "B: ovs-l2 HT" in text
    assert "Frontend bound -23.6 points" in text
    assert "Instructions" in text.split("B - A")[1]


def test_what_was_explained_before_is_compared_with(zen: str, tmp_path: Path) -> None:
    file = tmp_path / "before.json"
    run("--from", zen, "--arch", "zen4", "--packets", "1e7", "-o", str(file))
    text = run("--from", zen, "--arch", "zen4", "--packets", "2e7", "--against", str(file))
    assert "B takes +150.0 core cycles a packet (150.0 to 300.0)" in text
    assert run("--from", str(file)) == run("--from", zen, "--arch", "zen4", "--packets", "1e7")
    file.write_text(file.read_text().replace('"level": 1', '"level": "high"', 1))
    assert "it is not an explanation of this version: nodes" in refused(
        "--from", zen, "--against", str(file)
    )


def test_the_page_shows_real_output(repository: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", "80")
    page = (repository / "docs/how-to/counters.md").read_text(encoding="utf-8")
    for command in ('--published "l3fwd noHT"', '--published "l3fwd noHT" --against "l3fwd HT"'):
        block = page.split(f"$ planecast explain {command}\n")[1].split("```")[0]
        assert block == run(*shlex.split(command))


def test_published_rows_and_events_are_listed() -> None:
    listed = run("--published", "list")
    assert "ovs-l2 HT" in listed
    assert "--published list" in refused("--published", "nobody")
    assert "memory and store side" in run("--published", "l3fwd noht")
    events = run("--events", "E5-2699v4")
    assert "cpu/event=0x9c,umask=0x1,name=idq_uops_not_delivered_core/" in events


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        (("--packets", "1", "--pps", "2Mpps"), "--packets and --pps are both given"),
        (("--packets", "-1"), "give a number above 0"),
        (("--packets", "nan"), "give a number above 0"),
        (("--pps", "much"), "--pps: got 'much'"),
        (("--pps", "1Mpps"), "doesn't say how long it counted; give --packets"),
        (("--arch", "z80"), "no top-down definition is known for 'z80'"),
        (("--place", "CPU7"), "CPU7 is not in the file"),
        (("--published", "l3fwd HT"), "--from and --published are both given"),
        (("--against", "nowhere.csv"), "nowhere.csv: there is no such file"),
    ],
)
def test_what_can_not_be_asked_gets_a_sentence(
    zen: str, arguments: tuple[str, ...], sentence: str
) -> None:
    assert sentence in refused("--from", zen, *arguments)


def test_a_file_that_is_not_there_gets_a_sentence(tmp_path: Path) -> None:
    assert "there is no such file" in refused("--from", str(tmp_path / "nothing.csv"))
