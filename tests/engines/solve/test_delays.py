"""What memory adds: native code against the same sums in numpy, and neighbours among the lines."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pytest
from planecast.engines.solve.delays import Company, Delays
from planecast.engines.solve.features import feature_tables, spread
from planecast.engines.solve.regions import facts_of

from planecast.instruments.counts import InstructionCounts
from planecast.machine.hierarchy import Hierarchy
from planecast.scenario import Scenario, with_overrides
from planecast.workload.scenario_columns import ScenarioColumns

SIZES = (0.25, 0.5, 1.0, 4.0, 2.0)


@pytest.fixture
def scenarios() -> list[Scenario]:
    """More than are computed together in vectors, over every key that regions follow from."""
    random = np.random.default_rng(3)
    base = with_overrides(Scenario(name="any"), {"workload.flows": 1 << 20})
    found = []
    for i in range(75):
        found.append(
            with_overrides(
                base,
                {
                    "workload.acl_rules": int(2 ** random.uniform(3, 16)),
                    "workload.routes": int(2 ** random.uniform(3, 16)),
                    "workload.flow_table": ["buckets", "rte_hash"][i % 2],
                    "workload.stages": [
                        "acl,key,classify,actions,route",
                        "key,classify,route",
                        "none",
                    ][i % 3],
                    "traffic.flows": int(2 ** random.uniform(3, 20)),
                    "traffic.destination_step": ["0.4.0.0", "0.0.0.1", "1.0.0.0"][i % 3],
                    "placement.burst": int(random.integers(1, 129)),
                    "placement.lcores": ["1", "0-1", "0-3"][i % 3],
                    "placement.page_size": ["auto", "4KiB"][i % 2],
                },
            )
        )
    return found


def machines(hierarchy: Hierarchy) -> list[Hierarchy]:
    """Last levels of several sizes, not in their order, and a machine that is another one."""
    slower = hierarchy.model_copy(update={"walk_cycles": 30.0, "tlb_pages": 1024.0})
    return [slower.with_last_level(size) for size in SIZES] + [hierarchy]


def assert_parts_add_up(delays: Delays, on: Sequence[Hierarchy]) -> None:
    for hierarchy, (stages, missed) in zip(on, delays.on(on), strict=True):
        parts = delays.parts(hierarchy)
        assert set(stages) == set(parts)
        for stage, delay in stages.items():
            whole = sum(parts[stage].values(), np.zeros_like(missed))
            np.testing.assert_allclose(delay, whole, rtol=1e-12, atol=1e-12)
        assert np.all(missed >= 0)


def test_native_delays_are_the_sums_of_their_parts(
    scenarios: list[Scenario], hierarchy: Hierarchy
) -> None:
    assert_parts_add_up(Delays(facts_of(scenarios)), machines(hierarchy))


def test_they_are_beside_neighbours_too(scenarios: list[Scenario], hierarchy: Hierarchy) -> None:
    random = np.random.default_rng(5)
    size = len(scenarios)
    company = Company(
        lines=random.uniform(0, 1e7, size),
        touches=random.uniform(0, 20, size),
        memory_factor=random.uniform(1, 2, size),
        lines_per_s=np.zeros(size),
    )
    beside = Delays(facts_of(scenarios), company)
    assert_parts_add_up(beside, machines(hierarchy))
    served, missed = beside.beside(hierarchy)
    ((_, native),) = beside.on([hierarchy])
    np.testing.assert_allclose(missed, native, rtol=1e-12, atol=1e-12)
    assert np.all((served >= 0) & (served <= 1))


def test_a_neighbour_takes_lines_away(base: Scenario, hierarchy: Hierarchy) -> None:
    facts = facts_of([with_overrides(base, {"traffic.flows": 65536})])
    one = np.ones(1)

    def missed(touches: float) -> float:
        company = Company(
            lines=1e7 * one, touches=touches * one, memory_factor=one, lines_per_s=one
        )
        ((_, lines),) = Delays(facts, company).on([hierarchy])
        return float(lines[0])

    found = [missed(touches) for touches in (0.0, 1.0, 4.0, 16.0, 64.0)]
    assert found == sorted(found)
    assert found[-1] > found[0] + 0.5
    ((_, alone),) = Delays(facts).on([hierarchy])
    assert found[0] == pytest.approx(float(alone[0]), rel=1e-9)


def test_costs_on_every_last_level_are_those_of_their_features(
    scenarios: list[Scenario], hierarchy: Hierarchy, counts: dict[str, InstructionCounts]
) -> None:
    drained = hierarchy.model_copy(update={"drained_meanwhile": 0.6})
    on = machines(drained)[:-1]
    tables = feature_tables(scenarios, on, counts)
    names = tables[0].parameters()
    values = np.random.default_rng(7).uniform(0.1, 2, (len(on), len(names)))
    found = spread(ScenarioColumns.of(scenarios), on, (names, values), counts)
    wanted = [table.row(None, names) @ vector for table, vector in zip(tables, values, strict=True)]
    np.testing.assert_allclose(found.values, wanted[0], rtol=1e-12)
    # In any order.
    np.testing.assert_allclose(
        np.sort(found.others, axis=0), np.sort(wanted[1:], axis=0), rtol=1e-12
    )
    np.testing.assert_allclose(found.rows, tables[0].row(None, names), rtol=1e-12, atol=1e-12)
    np.testing.assert_allclose(found.table.memory_lines, tables[0].memory_lines, atol=1e-12)
