"""A validation as a real one looks: 24 points, seven stages, a model that is slightly wrong."""

from __future__ import annotations

import random
from collections.abc import Callable, Mapping
from typing import Any

import numpy as np
import pytest

from planecast.results import Estimate, Kind, Manifest, Result, StageResult
from planecast.results.load_curve import LoadCalibration, LoadCurve, LoadPoint
from planecast.results.search import Bounds, FoundRate, SearchAnswer
from planecast.results.telemetry import CountedEvent, InstructionSplit, Telemetry
from planecast.results.validation import Validation, ValidationPoint
from planecast.scenario import Scenario, with_overrides

# Cycles and instructions a packet, cycles a burst of each stage, and what 65,536 flows add.
_COSTS = {
    "source": (18.0, 42.0, 60.0, 2.0),
    "acl": (88.0, 190.0, 150.0, 4.0),
    "key": (14.0, 38.0, 40.0, 3.0),
    "classify": (46.0, 96.0, 130.0, 32.0),
    "actions": (38.0, 71.0, 70.0, 21.0),
    "route": (41.0, 84.0, 110.0, 6.0),
    "tx": (16.0, 31.0, 80.0, 1.0),
}
BASE = Scenario(name="vpe-upstream")
_TSC_HZ = 2.6e9

Point = Mapping[str, Any]


def _points() -> list[tuple[Point, bool, bool]]:
    """Overrides, held out, extrapolates."""
    flows, burst = "traffic.flows", "placement.burst"
    points: list[tuple[Point, bool, bool]] = [
        ({flows: 256}, False, False),
        ({flows: 4096}, False, False),
        ({flows: 65536}, False, False),
        ({burst: 4}, False, False),
        ({burst: 64}, False, False),
        ({"workload.stages": ("acl",)}, False, False),
        ({"workload.stages": ("acl", "key", "classify")}, False, False),
        ({"traffic.frame_bytes": 512}, False, False),
    ]
    points += [({flows: count}, True, False) for count in (512, 1024, 2048, 8192, 16384, 32768)]
    points += [({burst: size}, True, False) for size in (8, 16, 24, 48)]
    points += [
        ({"workload.stages": ("acl", "key", "classify", "actions")}, True, False),
        ({"traffic.frame_bytes": 256}, True, False),
        ({flows: 1024, burst: 8}, True, False),
        ({flows: 262144, "workload.flows": 262144}, True, True),
        ({flows: 131072, "workload.flows": 262144}, True, True),
        ({"placement.lcores": 2}, True, True),
    ]
    return points


def _manifest(engine: str = "measure") -> Manifest:
    return Manifest(
        command="planecast validate studies/vpe-upstream.yaml",
        seed=1,
        started_at="2026-01-02T03:04:05Z",
        host={
            "cpu": "Test CPU @ 2.60GHz <fast & quiet>",
            "cpus": 2,
            "memory_bytes": 1 << 34,
            "kernel": "6.1.0",
            "virtual": "yes",
        },
        versions={"planecast": "0.1.0", "dpdk": "22.11.11", "compiler": "gcc 12.2.0"},
        engine=engine,
    )


def _estimate(value: float, unit: str, kind: Kind, percent: float) -> Estimate:
    low, high = value * (1 - percent / 100), value * (1 + percent / 120)
    samples = 0 if kind == "computed" else 320
    return Estimate(value=value, low=low, high=high, samples=samples, unit=unit, kind=kind)


def _result(point: Point, kind: Kind, factor: float, noise: random.Random) -> Result:
    """A result of the base scenario at a point, its costs times `factor` and a little noise."""
    scenario = with_overrides(BASE, point)
    names = ["source", *scenario.workload.stages, "tx"]
    memory = max(0.0, (scenario.traffic.flows.bit_length() - 9) / 8)
    percent = 3.2 if kind == "computed" else 0.9
    stages = {}
    for name in names:
        cost, instructions, per_burst, misses = _COSTS[name]
        cycles = cost + per_burst / scenario.placement.burst + misses * memory
        cycles *= factor * noise.gauss(1, 0.006)
        count = instructions + 0.9 * per_burst / scenario.placement.burst
        stages[name] = StageResult(
            cycles_per_packet=_estimate(cycles, "cycles/packet", kind, percent),
            instructions_per_packet=_estimate(count, "instructions/packet", kind, 0.1),
        )
    total = sum(s.cycles_per_packet.value for s in stages.values() if s.cycles_per_packet)
    counted = sum(
        s.instructions_per_packet.value for s in stages.values() if s.instructions_per_packet
    )
    lcores = scenario.placement.lcores
    moved: dict[str, Any] = {}
    if kind == "measured":
        moved = {
            "packets_in": 40_960_000,
            "packets_out": 40_958_976,
            "drops": {"acl": 0, "header": 0, "ttl": 0, "flow_miss": 0, "policer": 1024, "tx": 0},
            "disturbed_share": round(abs(noise.gauss(0.12, 0.08)), 3),
        }
    return Result(
        scenario=scenario,
        throughput_pps=_estimate(lcores * _TSC_HZ / total, "pps", kind, percent),
        cycles_per_packet=_estimate(total, "cycles/packet", kind, percent),
        instructions_per_packet=_estimate(counted, "instructions/packet", kind, 0.1),
        ipc=_estimate(counted / total, "instructions/cycle", kind, percent),
        stages=stages,
        capped_by="core",
        notes=("pages of 4 KiB: no hugepages were free",) if kind == "measured" else (),
        manifest=_manifest("solve" if kind == "computed" else "measure"),
        **moved,
    )


@pytest.fixture
def make_validation() -> Callable[..., Validation]:
    """Makes the validation; `changes` replaces parts of it, `points` its points."""

    def make(seed: int = 7, **changes: Any) -> Validation:
        noise = random.Random(seed)
        points = []
        for overrides, held_out, extrapolates in _points():
            measured = _result(overrides, "measured", 1.0, noise)
            wrong = noise.gauss(1.0, 0.05 if extrapolates else 0.018 if held_out else 0.006)
            predicted = _result(overrides, "computed", wrong, noise)
            settings = " ".join(
                f"--set {key}={','.join(v) if isinstance(v, tuple) else v}"
                for key, v in overrides.items()
            )
            points.append(
                ValidationPoint.of(
                    overrides,
                    measured,
                    predicted,
                    held_out=held_out,
                    extrapolates=extrapolates,
                    reproduce=f"planecast measure scenarios/vpe-upstream.yaml {settings}",
                )
            )
        calibration = {
            "cpi_core": _estimate(0.412, "cycles/instruction", "computed", 1.4),
            "blocking_l2": _estimate(0.0613, "ratio", "computed", 12.0),
            "blocking_llc": _estimate(0.214, "ratio", "computed", 6.0),
            "per_burst": _estimate(618.0, "cycles/burst", "computed", 3.0),
        }
        made = Validation.of(
            "vpe-upstream",
            points,
            calibration,
            _manifest("validate"),
            repeatability=_estimate(1.004, "ratio", "computed", 1.1),
        )
        return made.model_copy(update=changes)

    return make


@pytest.fixture
def validation(make_validation: Callable[..., Validation]) -> Validation:
    """The validation as it is."""
    return make_validation()


@pytest.fixture
def results() -> list[Result]:
    """What ``measure`` finds for five flow counts."""
    noise = random.Random(3)
    return [
        _result({"traffic.flows": flows}, "measured", 1.0, noise)
        for flows in (256, 1024, 4096, 16384, 65536)
    ]


def _side(rate: float, capacity: float, kind: Kind, slower: float) -> tuple[Result, Estimate]:
    """What one side says of a load: loss above its capacity, latency that grows with the load."""
    lost = max(0.0, 1 - capacity / rate)
    offered = round(rate * 0.2)
    percent = 0.0 if kind == "simulated" else 4.0
    result = _result({"traffic.offered_pps": rate}, "measured", 1.0, random.Random(1)).model_copy(
        update={
            "packets_in": offered,
            "packets_out": round(offered * (1 - lost)),
            "drops": {"rx_ring": round(offered * lost)} if lost else {},
            "latency_ns": {
                name: _estimate(ns * slower * (1 + rate / capacity), "ns", kind, percent)
                for name, ns in (("p50", 900.0), ("p99", 1400.0))
            },
            "notes": (),
        }
    )
    return result, Estimate(value=lost, samples=offered, unit="share", kind=kind)


@pytest.fixture
def load_curve() -> LoadCurve:
    """A curve whose simulation is 2 % too optimistic, and knows no disturbance."""
    capacity = 6e6
    loads = []
    for share in (0.1, 0.5, 0.9, 1.0, 1.1):
        measured, loss = _side(share * capacity, 0.98 * capacity, "measured", 1.5)
        simulated, simulated_loss = _side(share * capacity, capacity, "simulated", 1.0)
        loads.append(
            LoadPoint(
                offered_pps=share * capacity,
                load=share,
                measured=measured,
                simulated=simulated,
                measured_loss=loss,
                simulated_loss=simulated_loss,
                unsent=120,
                mean_burst=2.5,
                send_call_ns=140.0,
                trials=40,
            )
        )
    return LoadCurve(
        scenario=BASE,
        loads=tuple(loads),
        calibration=LoadCalibration(
            capacity_pps=_estimate(capacity, "pps", "measured", 1.0),
            poll_cycles=_estimate(80.0, "cycles", "measured", 1.0),
            single_cycles=_estimate(2500.0, "cycles/packet", "measured", 2.0),
            port_cycles=190.0,
            single_port_cycles=1400.0,
        ),
        measured_knee=_estimate(0.98 * capacity, "pps", "measured", 1.0),
        simulated_knee=Estimate(value=capacity, samples=5, unit="pps", kind="simulated"),
        disturbed_share=0.6,
        notes=("simulated: the calibration has no bursts below 16: their cost is extrapolated",),
        manifest=_manifest("measure"),
    )


@pytest.fixture
def search_answer() -> SearchAnswer:
    """NDR and PDR of two repetitions; telemetry at NDR, by perf, and at PDR, without."""

    def rate(loss: float, low: float, high: float) -> FoundRate:
        bounds = tuple(
            Bounds(repetition=number, low_pps=low, high_pps=high, trials=4) for number in (0, 1)
        )
        found = Estimate(
            value=(low + high) / 2, low=low, high=high, samples=2, unit="pps", kind="measured"
        )
        why = "above it the data plane loses packets that were offered"
        return FoundRate(
            loss_ratio=loss, rate_pps=found, bounds=bounds, capped_by="data plane", why=why
        )

    def observed(name: str, **keys: Any) -> Telemetry:
        forwarded = Estimate(value=5.9e6, samples=5, unit="pps", kind="measured")
        return Telemetry(
            rate=name, offered_pps=5.9e6, forwarded_pps=forwarded, loss_ratio=1e-5, **keys
        )

    cycles = Estimate(
        value=433.0, low=430.0, high=436.0, samples=5, unit="cycles/packet", kind="measured"
    )
    split = InstructionSplit(io=40, processing=455, other=25, instrument="singlestep")
    counted = {"ex_ret_instr": CountedEvent(per_packet=521.0, running=0.5)}
    return SearchAnswer(
        method="mlr",
        scenario=BASE,
        dataplane="planecast's vpe-upstream",
        trial_seconds=0.02,
        rates={"NDR": rate(0.0, 5.9e6, 5.93e6), "PDR": rate(0.005, 6.0e6, 6.03e6)},
        trials=8,
        refused={"unsent": 3},
        second_opinion={"pmd": cycles},
        telemetry=(
            observed("NDR", cycles_per_packet=cycles, cycles_of="core", events=counted),
            observed(
                "PDR",
                cycles_per_packet=cycles,
                cycles_of="time-stamp counter",
                split=split,
                ports={"port0.ipackets": 1_800_000},
                marks=("no hardware counters were asked",),
            ),
        ),
        manifest=_manifest(),
    )


@pytest.fixture
def search_trials() -> dict[str, np.ndarray]:
    """Its trials, from the highest load on."""
    loads = np.array([14.88e6, 5.9e6, 6.1e6, 6.0e6] * 2)
    loss = np.array([0.6, 0.0, 0.02, 0.001] * 2)
    offered = np.round(loads * 0.02)
    return {
        "repetition": np.repeat([0, 1], 4),
        "intended_pps": loads,
        "seconds": np.full(8, 0.02),
        "offered": offered,
        "received": np.round(offered * (1 - loss)),
        "unsent": np.zeros(8),
        "mean_ns": np.full(8, np.nan),
        "p50_ns": np.linspace(900, 1600, 8),
        "p99_ns": np.linspace(2000, 9000, 8),
    }
