"""The generator and the data plane as they are, over memory interfaces."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from tests.engines.measure.conftest import Columns, joined_testbed, tries

from planecast.dataplanes.own_dut import OwnDut
from planecast.engines.measure.load_estimate import LoadEstimator
from planecast.engines.measure.load_trials import IDLE, OVERLOAD, LoadTable
from planecast.engines.measure.testbed import Used, generator_cpu, note_used
from planecast.errors import InputError, MissingError
from planecast.native import native_folder
from planecast.scenario import Scenario, with_overrides

RATES = (20e3, 200e3, 1e6)


def small(cpu: int) -> Scenario:
    point = {
        "workload.acl_rules": 64,
        "workload.flows": 256,
        "workload.routes": 64,
        "traffic.flows": 256,
        "placement.cpus": str(cpu),
        "placement.rx_ring": 1024,
    }
    return with_overrides(Scenario(name="small"), point)


def lost_of(columns: Columns, point: int) -> np.ndarray[Any, Any]:
    """Packets that each trial at a load lost, wherever."""
    lost = sum(columns[name] for name in columns if name.startswith("lost_"))
    return np.asarray(lost)[columns["point"] == point]


@pytest.mark.live
def test_every_packet_is_accounted_for(
    alone: None, short_folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What holds on a busy machine, too: nothing of how fast it is."""
    cpus = sorted(os.sched_getaffinity(0))
    if len(cpus) < 2:
        pytest.skip("two CPUs are needed")
    for name in ("planecast-generator", "planecast-dataplane"):
        if not os.access(native_folder() / name, os.X_OK):
            pytest.skip(f"{name} is not built")
    monkeypatch.setattr("tempfile.tempdir", str(short_folder))
    table = LoadTable()
    with joined_testbed(small(cpus[-1]), cpus[0]) as testbed:
        for round_ in tries():
            table.append(IDLE, round_, 0, testbed.idle(0.002))
            table.append(OVERLOAD, round_, 0, testbed.trial(None, 0.01))
            for point, rate in enumerate(RATES):
                table.append(point, round_, 0, testbed.trial(rate, 0.02))
            if round_ >= 4 and min(lost_of(table.columns(), 0)) == 0:
                break
    assert list(short_folder.iterdir()) == []  # configurations, sockets
    columns = table.columns()
    whole = (columns["whole"] == 1) & (columns["point"] != IDLE)
    assert whole.any()
    lost = sum(columns[name] for name in columns if name.startswith("lost_"))
    balance = columns["offered"] - columns["forwarded"] - lost
    assert set(balance[whole]) == {0.0}
    assert set(columns["sent"][whole] - columns["packets"][whole]) == {0.0}
    assert (columns["unsent"][whole] >= 0).all()
    # In some round nothing is lost at a load that a ring of 1,024 holds for 50 ms.
    assert min(lost_of(columns, 0)) == 0
    offered = [max(columns["offered"][columns["point"] == point]) for point in range(len(RATES))]
    assert offered == sorted(offered)
    assert LoadEstimator.of(columns).poll_cycles().value > 0


def test_a_stall_beyond_the_end_takes_of_the_generators_share() -> None:
    """It had its CPU for all of the run and of draining; then it was away for as long again."""
    before, after = Used({0: 1.0}, 0.0, 1.0), Used({0: 1.06}, 0.06, 1.06)
    for after_ns, share in ((0.0, 1.0), (0.06e9, 0.5)):
        sent = {"seconds": 0.02, "drain_ms": {"took": 40.0}, "stalls": {"after_ns": after_ns}}
        note_used(sent, before, after, 0.12, 0.0)
        assert sent["generator_cpu"] == pytest.approx(share)
        assert sent["dataplane_cpu"] == pytest.approx(0.5)


def test_the_generator_takes_the_first_free_cpu() -> None:
    assert generator_cpu(small(1), None, [0, 1]) == 0
    assert generator_cpu(small(0), None, [0, 1, 2]) == 1
    assert generator_cpu(small(0), 2, [0, 1, 2]) == 2
    with pytest.raises(InputError, match="forwards on it"):
        generator_cpu(small(0), 0, [0, 1])
    with pytest.raises(MissingError, match="two CPUs"):
        generator_cpu(small(0), None, [0])


def test_rings_are_those_of_the_placement(tmp_path: Path) -> None:
    testbed = joined_testbed(small(1), 0)
    dut = testbed.dut
    assert isinstance(dut, OwnDut)
    dataplane, generator = testbed.planned(tmp_path)
    assert f"tx = memif:{tmp_path}/memif0.sock" in generator.text
    assert "tx_ring = 1024\nrx_ring = 512\n" in generator.text  # towards the data plane, and back
    assert "rx = 0\ntx = 1\n" in dataplane.text
    assert dut.config.main_cpu == 0
