"""Descriptors against traces of our own functions, and the table of both in the documentation."""

from __future__ import annotations

from pathlib import Path

import pytest

from planecast.errors import MissingError
from planecast.instruments.memory_trace import trace_words
from planecast.scenario import load_scenario
from planecast.scenario.workload import FUNCTIONS
from planecast.study.descriptor_misses import descriptor_misses
from planecast.study.traced_program import trace_once

L1 = 512
SIZES = (L1, 768, 16384, 524288)
"""Lines of 32 and 48 KiB, 1 and 32 MiB."""
TOLERANCE = 0.05
"""Of the packet's lines as traced, for each stage and for all together."""
OF_STAGES = {("vpe-downstream", L1): 0.07}
OF_PACKETS = {("vpe-downstream", L1): 0.16}
"""A burst's own lines and its packets' others are more than 512: docs/how-to/profile.md."""
PACKETS = {"compute": 2048}


def test_stages_and_sizes(repository: Path) -> None:
    scenario = load_scenario(repository / "scenarios" / "vpe-upstream.yaml")
    found = descriptor_misses(scenario, SIZES)
    assert list(found) == ["source", *scenario.stages, "tx"]
    assert found["source"][0] == pytest.approx(2 + 1 / 8, rel=0.01)
    for missed in found.values():
        assert list(missed) == sorted(missed, reverse=True)
    two = scenario.placement.model_copy(update={"lcores": 2})
    assert descriptor_misses(scenario.model_copy(update={"placement": two}), SIZES) == found


def test_the_tables_descriptors_are_those_of_today(repository: Path) -> None:
    page = (repository / "docs" / "how-to" / "profile.md").read_text(encoding="utf-8")
    table = page.partition("traced: begin -->\n")[2].partition("<!-- traced: end")[0]
    name, there = "", {}
    for row in table.splitlines()[2:]:
        function, stage, *cells = (cell.strip() for cell in row.strip("|").split("|"))
        name = function or name
        there[name, stage] = tuple(float(cell.partition(" / ")[2]) for cell in cells)
    assert {function for function, _ in there} == set(FUNCTIONS)
    for function in FUNCTIONS:
        scenario = load_scenario(repository / "scenarios" / f"{function}.yaml")
        for stage, said in descriptor_misses(scenario, SIZES).items():
            assert there[function, stage] == pytest.approx(said, abs=0.0051), (function, stage)


@pytest.mark.live
@pytest.mark.slow
@pytest.mark.parametrize("function", sorted(FUNCTIONS))
def test_descriptors_and_traces_agree(function: str, repository: Path, tmp_path: Path) -> None:
    try:
        trace_words(tmp_path, {})
        scenario = load_scenario(repository / "scenarios" / f"{function}.yaml")
        trace = trace_once(scenario, PACKETS.get(function))
    except MissingError as error:
        pytest.skip(str(error))
    described = descriptor_misses(scenario, SIZES)
    for place, size in enumerate(SIZES):
        traced = trace.misses(size)
        whole = sum(traced.values())
        slack = max(whole, 2.0)  # where hardly any line is missed, a tenth of a line
        of_stage = OF_STAGES.get((function, size), TOLERANCE) * slack
        of_packet = OF_PACKETS.get((function, size), TOLERANCE) * slack
        for stage, found in traced.items():
            said = described.get(stage, (0.0,) * len(SIZES))[place]
            assert found == pytest.approx(said, abs=of_stage), (stage, size)
        assert whole == pytest.approx(sum(own[place] for own in described.values()), abs=of_packet)
