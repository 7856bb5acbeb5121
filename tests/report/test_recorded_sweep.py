"""What the page of a sweep gives its controls: every point, and the command that asks again."""

from __future__ import annotations

import numpy as np
import pytest
from tests.report.figures.test_sweep_figures import BURST, FLOWS, PAGES, points

from planecast.report import recorded_sweep as module
from planecast.report.recorded_sweep import recorded_sweep
from planecast.report.sweep_points import SweepPoints
from planecast.results.basis import Basis
from planecast.results.manifest import Manifest, collect_manifest
from planecast.sweep import Axis, Job

COMMAND = "planecast sweep a.yaml --vary traffic.flows=256,4096 --set workload.kind=ip4"


def job(command: str = COMMAND) -> Job:
    """A sweep's job, of which the page reads the manifest alone."""
    manifest: Manifest = collect_manifest("solve", 1, command)
    return Job.model_construct(engine="solve", manifest=manifest)


def test_every_point_of_a_grid_is_there() -> None:
    swept = points([256, 4096], [8, 16, 32], ["4KiB", "2MiB"])
    found = recorded_sweep(job(), swept)
    assert found is not None
    data = found.data
    assert data["grid"] is True
    keys = [key["key"] for key in data["keys"]]
    assert keys == swept.by_effect()
    assert data["keys"][keys.index(FLOWS)]["names"] == ["256", "4,096"]
    assert data["keys"][keys.index(PAGES)]["numbers"] is None
    (rate,) = (one for one in data["metrics"] if one["name"] == "throughput_pps")
    for row in range(12):
        at = {key: data["at"][k][row] for k, key in enumerate(keys)}
        flows = data["keys"][keys.index(FLOWS)]["numbers"][at[FLOWS]]
        burst = data["keys"][keys.index(BURST)]["numbers"][at[BURST]]
        if row == 11:
            assert rate["value"][row] is None
            assert data["refused"]["names"][data["refused"]["at"][row]] == "too many"
        else:
            assert rate["value"][row] == pytest.approx(burst / (1 + flows / 1000), rel=1e-4)
            assert rate["low"][row] == pytest.approx(0.9 * rate["value"][row], rel=1e-4)
    assert data["beyond"] == list(range(6, 12))


def test_the_controls_begin_with_the_fastest_point_within_the_calibrated_range() -> None:
    found = recorded_sweep(job(), points([256, 4096], [8, 16, 32]))
    assert found is not None
    assert found.data["first"] == 2


def test_a_large_grid_stays_a_grid_with_the_ends_of_its_axes(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(module, "MOST_POINTS", 100)
    found = recorded_sweep(job(), points(list(range(100, 5100, 100)), [8, 16, 32, 64]))
    assert found is not None
    assert "of 200 points" in found.caption
    sizes = [len(key["names"]) for key in found.data["keys"]]
    assert np.prod(sizes) == len(found.data["at"][0]) <= 100
    (flows,) = (key for key in found.data["keys"] if key["key"] == FLOWS)
    assert (flows["numbers"][0], flows["numbers"][-1]) == (100, 5000)


def test_points_that_make_no_grid_are_answered_by_the_nearest() -> None:
    swept = points([256, 4096], [8, 16, 32])
    columns = {name: column[[0, 4, 5]] for name, column in swept.columns.items()}
    found = recorded_sweep(job(), SweepPoints(swept.axes, columns, "computed"))
    assert found is not None
    assert found.data["grid"] is False
    assert "nearest recorded point" in found.caption


def test_nothing_varies_and_nothing_is_set() -> None:
    assert recorded_sweep(job(), points([256], [8])) is None


@pytest.mark.parametrize(
    ("command", "again"),
    [
        (COMMAND, "planecast predict a.yaml --set workload.kind=ip4"),
        (
            "planecast sweep a.yaml --sample lhs -n 9 --vary=x=1:2 --workers=2 --calibration c",
            "planecast predict a.yaml --calibration c",
        ),
        ("planecast sweep --resume r", None),
        ("python x.py", None),
    ],
)
def test_the_command_that_asks_again(command: str, again: str | None) -> None:
    found = recorded_sweep(job(command), points([256, 4096], [8, 16]))
    assert found is not None
    assert found.data["command"] == again


def test_the_command_names_the_calibration_that_answered() -> None:
    basis = Basis(
        run="20260101T000000Z-validate-ip4",
        digest="0" * 12,
        made_at="2026-01-01T00:00:00Z",
        cpu="a CPU",
        this_host=True,
        choice="latest of this host",
    )
    swept = points([256, 4096], [8, 16])
    for typed, named in ((COMMAND, basis.run), (f"{COMMAND} --calibration c", "c")):
        manifest = job(typed).manifest.model_copy(update={"calibration": basis})
        found = recorded_sweep(Job.model_construct(engine="solve", manifest=manifest), swept)
        assert found is not None
        assert found.data["command"].endswith(f"--calibration {named}")
        assert found.data["command"].count("--calibration") == 1


def test_a_component_s_factor_is_no_key_of_predict() -> None:
    swept = points([256, 4096], [8, 16])
    columns = {**swept.columns, "machine_llc_size": np.array([1.0, 2.0, 1.0, 2.0])}
    axes = [swept.axes[0], Axis(key="machine.llc_size", values=(1.0, 2.0))]
    found = recorded_sweep(job(), SweepPoints(axes, columns, "computed"))
    assert found is not None
    assert found.data["command"] is None
