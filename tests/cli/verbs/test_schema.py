"""``planecast schema``: what editors check, checked against the files that are shipped."""

from __future__ import annotations

from pathlib import Path

import jsonschema
import pytest
from ruamel.yaml import YAML
from tests.cli.conftest import Run

SCENARIOS = sorted((Path(__file__).parents[2] / "scenarios").glob("*.yaml"))


def problems(run: Run, name: str, text: str) -> list[str]:
    schema = run("schema", name).json()
    jsonschema.Draft202012Validator.check_schema(schema)
    found = jsonschema.Draft202012Validator(schema).iter_errors(YAML(typ="safe").load(text))
    return [error.json_path for error in found]


@pytest.mark.parametrize(
    ("name", "path"),
    [
        ("study", "studies/vpe-upstream.yaml"),
        *(("scenario", f"scenarios/{path.name}") for path in SCENARIOS),
        ("tenants", "studies/res-6230n.yaml"),
        ("neighbours", "studies/noisy-neighbour.yaml"),
    ],
)
def test_what_is_shipped_is_as_its_schema_says(
    run: Run, repository: Path, name: str, path: str
) -> None:
    assert problems(run, name, (repository / path).read_text()) == []


TENANTS = """\
name: here
machine: gold-6230n
tenants:
  - {name: dp, role: dataplane, cores: 2, profile: {run: latest}, target: {rate: 10Mpps}}
  - {name: web, cpus: 4-5, profile: {cycles: 100, touches: 1, working_set: 4MiB}}
"""


@pytest.mark.parametrize(
    "text",
    [
        "{name: s, dataplane: {kind: ovs}, workload: {acl_rules: 8}}",
        "{name: s, dataplane: {kind: ovs}, placement: {cuts: [acl]}}",
        "{name: s, dataplane: {kind: testpmd, graph: ip4}}",
        "{name: s, dataplane: {kind: vpp, routes: 8}}",
        "{name: s, dataplane: {guests: 1}}",
    ],
)
def test_an_editor_marks_what_does_not_apply(run: Run, text: str) -> None:
    assert problems(run, "scenario", text)


def test_all_ways_to_say_it_are_allowed(run: Run) -> None:
    assert problems(run, "tenants", TENANTS) == []


@pytest.mark.parametrize(
    ("old", "new", "where"),
    [
        ("role: dataplane", "role: router", "$.tenants[0].role"),
        ("cores: 2", "core: 2", "$.tenants[0]"),
        ("cycles: 100, ", "", "$.tenants[1].profile"),
        ("cycles: 100", "cycles: 0", "$.tenants[1].profile"),
        ("name: here\n", "", "$"),
    ],
)
def test_an_editor_marks_mistakes(run: Run, old: str, new: str, where: str) -> None:
    assert problems(run, "tenants", TENANTS.replace(old, new)) == [where]
