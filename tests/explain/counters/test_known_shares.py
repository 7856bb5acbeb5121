"""Events made from known slot shares, written as perf writes them, come back at every level."""

from __future__ import annotations

from pathlib import Path
from types import ModuleType

import pytest

from planecast.explain.counters import Asked, CounterExplanation, explain_recording
from planecast.instruments.recorded import read_recording

INTEL = ("broadwell", "skylake", "icelake", "sapphirerapids")


def explained(
    made: ModuleType, name: str, folder: Path, rounds: int = 1, packets: float | None = None
) -> CounterExplanation:
    file = folder / "perf.csv"
    events = (made.INTEL | made.AMD)[name]()
    file.write_text(made.perf_csv(events, rounds), encoding="utf-8")
    return explain_recording(read_recording(file), Asked(str(file), name, packets=packets))


@pytest.mark.parametrize("name", [*INTEL, "zen4", "zen5"])
def test_every_level_comes_back(made_events: ModuleType, tmp_path: Path, name: str) -> None:
    found = explained(made_events, name, tmp_path)
    shares = {node.node: node.share.value for node in found.nodes if node.share}
    wanted = made_events.LEVEL_1 | made_events.LEVEL_2
    if name in INTEL:
        wanted = wanted | made_events.LEVEL_3 | made_events.LEVEL_4
    else:
        wanted = {k: v for k, v in wanted.items() if k != "machine_clears"}
        wanted["pipeline_restarts"] = made_events.LEVEL_2["machine_clears"]
    for node, share in wanted.items():
        assert shares[node] == pytest.approx(share, abs=1e-6), node


@pytest.mark.parametrize("name", INTEL)
def test_the_verdict_follows_the_shares(made_events: ModuleType, tmp_path: Path, name: str) -> None:
    found = explained(made_events, name, tmp_path)
    # what the ports did was not chosen
    over = {node.node for node in found.nodes if node.over and not node.node.startswith("ports")}
    assert over == {
        "backend_bound", "memory_bound", "core_bound", "frontend_bound", "fetch_latency",
        "l1_bound", "l2_bound", "l3_bound", "store_bound",
    }  # fmt: skip
    assert found.limits[0].startswith(
        "Backend bound 46.0 % → Memory bound 31.0 % → Store bound 21.0 %"
    )
    assert found.limits[1].startswith("Frontend bound 18.0 % → Fetch latency 11.0 %")
    assert any("all_stores" in advice.try_this for advice in found.advice)


def test_rounds_give_intervals_and_packets_give_counts(
    made_events: ModuleType, tmp_path: Path
) -> None:
    found = explained(made_events, "broadwell", tmp_path, rounds=5, packets=10e6)
    backend = next(node.share for node in found.nodes if node.node == "backend_bound")
    assert backend is not None
    assert backend.samples == 5
    assert backend.value == pytest.approx(0.46)
    assert backend.half_width_percent is not None
    assert 0 < backend.half_width_percent < 10
    assert backend.covers(0.46)
    by_name = {metric.metric: metric.value for metric in found.metrics}
    instructions, cycles = by_name["instructions"], by_name["cycles"]
    ipc = by_name["instructions_per_cycle"]
    assert instructions is not None
    assert cycles is not None
    assert ipc is not None
    assert instructions.value == pytest.approx(1.2 * made_events.CLKS / 10e6)
    assert instructions.unit == "instructions/packet"
    assert cycles.value == pytest.approx(made_events.CLKS / 10e6)
    assert instructions.covers(instructions.value)
    # CPP = IPP / IPC: the identity of the benchmarking paper's section 3
    assert cycles.value == pytest.approx(instructions.value / ipc.value)
    assert "5 rounds: Backend bound is above 20 %" in found.certainty[0]
