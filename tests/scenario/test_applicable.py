"""A scenario says only what it is: keys of another kind are neither stored nor taken."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from pydantic import TypeAdapter

from planecast.errors import InputError
from planecast.scenario import SCENARIO_KEYS, Scenario, load_scenario, value_if_any, with_overrides
from planecast.scenario.conditional import condition_of
from planecast.scenario.dataplane import KINDS, OWN
from planecast.scenario.earlier_versions import Recorded, in_todays_words
from planecast.scenario.model import AbsentKeyError
from planecast.scenario.points import keys_of, usual_of, value_at
from planecast.scenario.schema_by_kind import scenario_schema

FOLDER = Path(__file__).parents[2] / "scenarios"
FILES = sorted(FOLDER.glob("*.yaml"))
BARE = {
    kind: {"kind": kind} | ({"command": "forward {in} {out}"} if kind == "command" else {})
    for kind in KINDS
}


def bare(kind: str) -> Scenario:
    return Scenario.model_validate({"name": "s", "dataplane": BARE[kind]})


def leaves(data: dict[str, Any], prefix: str = "") -> set[str]:
    """The dotted keys that a dump holds."""
    found: set[str] = set()
    for name, value in data.items():
        found |= leaves(value, f"{prefix}{name}.") if isinstance(value, dict) else {prefix + name}
    return found


@pytest.mark.parametrize("file", FILES, ids=[file.stem for file in FILES])
def test_what_is_stored_is_what_applies(file: Path) -> None:
    scenario = load_scenario(file)
    assert leaves(scenario.model_dump()) == set(keys_of(scenario))
    for lacking in scenario.dataplane.lacks:
        assert not any(key.startswith(lacking) for key in keys_of(scenario))
        assert value_if_any(scenario, lacking) is None
    assert Scenario.model_validate_json(scenario.model_dump_json()) == scenario
    assert Scenario.model_validate(scenario.model_dump()) == scenario
    assert usual_of(scenario).dataplane.kind == scenario.dataplane.kind


@pytest.mark.parametrize("kind", KINDS)
def test_each_key_applies_or_is_refused(kind: str) -> None:
    """In one sentence that names the key, and the place; whatever its value is."""
    scenario = bare(kind)
    applies = keys_of(scenario)
    usual = {
        f"dataplane.{name}": one.get_default()
        for noun in KINDS.values()
        for name, one in noun.model_fields.items()
    }
    for key in set(SCENARIO_KEYS) - set(applies):
        having = (bare(other) for other in KINDS if key in keys_of(bare(other)))
        value = usual[key] if key in usual else value_at(next(having), key)
        with pytest.raises(InputError) as caught:
            with_overrides(scenario, {key: value})
        said = str(caught.value)
        assert said.startswith(f"--set {key}=")
        parts = key.split(".")
        sections = (".".join(parts[:depth]) for depth in range(1, len(parts) + 1))
        assert any(f" {section} does not apply to " in said for section in sections), said
        assert "leave it out" in said or "say dataplane." in said
    for key in applies:
        kept = with_overrides(scenario, {key: value_at(scenario, key)})
        assert kept == scenario


def test_the_line_of_a_key_that_does_not_apply(tmp_path: Path) -> None:
    file = tmp_path / "s.yaml"
    file.write_text("name: s\ndataplane:\n  kind: ovs\nplacement:\n  lcores: 1\n  cuts: [acl]\n")
    with pytest.raises(InputError, match=r"s\.yaml:6: placement\.cuts does not apply to ovs"):
        load_scenario(file)
    file.write_text("name: s\nworkload: {acl_rules: 4096}\ndataplane: {kind: ovs}\n")
    with pytest.raises(InputError, match=r"s\.yaml:2: workload does not apply to ovs"):
        load_scenario(file)
    file.write_text("name: s\ndataplane:\n  kind: vpp\n  routes: 8\n")
    with pytest.raises(
        InputError, match=r"s\.yaml:4: .*routes does not apply to graph l2xc; .*ip4"
    ):
        load_scenario(file)
    file.write_text("name: s\ndataplane: {kind: ovs, guests: 1, mode: mac}\n")
    with pytest.raises(InputError, match=r"say dataplane\.guest_mode"):
        load_scenario(file)
    file.write_text("name: s\ndataplane: ovs\n")
    with pytest.raises(InputError, match=r"s\.yaml:2: dataplane: got 'ovs'; allowed is a section"):
        load_scenario(file)


def test_to_read_what_does_not_apply_is_an_error() -> None:
    """So nothing can take a default of ours for something that another program does."""
    with pytest.raises(AbsentKeyError):
        _ = bare("ovs").workload
    with pytest.raises(AbsentKeyError):
        _ = bare("ovs").placement.cuts
    assert bare("ovs").forwards == "ovs l2xc"
    assert with_overrides(bare("ovs"), {"dataplane.rules": 2}).forwards == "ovs"
    assert bare("l3fwd").forwards == "l3fwd"
    assert with_overrides(bare("l3fwd"), {"dataplane.lookup": "em"}).forwards == "l3fwd em"
    assert bare("ovs").stages == ()
    assert bare(OWN).forwards == "vpe-upstream"


@settings(max_examples=40)
@given(st.sampled_from(sorted(KINDS)), st.sampled_from(sorted(KINDS)))
def test_another_kind_keeps_what_applies_to_both(before: str, after: str) -> None:
    base = with_overrides(bare(before), {"traffic.flows": 77, "placement.rx_ring": 64})
    keys = {f"dataplane.{key}": value for key, value in BARE[after].items()}
    if before == "command" != after:
        with pytest.raises(InputError, match=r"dataplane\.command does not apply"):
            with_overrides(base, keys)
        return
    other = with_overrides(base, keys)
    assert (other.dataplane.kind, other.traffic.flows, other.placement.rx_ring) == (after, 77, 64)


def test_what_somebody_set_does_not_vanish_with_the_kind() -> None:
    base = with_overrides(bare(OWN), {"workload.acl_rules": 8})
    with pytest.raises(InputError, match=r"--set dataplane\.kind=ovs: workload does not apply"):
        with_overrides(base, {"dataplane.kind": "ovs"})


OLD = {
    "name": "old",
    "machine": "host",
    "workload": {"kind": "ip4", "routes": 64, "route_depth": 24, "next_hops": 3, "acl_rules": 9},
    "traffic": {"flows": 32, "dropped": "none"},
    "placement": {"lcores": "1", "cuts": [], "burst": 16},
    "nic": {},
    "accelerator": {"stage": "none"},
    "interference": {},
    "neighbour": {},
    "generator": {"kind": "ours", "server": None, "ports": []},
}


def recorded(**dataplane: Any) -> Scenario:
    every = {
        "mode": "macswap",
        "chain": 1,
        "graph": "workload",
        "guests": 0,
        "ports": "memif",
        "devices": [],
        "generator_devices": [],
        "command": None,
        "ready": None,
        "program": None,
        "stage_map": None,
    }
    text = json.dumps({**OLD, "dataplane": every | dataplane})
    return TypeAdapter(Recorded).validate_json(text)


def test_recorded_scenarios_of_before_are_read() -> None:
    vpp = recorded(kind="vpp").dataplane
    assert (vpp.kind, vpp.graph, vpp.routes) == ("vpp", "ip4", 64)  # type: ignore[union-attr]
    switch = recorded(kind="ovs", guests=1)
    assert switch.dataplane.guest_mode == "macswap"  # type: ignore[union-attr]
    assert switch.placement.burst == 16
    assert recorded(kind="testpmd").dataplane.mode == "macswap"  # type: ignore[union-attr]
    assert recorded(kind="ours").workload.routes == 64
    today = bare("ovs").model_dump()
    assert in_todays_words(today) == today
    assert in_todays_words("no scenario") == "no scenario"


def test_the_schema_of_a_kind_has_its_keys_alone() -> None:
    schema = scenario_schema()
    assert [one["$ref"] for one in schema["oneOf"]] == [f"#/$defs/Scenario-{k}" for k in KINDS]
    for kind, noun in KINDS.items():
        variant = schema["$defs"][f"Scenario-{kind}"]
        own = schema["$defs"][variant["properties"]["dataplane"]["$ref"].rpartition("/")[2]]
        assert set(own["properties"]) == set(noun.model_fields)
        conditions = [name for name, one in noun.model_fields.items() if condition_of(one)]
        assert len(own.get("allOf", [])) == len(conditions)
        for key in noun.lacks:
            section, _, inner = key.partition(".")
            if not inner:
                assert section not in variant["properties"]
                continue
            reference = variant["properties"][section]["$ref"].rpartition("/")[2]
            assert inner not in schema["$defs"][reference]["properties"]
