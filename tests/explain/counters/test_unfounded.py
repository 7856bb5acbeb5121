"""What rests on a value that can't be is refused, too; reference cycles are no share."""

from __future__ import annotations

from pathlib import Path
from types import ModuleType

from planecast.explain.counters import Asked, CounterExplanation, explain_recording
from planecast.instruments.recorded import read_recording

SLOTS = 5 * 3e9
ICE_LAKE = {
    "TOPDOWN.SLOTS:perf_metrics": SLOTS,
    "PERF_METRICS.RETIRING": 0.30 * SLOTS,
    "PERF_METRICS.BAD_SPECULATION": 0.05 * SLOTS,
    "PERF_METRICS.FRONTEND_BOUND": 0.15 * SLOTS,
    "PERF_METRICS.BACKEND_BOUND": 0.50 * SLOTS,
    "UOPS_DECODED.DEC0": 9e8,
    "UOPS_DECODED.DEC0:c1": 1e8,
    "IDQ.MITE_UOPS": 1e9,
    "IDQ.MS_UOPS": 1e6,
    "UOPS_RETIRED.SLOTS": 0.30 * SLOTS,
    "UOPS_ISSUED.ANY": 0.33 * SLOTS,
    "CPU_CLK_UNHALTED.REF_TSC": 8e8,
    "CPU_CLK_UNHALTED.THREAD": 3e9,
    "INST_RETIRED.ANY": 4e9,
}


def explained(
    made: ModuleType, folder: Path, changed: dict[str, float] | None = None
) -> CounterExplanation:
    file = folder / "perf.csv"
    file.write_text(made.perf_csv({**ICE_LAKE, **(changed or {})}, 1), encoding="utf-8")
    return explain_recording(read_recording(file), Asked("x", "icelake", packets=1e6))


def test_light_operations_rest_on_heavy_ones(made_events: ModuleType, tmp_path: Path) -> None:
    good = {node.node: node for node in explained(made_events, tmp_path).nodes}
    assert good["light_operations"].share is not None
    bad = explained(made_events, tmp_path, {"IDQ.MITE_UOPS": 1e7})
    nodes = {node.node: node for node in bad.nodes}
    for name in ("heavy_operations", "light_operations"):
        assert nodes[name].share is None, name
        assert not nodes[name].over
    assert "rests on" in nodes["light_operations"].marks[0]
    assert "above 100 %" in nodes["light_operations"].marks[0]
    assert nodes["retiring"].share is not None


def test_reference_cycles_are_given_a_packet(made_events: ModuleType, tmp_path: Path) -> None:
    found = explained(made_events, tmp_path)
    (reference,) = [one for one in found.metrics if one.metric == "reference_cycles"]
    assert reference.value is not None
    assert reference.value.value == 800
    assert reference.value.unit == "reference cycles/packet"
