"""The engine on a data plane that answers at once: turns, time, what is kept."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from planecast.engines.measure import TrialTable, measure
from planecast.engines.measure.engine import block_packets, trial_of, warmup_packets
from planecast.errors import RunError
from planecast.results import Manifest
from planecast.scenario import Scenario
from planecast.scenario.study import Budget

MakeScenario = Callable[..., Scenario]

QUICK = Budget(seconds=1, patience=0, restarts=1, windows=8, packets=64, warmup=0)
POINTS: tuple[dict[str, Any], ...] = (
    {"traffic.flows": 256},
    {"traffic.flows": 512, "placement.burst": 8},
    {"traffic.flows": 1024, "workload.stages": "key,route"},
    {"traffic.flows": 2048, "placement.stage_clock": 0},
)


@pytest.fixture
def scenarios(scenario: MakeScenario) -> list[Scenario]:
    return [scenario(point) for point in POINTS]


def visits(table: TrialTable) -> list[tuple[int, int]]:
    """(restart, point) of every visit, in order."""
    columns = table.columns()
    first = np.unique(columns["visit"], return_index=True)[1]
    return [(int(columns["restart"][i]), int(columns["point"][i])) for i in first]


def test_every_round_visits_every_point_in_another_order(
    scenarios: list[Scenario], fake: Any, manifest: Manifest, monkeypatch: pytest.MonkeyPatch
) -> None:
    # However late the process starts. Turns after these go by how much visits differ.
    monkeypatch.setattr("planecast.engines.measure.schedule.MIN_ROUNDS", 4)
    fake.way(trial_s=0.005)
    table = TrialTable(["a", "b", "c", "d"])
    began = time.monotonic()
    results = measure(scenarios, QUICK, manifest, table=table)
    assert time.monotonic() - began > 0.9
    # A stay is two visits in a row.
    every = [point for _, point in visits(table)]
    assert every[::2] == every[1::2]
    order = every[::2]
    rounds = [order[i : i + 4] for i in range(0, 4 * 4, 4)]
    assert all(sorted(turn) == [0, 1, 2, 3] for turn in rounds)
    assert len({tuple(turn) for turn in rounds}) > 2
    assert [result.scenario for result in results] == scenarios
    assert list(results[2].stages) == ["source", "key", "route", "tx"]
    assert results[3].stages == {}
    assert len(fake.starts()) == 1


def test_the_same_seed_takes_the_same_turns(
    scenarios: list[Scenario], fake: Any, manifest: Manifest, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("planecast.engines.measure.schedule.MIN_ROUNDS", 3)
    # The time is over before it begins, so there are as many rounds as there have to be.
    budget = QUICK.model_copy(update={"seconds": -1e9, "windows": 1})

    def turns(seed: int) -> list[tuple[int, int]]:
        table = TrialTable(["a", "b", "c", "d"])
        own = manifest.model_copy(update={"seed": seed})
        measure(scenarios, budget, own, table=table)
        return visits(table)

    assert turns(1) == turns(1) != turns(2)


def test_each_restart_is_another_process_and_visits_all(
    scenarios: list[Scenario], fake: Any, manifest: Manifest
) -> None:
    fake.way(trial_s=0.005)
    scenarios[1] = scenarios[1].model_copy(
        update={"workload": scenarios[1].workload.model_copy(update={"routes": 64})}
    )
    table = TrialTable(["a", "b", "c", "d"])
    heard: list[tuple[float, float, str]] = []
    results = measure(
        scenarios,
        QUICK.model_copy(update={"restarts": 3}),
        manifest,
        table=table,
        eal_arguments=["--no-huge"],
        progress=lambda *words: heard.append(words),
    )
    seen = visits(table)
    for restart in range(3):
        assert {point for r, point in seen if r == restart} == {0, 1, 2, 3}
    # Two configurations, three times each.
    assert len(fake.starts()) == len(fake.pids()) == 6
    assert all(words[-2:] == ["--", "--no-huge"] for words in fake.starts())
    assert {words for _, _, words in heard} == {"building the tables", "a", "b", "c", "d"}
    assert all(0 <= done <= total == 1 for done, total, _ in heard)
    assert all(result.manifest.engine == "measure" for result in results)


def test_a_predictor_that_measures_gets_measured_results(
    scenario: MakeScenario, fake: Any, manifest: Manifest
) -> None:
    asked = manifest.model_copy(update={"engine": "solve"})
    (found,) = measure([scenario()], QUICK, asked)
    assert found.manifest == manifest
    assert found.cycles_per_packet.kind == "measured"


def test_a_data_plane_that_dies_leaves_the_trials(
    scenarios: list[Scenario], fake: Any, manifest: Manifest
) -> None:
    table = TrialTable(["a", "b", "c", "d"])

    def progress(done: float, total: float, words: str) -> None:
        if len(table.columns().get("cycles", ())) >= 3 * QUICK.windows:
            fake.way()
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        measure(scenarios, QUICK, manifest, table=table, progress=progress)
    assert len(visits(table)) == 4

    fake.way(trial="dies", says="out of buffers")
    with pytest.raises(RunError, match="out of buffers"):
        measure(scenarios, QUICK, manifest, table=TrialTable(["a", "b", "c", "d"]))


def test_trials_have_a_row_a_window_with_label_and_missing_stages(
    scenarios: list[Scenario], fake: Any, manifest: Manifest
) -> None:
    table = TrialTable(["a", "b", "c", "d"])
    measure(scenarios, QUICK, manifest, table=table)
    stored = table.stored()
    rows = len(stored["cycles"])
    assert all(len(column) == rows for column in stored.values())
    assert rows == len(visits(table)) * QUICK.windows
    assert set(stored["label"]) == {"a", "b", "c", "d"}
    missing = np.isnan(stored["stage_acl_cycles"].astype(float))
    assert (missing == (stored["point"] == 2)).all()
    assert not np.isnan(stored["stage_tx_cycles"].astype(float)).any()
    assert stored["window"][:8].tolist() == list(range(8))


def test_an_empty_table_has_no_columns() -> None:
    assert TrialTable(["a"]).columns() == TrialTable(["a"]).stored() == {}


def test_a_visit_that_never_gets_steady_says_so(
    scenarios: list[Scenario], fake: Any, manifest: Manifest
) -> None:
    fake.way(settled={"steady": False, "blocks": 40, "first_cycles": 200.0, "last_cycles": 150.0})
    table = TrialTable(["a", "b", "c", "d"])
    results = measure(scenarios, QUICK, manifest, table=table)
    assert {result.steady_share for result in results} == {0.0}
    assert all(any(n.startswith("not steady: ") for n in result.notes) for result in results)
    stored = table.stored()
    assert not stored["steady"].any()
    assert set(stored["warm_blocks"]) == {40}
    assert stored["began_tsc"].all()


def test_a_block_is_a_round_of_the_longest_cycle(scenario: MakeScenario) -> None:
    def block(**keys: Any) -> int:
        return block_packets(scenario({"traffic.flows": 4096, **keys}), Budget(packets=512))

    assert block() == 16384  # destinations, 0.4.0.0 apart
    assert block(**{"traffic.destination_step": "0.0.16.0"}) == 32768  # 2^20, cut
    assert block(**{"traffic.destination_step": "16.0.0.0", "traffic.flows": 256}) == 4096
    assert block(**{"traffic.flows": 32768, "traffic.destination_step": "16.0.0.0"}) == 32768
    two = {"traffic.flows": 32768, "traffic.destination_step": "16.0.0.0"}
    assert block(**two, **{"placement.cpus": "0-1"}) == 16384
    asked = trial_of(scenario({"traffic.flows": 4096}), Budget()).request
    assert " block=16384 settle=0.1 " in asked
    assert "block" not in trial_of(scenario({}), Budget(settle=0)).request


def test_the_warm_up_touches_every_flow(scenario: MakeScenario) -> None:
    few, many = scenario({"traffic.flows": 256}), scenario({"traffic.flows": 65536})
    two = scenario({"traffic.flows": 65536, "placement.cpus": "0-1"})
    budget = QUICK.model_copy(update={"warmup": 1000})
    assert [warmup_packets(s, budget) for s in (few, many, two)] == [1000, 131072, 65536]
