"""The page of a machine, and of a plan."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

from tests.host.trees import EPYC, XEON, write_tree
from tests.partition.conftest import described, tenancy
from tests.report.test_html import EVIL, own_part

from planecast.host.root import Root
from planecast.host.topology import read_topology
from planecast.partition.plan import make_plan
from planecast.report.figures.machine_map import machine_map, ways_map
from planecast.report.machine_page import machine_html, plan_html


def texts(figure: Any) -> list[str]:
    return [text for trace in figure.data for text in trace.text]


def test_every_core_is_in_the_picture_once(tmp_path: Path) -> None:
    for name, kind in (("xeon", XEON), ("epyc", EPYC)):
        machine = read_topology(Root(write_tree(tmp_path / name, kind)))
        figure = machine_map(machine)
        wanted = ["/".join(map(str, core.threads)) for core in machine.cores]
        assert sorted(texts(figure)) == sorted(wanted)
        assert len(figure.layout.annotations) == len(machine.caches)
        assert len(figure.layout.shapes) == len(machine.cores) + len(machine.caches)


def test_a_machines_page_is_whole(tmp_path: Path) -> None:
    machine = read_topology(Root(write_tree(tmp_path / "xeon", XEON)))
    own = own_part(machine_html(machine, [EVIL]))
    assert "clock priority" in own
    assert EVIL not in own
    assert not re.search(r"""(src|href|action)\s*=\s*["']?[^"'#]""", own)


def test_a_plans_page_shows_whose_cores_and_ways_are() -> None:
    machine = described()
    who = tenancy(
        {"name": "dp", "role": "dataplane", "cores": 2, "profile": "vpe-upstream"},
        {"name": "noisy", "role": "neighbour", "rank": 3, "cores": 5, "profile": "stream"},
    )
    plan = make_plan(machine, who, tries=30)
    figure = machine_map(machine.topology, plan.division)
    assert {trace.name: len(trace.x) for trace in figure.data} == {
        "dp": 2,
        "noisy": 5,
        "nobody's": 1,
    }
    ways = ways_map(plan.division, machine.topology)
    assert ways is not None
    rows = len(plan.division.services) + 1  # and the ways that cards write into
    assert len(ways.layout.shapes) == 11 * rows
    html = own_part(plan_html(plan, machine.topology, ["a remark"]))
    data = json.loads(re.findall(r'id="ways-plot-data">(.*?)</script>', html, re.DOTALL)[0])
    assert data["layout"]["yaxis"]["ticktext"][0].startswith("class 0")
    assert "a remark" in html
    assert "dp" in html


def test_where_no_ways_can_be_given_none_are_drawn() -> None:
    machine = described(ways=0, ddio=0, bandwidth_step=0)
    plan = make_plan(machine, tenancy({"name": "dp", "cores": 1}), tries=1)
    assert ways_map(plan.division, machine.topology) is None
    assert "ways-plot" not in plan_html(plan, machine.topology, [])
