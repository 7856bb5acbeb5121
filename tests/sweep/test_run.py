"""Sweeps: every point once, whatever stops them, and the engines' own answers."""

from __future__ import annotations

import contextlib
import multiprocessing
import os
import signal
from pathlib import Path

import numpy as np
import pytest
from tests.calibrate.test_from_counters import imported
from tests.sweep.conftest import MakeJob

from planecast.engines.solve import solve
from planecast.errors import InputError
from planecast.model.calibration import Calibration
from planecast.results import Manifest, RunDirectory, collect_manifest, read_parquet
from planecast.results.query import query
from planecast.results.store import SWEEP
from planecast.scenario import Scenario, with_overrides
from planecast.sweep import Job, Plan, Workers, best_points, parse_axis, read_job, run_sweep

HERE = Workers(1)
AXES = ("traffic.flows=256,4096,64Ki", "placement.burst=16,32,64", "placement.lcores=1,2")


def quiet(done: float, total: float, words: str) -> None:
    pass


def swept(job: Job, folder: RunDirectory) -> dict[str, np.ndarray]:  # type: ignore[type-arg]
    run_sweep(job, folder, HERE, quiet)
    return read_parquet(folder.path / SWEEP)


def test_a_grid_answers_as_the_closed_form(
    make_job: MakeJob,
    folder: RunDirectory,
    base: Scenario,
    calibration: Calibration,
    manifest: Manifest,
) -> None:
    job = make_job(*AXES)
    found = swept(job, folder)
    assert found["point"].tolist() == list(range(18))
    scenarios = [with_overrides(base, job.plan.point(number)) for number in range(18)]
    assert found["traffic_flows"].tolist() == [s.traffic.flows for s in scenarios]
    assert found["placement_lcores"].tolist() == [s.placement.lcores for s in scenarios]
    single = solve(scenarios, calibration, manifest)
    assert found["throughput_pps"] == pytest.approx([r.throughput_pps.value for r in single])
    assert found["cycles_per_packet_low"] == pytest.approx(
        [r.cycles_per_packet.low for r in single]
    )
    best, refused, _ = best_points(job, folder, 2)
    assert refused == 0
    assert single[best[0]].throughput_pps.value == max(r.throughput_pps.value for r in single)


def test_a_sweep_that_was_stopped_continues(make_job: MakeJob, folder: RunDirectory) -> None:
    """Ctrl-C after two batches: the others are answered later, and none of them twice."""
    job = make_job("traffic.flows=1:64Ki:log", sample="lhs", points=30)

    def stop(done: float, total: float, words: str) -> None:
        if done >= 8:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        run_sweep(job, folder, HERE, stop)
    assert len(query("SELECT point FROM sweeps", folder.path.parent).rows) == 8
    first = {p: p.stat().st_mtime_ns for p in (folder.path / "parts").iterdir()}
    seen: list[float] = []

    def look(done: float, total: float, words: str) -> None:
        seen.append(done)
        assert all(path.stat().st_mtime_ns == before for path, before in first.items())

    run_sweep(read_job(folder), folder, HERE, look)
    assert seen[0] == 8
    assert seen[-1] == 30
    found = read_parquet(folder.path / SWEEP)
    assert found["point"].tolist() == list(range(30))
    assert len(set(found["traffic_flows"].tolist())) > 20
    assert query("SELECT DISTINCT run FROM sweeps", folder.path.parent).rows == [
        (folder.path.name,)
    ]


def test_points_that_cannot_be_asked_stop_no_other(
    make_job: MakeJob, folder: RunDirectory, base: Scenario
) -> None:
    job = make_job("workload.flows=1024,1Mi", "traffic.flows=256,4096", "placement.burst=2,32")
    found = swept(job, folder)
    refused = [
        None if text is np.ma.masked or not isinstance(text, str) else text
        for text in found["refused"].tolist()
    ]
    assert [text is not None for text in refused] == [False, False, True, True] + [False] * 4
    assert "more flows are active" in str(refused[2])
    nothing = query("SELECT count(throughput_pps) FROM sweeps", folder.path.parent).rows
    assert nothing == [(6,)]


def test_any_key_can_vary(make_job: MakeJob, folder: RunDirectory) -> None:
    job = make_job("traffic.seed=1:3:3", "nic.link_gbps=null,10", "workload.stages=[acl],[key]")
    found = swept(job, folder)
    texts = [str(text) for text in found["refused"].tolist()]
    assert sum("the closed form does not model nic" in text for text in texts) == 6


def test_simulated_points_are_the_simulators_own(
    make_job: MakeJob,
    folder: RunDirectory,
    base: Scenario,
    calibration: Calibration,
    manifest: Manifest,
) -> None:
    job = make_job(
        "traffic.offered_pps=1Mpps,40Mpps", "placement.rx_ring=64,128", engine="simulate"
    )
    from planecast.engines.simulate.engine import simulate

    found = swept(job, folder)
    scenarios = [with_overrides(base, job.plan.point(number)) for number in range(4)]
    single = simulate(scenarios, calibration, manifest, precision=0.1)
    assert found["throughput_pps"] == pytest.approx([r.throughput_pps.value for r in single])
    assert found["latency_ns_p99"] == pytest.approx([r.latency_ns["p99"].value for r in single])
    assert found["loss"][0] == 0
    assert found["loss"][3] > 0.1


def test_a_worker_that_is_killed_loses_no_point(make_job: MakeJob, folder: RunDirectory) -> None:
    job = make_job("traffic.flows=1:64Ki:log", sample="lhs", points=40, batch=2)
    killed: list[int] = []

    def kill(done: float, total: float, words: str) -> None:
        if done > 0 and not killed:
            workers = _descendants(os.getpid())
            killed.append(workers[-1])
            with contextlib.suppress(ProcessLookupError):
                os.kill(workers[-1], signal.SIGKILL)

    run_sweep(job, folder, Workers(2), kill)
    assert killed
    assert read_parquet(folder.path / SWEEP)["point"].tolist() == list(range(40))
    assert not multiprocessing.active_children()


def _descendants(pid: int) -> list[int]:
    """Processes that the fork server of this one has started."""
    tasks = Path(f"/proc/{pid}/task").glob("*/children")
    children = [int(word) for task in tasks for word in task.read_text().split()]
    server = [c for c in children if "forkserver" in Path(f"/proc/{c}/cmdline").read_text()]
    return [
        int(word)
        for c in server
        for word in Path(f"/proc/{c}/task/{c}/children").read_text().split()
    ]


def test_plans_that_make_no_sense_are_refused(base: Scenario) -> None:
    flows = parse_axis("traffic.flows=1,2")
    for axes, points, fragment in (
        ([flows, flows], None, "varies twice"),
        ([], None, "nothing varies"),
        ([flows], 5, "add --sample lhs"),
    ):
        with pytest.raises(InputError, match=fragment):
            Plan.of(base, axes, "grid", points, 1)
    with pytest.raises(InputError, match="too many to draw"):
        Plan.of(base, [flows], "lhs", 10**9, 1)


def test_a_calibration_from_counters_is_swept(tmp_path: Path) -> None:
    """It knows any workload: the model's own network function is no condition."""
    model = imported(tmp_path).calibration
    manifest = collect_manifest("solve", 1)
    base = with_overrides(
        Scenario(name="theirs"),
        {"workload.kind": "ip4", "workload.stages": "check,next_hop,rewrite"},
    )
    axes = [parse_axis("placement.lcores=1,2"), parse_axis("machine.llc_size=0.5,1")]
    job = Job(
        plan=Plan.of(base, axes, "grid", None, 1),
        calibration=model,
        engine="solve",
        precision=0.1,
        batch=4,
        manifest=manifest,
    )
    found = swept(job, RunDirectory.create(tmp_path, "sweep", "theirs"))
    assert found["refused"].tolist() == [None] * 4
    single = [with_overrides(base, {"placement.lcores": lcores}) for lcores in (1, 2)]
    expected = [result.throughput_pps.value for result in solve(single, model, manifest)]
    assert found["throughput_pps"][1::2] == pytest.approx(expected)


def test_equal_points_are_shown_once(make_job: MakeJob, folder: RunDirectory) -> None:
    job = make_job("placement.burst=31:32", sample="lhs", points=9)
    swept(job, folder)
    best, _, _ = best_points(job, folder, 5)
    assert [job.plan.point(number)["placement.burst"] for number in best] == [32, 31]
