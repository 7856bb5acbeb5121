"""The shipped definitions are whole, and what is wrong with another is reported with its line."""

from __future__ import annotations

from pathlib import Path

import pytest

from planecast.errors import InputError
from planecast.topdown import definition_names, find_definition, load_definition
from planecast.topdown.load import definition_of_family

MEANINGS = "top: {title: Top, means: all of it}\nnext: {title: Next, means: a part}\n"
GOOD = """\
name: made
title: a made-up core
source: this test
names: []
events:
  cycles: [CLKS]
  slots: [UOPS]
constants: {WIDTH: 4 slots/cycle}
nodes:
  top: {formula: UOPS / (WIDTH * CLKS), over: 0.5}
"""


def written(folder: Path, text: str, name: str = "made") -> Path:
    (folder / "own").mkdir(exist_ok=True)
    (folder / "own" / f"{name}.yaml").write_text(text, encoding="utf-8")
    (folder / "meanings.yaml").write_text(MEANINGS, encoding="utf-8")
    return folder


@pytest.mark.parametrize("name", definition_names())
def test_a_shipped_definition_is_whole(name: str) -> None:
    definition = load_definition(name)
    assert [node.name for node in definition.children(None)][-1] == "retiring"
    depth = 4 if "intel" in definition.file.title.lower() else 2
    assert max(node.level for node in definition.nodes.values()) == depth
    for node in definition.nodes.values():
        assert node.meaning.means
        assert node.meaning.tries
        assert 0 < node.entry.over < 1
    assert {"instructions_per_cycle", "instructions", "cycles"} <= definition.metrics.keys()
    if definition.file.extends is None:
        declared = {event for events in definition.file.events.values() for event in events}
        assert declared == set(definition.events), "an event is declared and never used"


def test_six_micro_architectures_are_there() -> None:
    assert set(definition_names()) == {
        "broadwell", "skylake", "icelake", "sapphirerapids", "zen4", "zen5",
    }  # fmt: skip


@pytest.mark.parametrize(
    ("text", "name"),
    [
        ("broadwell", "broadwell"),
        ("BDX", "broadwell"),
        ("E5-2699v4", "broadwell"),
        ("gold-6152", "skylake"),
        ("Cascade Lake", "skylake"),
        ("platinum-8358", "icelake"),
        ("emerald_rapids", "sapphirerapids"),
        ("Genoa", "zen4"),
    ],
)
def test_a_definition_is_found_by_what_people_call_it(text: str, name: str) -> None:
    assert find_definition(text).name == name


def test_a_name_that_nobody_knows_gets_the_list() -> None:
    with pytest.raises(InputError, match="name one of zen4, zen5, broadwell"):
        find_definition("pentium")


def test_a_processor_is_found_by_family_and_model() -> None:
    found = definition_of_family(6, 0x55)
    assert found is not None
    assert found.name == "skylake"
    zen = definition_of_family(0x19, 0x11)
    assert zen is not None
    assert zen.name == "zen4"
    assert definition_of_family(6, 0x0F) is None


def test_a_definition_can_change_another(tmp_path: Path) -> None:
    written(tmp_path, GOOD)
    changed = "name: wider\ntitle: wider\nsource: this test\nextends: made\nnames: []\n"
    changed += "constants: {WIDTH: 8 slots/cycle}\nevents:\n  slots: [IDLE]\nnodes:\n"
    changed += "  next: {parent: top, formula: top - IDLE / (WIDTH * CLKS), over: 0.1}\n"
    written(tmp_path, changed, "wider")
    wider = load_definition("wider", tmp_path)
    assert wider.constants == {"WIDTH": 8}
    assert wider.events_of("next", smt=False) == {"UOPS", "CLKS", "IDLE"}
    assert [node.level for node in wider.nodes.values()] == [1, 2]


@pytest.mark.parametrize(
    ("old", "new", "sentence"),
    [
        ("UOPS / (", "UOPS + (2 / (", r"made.yaml:10: top: .* never closed"),
        ("UOPS / (WIDTH * CLKS)", "UOPS / CLKS", "made.yaml:10: top is slots/cycle, not a share"),
        ("UOPS / (WIDTH * CLKS)", "UOPS / (WIDTH + CLKS)", "'\\+' joins slots/cycle and cycles"),
        ("* CLKS)", "* TICKS)", "TICKS is not declared"),
        ("UOPS / (", "top * UOPS / (", "top depends on itself: top → top"),
        ("4 slots/cycle", "four", "made.yaml:8: WIDTH"),
        ("[UOPS]", "[CLKS]", "the event CLKS appears twice"),
        ("  slots:", "  furlongs:", "made.yaml:7: got the unit 'furlongs'"),
        ("top: {", "top: {parent: next, ", "comes before its parent"),
        ("top: {", "other: {", "there is no meaning of other"),
        ("top: {", "UOPS: {", "is defined twice"),
        ("over: 0.5", "over: 0.5, colour: red", "unknown key"),
        ("names: []", "names: []\nextends: nobody", "there is no definition 'nobody'"),
    ],
)
def test_what_is_wrong_is_reported_with_its_line(
    tmp_path: Path, old: str, new: str, sentence: str
) -> None:
    written(tmp_path, GOOD.replace(old, new))
    with pytest.raises(InputError, match=sentence):
        load_definition("made", tmp_path)
