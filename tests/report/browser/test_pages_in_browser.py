"""Whole pages that have no test of their own in the browser: all that they draw has its place."""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.calibrations import base, calibration, counts, hierarchy, manifest
from tests.explain.test_flame import PROFILE
from tests.host.trees import EPYC, XEON, write_tree
from tests.partition.conftest import described, tenancy
from tests.report.browser.test_in_browser import Browser, Page, check_layout, each_size, page
from tests.report.test_sweep_page import page_of
from tests.sweep.conftest import MakeJob, folder, make_job

from planecast.explain.flame import flame
from planecast.host.root import Root
from planecast.host.topology import read_topology
from planecast.instruments.callgrind_output import parse_callgrind
from planecast.model.calibration import Calibration
from planecast.partition.plan import make_plan
from planecast.report import report_html
from planecast.report.comparison_page import comparison_page
from planecast.report.flame_page import flame_html
from planecast.report.html import page_html
from planecast.report.machine_page import machine_html, plan_html
from planecast.report.reproduction_page import reproduction_page
from planecast.reproduce import reproduce
from planecast.results import (
    Estimate,
    Manifest,
    Result,
    ResultSet,
    RunDirectory,
    collect_manifest,
)
from planecast.results.compare import side_by_side
from planecast.results.run_ref import pick
from planecast.results.survey import SurveyAnswer, SurveyPoint
from planecast.scenario import Scenario
from planecast.sweep.sensitivity import default_axes, sensitivity

__all__ = [
    "base",
    "calibration",
    "counts",
    "folder",
    "hierarchy",
    "make_job",
    "manifest",
    "page",
]

pytestmark = pytest.mark.browser


def look(browser: Browser, address: str, drawings: int) -> None:
    """Check a page at each size; it draws at least so many figures."""
    for width, _ in each_size(browser, address):
        drawn = browser.script("return document.querySelectorAll('.plot svg.main-svg').length")
        assert drawn >= drawings
        check_layout(browser, width)


def test_a_sensitivity(
    browser: Browser, page: Page, make_job: MakeJob, base: Scenario, calibration: Calibration
) -> None:
    job = make_job(*default_axes(base, calibration), sample="lhs", points=16)
    found = sensitivity(job, 8, lambda *_: None)
    look(browser, page(report_html(found)), 2)


@pytest.mark.parametrize("name", ["vpe", "skx"])
def test_a_reproduction(browser: Browser, page: Page, name: str) -> None:
    made = reproduction_page(reproduce(name), collect_manifest("reproduce", 0, "planecast"))
    look(browser, page(page_html(made)), len(made.drawings))


@pytest.mark.parametrize("kind", ["xeon", "epyc"])
def test_a_machine(browser: Browser, page: Page, tmp_path: Path, kind: str) -> None:
    tree = write_tree(tmp_path / kind, {"xeon": XEON, "epyc": EPYC}[kind])
    look(browser, page(machine_html(read_topology(Root(tree)), ["a remark"])), 1)


def test_a_plan(browser: Browser, page: Page) -> None:
    machine = described()
    who = tenancy(
        {"name": "dp", "role": "dataplane", "cores": 2, "profile": "vpe-upstream"},
        {"name": "noisy", "role": "neighbour", "rank": 3, "cores": 5, "profile": "stream"},
    )
    plan = make_plan(machine, who, tries=30)
    look(browser, page(plan_html(plan, machine.topology, ["a remark"])), 2)


def test_a_flame_graph(browser: Browser, page: Page) -> None:
    frames = flame(parse_callgrind(PROFILE.splitlines()))
    look(browser, page(flame_html(frames, "the made-up data plane", 10.0)), 1)


def test_runs_side_by_side(
    browser: Browser, page: Page, results: list[Result], tmp_path: Path
) -> None:
    root = tmp_path / "runs"
    runs = []
    for number, factor in enumerate((1.0, 0.9, 1.05)):
        rates = [one.throughput_pps.scaled(factor, "pps") for one in results]
        changed = [
            one.model_copy(update={"throughput_pps": rate})
            for one, rate in zip(results, rates, strict=True)
        ]
        with RunDirectory.create(root, "measure", f"a-long-name-of-a-run-{number}") as run:
            run.write_result(ResultSet(results=tuple(changed)).results)
        runs.append(pick(run.path.name, root))
    look(browser, page(page_html(comparison_page(runs, side_by_side(runs)))), 1)


def surveyed(label: str, cores: int, flows: int, threads: int) -> SurveyPoint:
    mpps = cores * {"VPP": 9.0, "Open vSwitch with DPDK": 5.0}[label] * (1 - 0.03 * threads)

    def rate(share: float) -> Estimate:
        value = share * mpps * 1e6
        return Estimate(
            value=value, low=0.95 * value, high=1.04 * value, samples=5, unit="pps", kind="measured"
        )

    return SurveyPoint(
        label=label,
        threads=threads,
        cores=cores,
        flows=flows,
        by="search",
        rates={"NDR": rate(0.9), "PDR": rate(1.0)},
        cycles_per_packet=Estimate(value=210.0, unit="cycles/packet", kind="measured"),
        cycles_of="time-stamp counter",
    )


def test_a_survey(browser: Browser, page: Page, manifest: Manifest) -> None:
    points = [
        surveyed(label, cores, flows, 1)
        for label in ("VPP", "Open vSwitch with DPDK")
        for cores in (1, 2, 4)
        for flows in (64, 4096, 262_144)
    ]
    answer = SurveyAnswer(
        name="virtual switches",
        question="Which virtual switch forwards most, and how does it grow with cores?",
        document="",
        points=tuple(points),
        not_varied=("clocks can't be set here",),
        manifest=manifest,
    )
    look(browser, page(report_html(answer)), 2)


@pytest.mark.parametrize(
    "axes",
    [
        ("traffic.flows=256,4096,65536,1048576", "placement.burst=4,8,16,32,64"),
        ("placement.page_size=4KiB,2MiB", "workload.stages=[acl],[key,classify],[]"),
        ("traffic.flows=256:1Mi:24:log",),
    ],
)
def test_a_sweep(
    browser: Browser, page: Page, make_job: MakeJob, folder: RunDirectory, axes: tuple[str, ...]
) -> None:
    made = page_of(make_job(*axes), folder)
    look(browser, page(page_html(made)), len(made.drawings))
