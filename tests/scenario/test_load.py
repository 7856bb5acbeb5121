"""Scenario files: what is read, and the sentence that each mistake gets."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from planecast.errors import InputError
from planecast.scenario import (
    FUNCTIONS,
    SCENARIO_KEYS,
    Scenario,
    load_scenario,
    load_varied,
    with_overrides,
)
from planecast.scenario.document import parse_document, parse_value
from planecast.scenario.study import load_study
from planecast.search.simulated import refuse_own_load


def test_the_shipped_scenario_is_the_default_one(repository: Path) -> None:
    assert load_scenario(repository / "scenarios/vpe-upstream.yaml") == Scenario(
        name="vpe-upstream"
    )


def test_overrides_stand_over_the_file(scenario_file: Path) -> None:
    scenario = load_scenario(
        scenario_file,
        {"traffic.flows": "64Ki", "workload.stages": "acl,key", "placement.cpus": "1,0,2,8"},
    )
    assert scenario.traffic.flows == 65536
    assert scenario.workload.stages == ("acl", "key")
    assert scenario.placement.cpus == "0-2,8"
    assert scenario.placement.numbers == (0, 1, 2, 8)
    assert scenario.placement.lcores == 4


def write(folder: Path, text: str) -> Path:
    path = folder / "s.yaml"
    path.write_text(text, encoding="utf-8")
    return path


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        (
            "name: x\ntraffic:\n  flos: 4\n",
            "s.yaml:3: unknown key traffic.flos; did you mean traffic.flows?",
        ),
        ("name: x\ntrafic: {}\n", "s.yaml:2: unknown key trafic; did you mean traffic?"),
        (
            "name: x\nburst: 4\n",
            "s.yaml:2: unknown key burst; did you mean placement.burst?",
        ),
        (
            "name: x\ntraffic: {flows: abc}\n",
            "s.yaml:2: traffic.flows: got 'abc', which is not a whole number such as 4096 or 64Ki; "
            "allowed is a whole number from 1 to 16777216",
        ),
        (
            "name: x\nplacement:\n  burst: 257\n",
            "s.yaml:3: placement.burst: got 257; allowed is a whole number from 1 to 256",
        ),
        (
            "name: x\nplacement:\n  burst: true\n",
            "s.yaml:3: placement.burst: got true; allowed is a whole number from 1 to 256",
        ),
        (
            "name: x\nplacement:\n  burst:\n",
            "s.yaml:3: placement.burst: got nothing; allowed is a whole number from 1 to 256",
        ),
        (
            "name: x\nneighbour:\n  stream: 0\n",
            "s.yaml:3: neighbour.stream: got 0; allowed is a whole number from 16384 to 4294967296",
        ),
        (
            "name: x\nworkload:\n  route_depth: 5\n",
            "s.yaml:3: workload.route_depth: got 5; "
            "allowed is mixed or a whole number from 8 to 32",
        ),
        (
            "name: x\nplacement:\n  page_size: 1GiB\n",
            "s.yaml:3: placement.page_size: got '1GiB'; allowed is one of auto, 4KiB, 2MiB",
        ),
        (
            "name: x\nplacement:\n  cpus: 3-1\n",
            "s.yaml:3: placement.cpus: got '3-1', in which 3-1 runs backwards",
        ),
        (
            "name: x\ntraffic: 7\n",
            "s.yaml:2: traffic: got 7; allowed is a section with the keys "
            "frame_bytes, frame_mix, flows, destination_step, seed, offered_pps, arrivals, "
            "burst_packets, burst_pps, burst_gaps, pcap, new_flows_pps, dropped, "
            "drop_cycles, classes",
        ),
        (
            "name: x\nworkload:\n  stages: [acl, classify]\n",
            "s.yaml:3: workload.stages: got 'acl,classify', in which classify has no flow key; "
            "add the stage key before it",
        ),
        (
            "name: x\nworkload:\n  stages: [key, acl]\n",
            "s.yaml:3: workload.stages: got 'key,acl', which is not in the order of vpe-upstream, "
            "each stage once: acl,key,classify,actions,route",
        ),
        (
            "name: x\ntraffic: {destination_step: 0.4.0}\n",
            "s.yaml:2: traffic.destination_step: got '0.4.0', which is not an IPv4 step such as "
            "0.4.0.0",
        ),
        (
            "name: x\nplacement:\n  rx_ring: 100\n",
            "s.yaml:3: placement.rx_ring: got 100, which is not a power of two; "
            "allowed is a whole number from 32 to 16384",
        ),
        (
            "name: x\ntraffic:\n  flows: 70000\n",
            "s.yaml:2: traffic: 70000 flows are active, more than the 65536 entries of the flow "
            "table; raise workload.flows or lower traffic.flows",
        ),
        ("machine: host\n", "s.yaml: the key name is missing; add it: text"),
        ("name: a/b\n", "s.yaml:1: name: got 'a/b'; a name is 1 to 64 letters, digits and . _ -"),
        ("name: x\nname: y\n", "s.yaml:2: the key name appears twice; remove one of the two"),
        (
            "- name: x\n",
            "s.yaml: the file holds a list where a mapping of keys is needed; begin with `name:`",
        ),
        (
            "",
            "s.yaml: the file holds nothing where a mapping of keys is needed; begin with `name:`",
        ),
        (
            "name: x\n  machine: host\n",
            "s.yaml:2: this is not YAML: mapping values are not allowed here; correct that line",
        ),
    ],
)
def test_each_mistake_has_its_sentence(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, text: str, sentence: str
) -> None:
    monkeypatch.chdir(tmp_path)
    write(tmp_path, text)
    with pytest.raises(InputError) as error:
        load_scenario("s.yaml")
    assert str(error.value) == sentence


def test_two_mistakes_name_the_unknown_key_and_count_the_other(tmp_path: Path) -> None:
    path = write(tmp_path, "name: x\ntraffic: {flows: abc, flos: 1}\n")
    with pytest.raises(InputError, match=r"unknown key traffic.flos.*\(and 1 more\)"):
        load_scenario(path)


@pytest.mark.parametrize(
    ("key", "value", "sentence"),
    [
        (
            "traffic.flows",
            "abc",
            "--set traffic.flows=abc: got 'abc', which is not a whole number such as 4096 or 64Ki; "
            "allowed is a whole number from 1 to 16777216",
        ),
        (
            "traffic.flws",
            1,
            "--set traffic.flws=1: unknown key traffic.flws; did you mean traffic.flows?",
        ),
        (
            "trafic.flows",
            1,
            "--set trafic.flows=1: unknown key trafic.flows; did you mean traffic.flows?",
        ),
        (
            "flows",
            1,
            "--set flows=1: unknown key flows; did you mean workload.flows or traffic.flows?",
        ),
        (
            "traffic.flows",
            "128Ki",
            "--set traffic.flows=128Ki: traffic: 131072 flows are active, more than the 65536 ",
        ),
        (
            "traffic",
            1,
            "--set traffic=1: traffic is a section; set a key in it: traffic.frame_bytes, "
            "traffic.frame_mix, traffic.flows, traffic.destination_step, traffic.seed",
        ),
    ],
)
def test_each_mistake_in_set_has_its_sentence(
    scenario_file: Path, key: str, value: object, sentence: str
) -> None:
    with pytest.raises(InputError) as error:
        load_scenario(scenario_file, {key: value})
    assert str(error.value).startswith(sentence)


def test_files_that_are_no_yaml_files(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="there is no such file; check the name"):
        load_scenario(tmp_path / "absent.yaml")
    with pytest.raises(InputError, match="can't read the file: Is a directory"):
        load_scenario(tmp_path)
    (tmp_path / "binary").write_bytes(b"\xff\xfe\x00")
    with pytest.raises(InputError, match="not UTF-8"):
        load_scenario(tmp_path / "binary")
    (tmp_path / "bomb").write_text(
        "a: &a [x,x,x,x,x,x,x,x,x,x]\nb: &b [*a,*a,*a,*a,*a,*a,*a,*a,*a,*a]\n"
        "c: &c [*b,*b,*b,*b,*b,*b,*b,*b,*b,*b]\nd: &d [*c,*c,*c,*c,*c,*c,*c,*c,*c,*c]\n"
        "e: [*d,*d,*d,*d,*d,*d,*d,*d,*d,*d,*d,*d]\n"
    )
    with pytest.raises(InputError, match="nested too deeply or too large"):
        load_scenario(tmp_path / "bomb")
    (tmp_path / "circle").write_text("a: &a [*a]\n")
    with pytest.raises(InputError, match="unknown key a"):
        load_scenario(tmp_path / "circle")


def test_yaml_words_stay_text() -> None:
    document = parse_document("a: off\nb: 0000:18:00.0\nc: 1_000\n", "x")
    assert document.data["a"] == "off"
    assert document.data["b"] == "0000:18:00.0"


@given(st.sets(st.sampled_from(FUNCTIONS["vpe-upstream"])))
def test_a_subset_of_stages_runs_unless_it_lacks_the_key(chosen: set[str]) -> None:
    stages = tuple(name for name in FUNCTIONS["vpe-upstream"] if name in chosen)
    lacks_key = bool(chosen & {"classify", "actions", "route"}) and "key" not in chosen
    base = Scenario(name="x")
    if lacks_key:
        with pytest.raises(InputError, match="has no flow key"):
            with_overrides(base, {"workload.stages": list(stages)})
    else:
        changed = with_overrides(base, {"workload.stages": list(stages)})
        assert changed.workload.stages == stages


def test_a_study_is_no_scenario(repository: Path) -> None:
    path = repository / "studies" / "vpe-upstream.yaml"
    with pytest.raises(InputError) as error:
        load_scenario(path)
    assert str(error.value) == f"{path}: this is a study; here name a scenario"
    scenario = repository / "scenarios" / "vpe-upstream.yaml"
    with pytest.raises(InputError, match="this is a scenario; here name a study"):
        load_study(scenario)


def test_an_unknown_key_that_is_like_no_other(scenario_file: Path) -> None:
    with pytest.raises(InputError) as error:
        load_scenario(scenario_file, {"xyzzy": 1})
    assert str(error.value).startswith(
        "--set xyzzy=1: unknown key xyzzy; the keys are name, machine, dataplane, workload, traffic"
    )


@settings(max_examples=1000)
@given(st.sampled_from(sorted(SCENARIO_KEYS)), st.text(max_size=60))
@example("traffic.flows", "-_")
def test_any_text_after_set_is_a_value_or_a_sentence(key: str, text: str) -> None:
    try:
        with_overrides(Scenario(name="x"), {key: parse_value(text)})
    except InputError as error:
        assert str(error).startswith("--set")  # noqa: PT017  either outcome is right


def test_null_after_set_is_nothing() -> None:
    busy = with_overrides(Scenario(name="x"), {"neighbour.stream": "64MiB"})
    for text in ("null", "~"):
        idle = with_overrides(busy, {"neighbour.stream": parse_value(text)})
        assert idle.neighbour.stream is None
    assert parse_value("") == ""
    with pytest.raises(InputError, match=r"--set traffic\.flows=null: got nothing"):
        with_overrides(busy, {"traffic.flows": parse_value("null")})


@given(st.text(max_size=200))
@example("-_")
def test_any_file_is_a_document_or_a_sentence(text: str) -> None:
    try:
        assert isinstance(parse_document(text, "f").data, dict)
    except InputError as error:
        assert str(error).startswith("f")  # noqa: PT017  either outcome is right


def test_what_was_typed_in_a_section_is_blamed_and_not_the_seed(scenario_file: Path) -> None:
    typed = {"traffic.seed": 1, "traffic.frame_bytes": 64, "traffic.flows": 100_000}
    with pytest.raises(InputError, match="100000 flows are active") as error:
        load_scenario(scenario_file, typed)
    blamed = "--set traffic.frame_bytes=64 --set traffic.flows=100000"
    assert error.value.where == blamed
    with pytest.raises(InputError, match=r"x\.yaml|scenario") as error:
        load_scenario(scenario_file, {"traffic.seed": 1, "workload.flows": 16})
    assert "seed" not in error.value.where


def test_advice_on_arrivals_does_not_lead_in_a_circle(scenario_file: Path) -> None:
    with pytest.raises(InputError, match=r"a search or a curve .*: leave traffic\.arrivals out"):
        load_scenario(scenario_file, {"traffic.arrivals": "poisson"})
    keys = {"traffic.arrivals": "poisson", "traffic.offered_pps": 1e6}
    with pytest.raises(InputError, match=r"leave traffic\.offered_pps, traffic\.arrivals and"):
        refuse_own_load(load_scenario(scenario_file, keys))


def test_a_base_that_makes_sense_at_its_points_alone_is_the_first_of_them(
    scenario_file: Path,
) -> None:
    poisson = {"traffic.arrivals": "poisson"}
    base = load_varied(scenario_file, poisson, {"traffic.offered_pps": "2Mpps"})
    assert base.traffic.offered_pps == 2e6
    assert load_varied(scenario_file, {}, {"traffic.flows": 7}) == load_scenario(scenario_file)
    with pytest.raises(InputError, match=r"^--vary traffic\.offered_pps=nan: "):
        load_varied(scenario_file, poisson, {"traffic.offered_pps": "nan"})
    with pytest.raises(InputError, match="without a rate"):
        load_varied(scenario_file, poisson, {})
    with pytest.raises(InputError, match=r"--set placement\.burst=x"):  # said, and wrong
        load_varied(scenario_file, {"placement.burst": "x"}, {"traffic.flows": 7})


def test_a_value_that_a_point_would_replace_is_refused(scenario_file: Path) -> None:
    with pytest.raises(InputError, match=r"--vary traffic\.flows: the key is set as well, to 4, "):
        load_varied(scenario_file, {"traffic.flows": 4}, {"traffic.flows": 7})
