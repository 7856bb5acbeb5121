"""Which lines the stages of each network function touch, and laws that hold for all of them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from planecast.scenario import Scenario, with_overrides
from planecast.scenario.workload import FUNCTIONS, NEEDS, TABLE_STAGES
from planecast.workload.regions import Overlap, Region
from planecast.workload.scenario_columns import ScenarioColumns
from planecast.workload.sizes import Sizes, step_addresses
from planecast.workload.stages import acl, first_24_bits, ip4_routes
from planecast.workload.stages.registry import STAGES, stages_of


def scenario(kind: str, **keys: object) -> Scenario:
    """Keys with two underscores for the dot."""
    changes = {"workload.kind": kind, "workload.stages": ",".join(FUNCTIONS[kind]) or "none"}
    dotted = {key.replace("__", "."): value for key, value in keys.items()}
    return with_overrides(Scenario(name="x"), {**changes, **dotted})


def regions_of(scenarios: Sequence[Scenario]) -> list[Region]:
    sizes = Sizes(ScenarioColumns.of(scenarios))
    own = stages_of(scenarios[0].workload.kind)
    return [region for stage in own for region in stage.regions(sizes)]


def sizes_of(kind: str, **keys: object) -> Sizes:
    return Sizes(ScenarioColumns.of([scenario(kind, **keys)]))


def touched(kind: str, **keys: object) -> dict[str, tuple[float, float]]:
    """By stage and name of what is touched: distinct lines, and lines a packet."""
    return {
        f"{r.stage}: {r.name}": (float(r.total_lines[0]), float(r.touches[0]))
        for r in regions_of([scenario(kind, **keys)])
        if r.touches[0]
    }


def test_every_stage_of_every_function_has_a_descriptor() -> None:
    assert {name for stages in FUNCTIONS.values() for name in stages} | {"source", "tx"} == set(
        STAGES
    )
    for stage in STAGES.values():
        assert set(stage.instructions_depend_on) <= set(STAGES)


@pytest.mark.parametrize("kind", ["l2patch", "macswap", "compute"])
def test_functions_without_tables_touch_packets_alone(kind: str) -> None:
    assert set(touched(kind)) == {
        *("source: packet buffers", "source: receive ring", "tx: transmit ring")
    }


@pytest.mark.parametrize("size", TABLE_STAGES)
@pytest.mark.parametrize("kind", FUNCTIONS)
def test_tables_matter_to_the_stages_that_are_said_to_use_them_alone(kind: str, size: str) -> None:
    users = TABLE_STAGES[size]
    others: list[str] = []
    for stage in FUNCTIONS[kind]:
        if stage not in users and NEEDS.get(stage, stage) in (*others, stage):
            others.append(stage)
    small, large = (
        touched(kind, **{"workload__stages": ",".join(others) or "none", f"workload__{size}": n})
        for n in (64, 65536)
    )
    assert small == large
    if users[0] in FUNCTIONS[kind]:
        few, many = (touched(kind, **{f"workload__{size}": n}) for n in (64, 65536))
        assert few != many


@pytest.mark.parametrize("kind", FUNCTIONS)
def test_lines_are_asked_for_by_a_stage_that_comes_no_later(kind: str) -> None:
    names = [stage.name for stage in stages_of(kind)]
    for region in regions_of([scenario(kind)]):
        if region.asked is not None:
            assert names.index(region.asked.stage) <= names.index(region.stage)
            assert region.overlap is Overlap.PREFETCHED


def test_a_bridge_has_the_rings_of_two_ports() -> None:
    rings = {"placement__rx_ring": 128, "placement__tx_ring": 512, "placement__burst": 32}
    one, two = touched("macswap", **rings), touched("l2bridge", **rings)
    assert one["source: packet buffers"] == (2 * (128 + 512 + 32), 2)
    assert two["source: packet buffers"] == (2 * (2 * (128 + 512) + 32), 2)
    # Eight slots of a ring are a line.
    assert (one["source: receive ring"], one["tx: transmit ring"]) == ((16, 1 / 8), (64, 1 / 8))
    assert (two["source: receive ring"], two["tx: transmit ring"]) == ((32, 1 / 8), (128, 1 / 8))


def test_an_encapsulation_writes_to_a_third_line_of_each_buffer() -> None:
    found = touched("vpe-downstream")
    assert found["qinq: headroom"] == (found["source: packet buffers"][0] / 2, 1)
    assert "qinq: headroom" not in touched("vpe-downstream", workload__stages="downroute")


def test_a_bridge_looks_two_stations_of_each_flow_up() -> None:
    few = touched("l2bridge", traffic__flows=64)
    many = touched("l2bridge", traffic__flows=65536)
    assert few["learn: stations"] == pytest.approx((64, 1), rel=0.01)
    # 131,072 stations in 32,768 buckets leave next to none of them alone.
    both = many["learn: stations"][0] + many["forward: stations"][0]
    assert both == pytest.approx(32768, rel=0.02)
    # Learning asks for the destination's bucket whether or not somebody looks it up.
    alone = touched("l2bridge", traffic__flows=64, workload__stages="learn")
    assert alone["learn: destinations"] == few["forward: stations"]


def test_a_router_touches_its_two_tables_by_the_depth_of_its_routes() -> None:
    flows = {"traffic__flows": 1024, "workload__routes": 4096}
    wide = {"traffic__destination_step": "0.4.0.0"}
    short = touched("ip4", workload__route_depth=16, **flows, **wide)
    assert short["next_hop: route table"] == (1024, 1)
    assert "next_hop: route groups" not in short
    longer = touched("ip4", workload__route_depth=32, **flows, **wide)
    assert longer["next_hop: route groups"] == (1024, 1)
    # Neighbouring addresses share lines of both: sixteen entries a line, 256 addresses an entry.
    step = {"traffic__destination_step": "0.0.0.1"}
    dense = touched("ip4", workload__route_depth=32, **flows, **step)
    assert dense["next_hop: route table"] == (1, 1)
    assert dense["next_hop: route groups"] == (64, 1)
    assert dense["rewrite: next hops"] == (16, 1)
    # A flow's destination comes round after 2^30 addresses.
    many = touched("ip4", traffic__flows=65536, workload__route_depth=16, **wide)
    assert many["next_hop: route table"] == (4096, 1)
    fib = touched("ip4", workload__route_depth=32, workload__route_lookup="fib", **flows, **wide)
    assert fib["next_hop: fib's route table"] == (1024, 1)
    assert "next_hop: route table" not in fib


@pytest.mark.parametrize(("depth", "share"), [("mixed", 16 / 64), (24, 0.0), (25, 1.0), (32, 1.0)])
def test_packets_whose_prefix_is_longer_than_the_first_table(depth: object, share: float) -> None:
    """Of mixed routes, 16 of 64 blocks of flows have depths of 25 to 32, and nearly every flow has
    a route."""
    keys = {"workload__flows": 62500, "workload__routes": 62500, "traffic__flows": 62500}
    step = {"traffic__destination_step": "0.0.64.1"}
    found = touched("ip4", workload__route_depth=depth, **keys, **step)
    assert found.get("next_hop: route groups", (0, 0))[1] == pytest.approx(share, rel=0.01)


@pytest.mark.parametrize("flows", [256, 4096, 62500, 65536, 131072, 524288])
@pytest.mark.parametrize("dotted", ["0.0.64.1", "0.0.64.0", "0.0.0.1", "0.1.0.3", "0.0.100.0"])
@pytest.mark.parametrize("addresses", [1, 16, 256, 4096])
def test_blocks_of_destinations_are_those_that_flows_are_in(
    dotted: str, flows: int, addresses: int
) -> None:
    sizes = sizes_of("ip4", traffic__destination_step=dotted, traffic__flows=1)
    places = np.arange(flows) * step_addresses(dotted) % ip4_routes.SPACE // addresses
    found = ip4_routes.address_blocks(sizes, addresses, np.array([float(flows)]))
    assert found[0] == pytest.approx(np.unique(places).size, rel=0.03, abs=1)


@pytest.mark.parametrize(
    ("dotted", "flows", "stride"),
    [("0.0.64.1", 4096, 4), ("0.0.64.1", 16384, 1), ("0.0.64.0", 16384, 4), ("0.0.16.0", 64, 1)],
)
def test_steps_of_whole_lines_keep_flows_in_few_sets(
    dotted: str, flows: int, stride: float
) -> None:
    columns = ScenarioColumns.of([scenario("ip4", traffic__destination_step=dotted)])
    found = first_24_bits.line_stride(columns, np.array([float(flows)]), ip4_routes.SPACE)
    assert found[0] == pytest.approx(stride, rel=0.01)
    lines = np.arange(flows) * step_addresses(dotted) // first_24_bits.LINE_ADDRESSES
    sets = 1024
    assert np.unique(lines % sets).size <= max(sets / stride, 1)


@pytest.mark.parametrize("flows", [64, 1024, 4400, 15000, 62500])
@pytest.mark.parametrize("depth", ["mixed", 12, 24])
def test_routes_that_active_flows_meet(depth: object, flows: int) -> None:
    sizes = sizes_of(
        "ip4",
        workload__route_depth=depth,
        workload__flows=62500,
        workload__routes=62500,
        traffic__flows=flows,
        traffic__destination_step="0.0.64.1",
    )
    numbers = np.arange(flows)
    of_block = ip4_routes.FIRST_DEPTH + numbers * ip4_routes.BLOCKS // 62500 % 24
    depths = of_block if depth == "mixed" else np.full(flows, depth)
    places = numbers * step_addresses("0.0.64.1") % ip4_routes.SPACE
    met = np.unique((places >> (32 - depths)) * 64 + depths).size
    found = ip4_routes.routes_met(sizes, np.array([float(flows)]))
    assert found[0] == pytest.approx(met, rel=0.05, abs=2 + flows // 900)


def test_a_router_does_its_second_round_where_routes_are_longer() -> None:
    def share(**keys: object) -> float:
        sizes = sizes_of(
            "ip4",
            workload__flows=62500,
            workload__routes=62500,
            **{"traffic__flows": 62500, **keys},
        )
        return float(STAGES["next_hop"].optional_share(sizes)[0])

    assert share(traffic__flows=4096) == 0  # the first blocks have short ones
    assert share(traffic__flows=62500) == pytest.approx(1 - 0.75**8, rel=0.02)
    assert share(traffic__flows=62500, placement__burst=4) == pytest.approx(1 - 0.75**4, rel=0.02)
    assert share(workload__route_depth=32) == 1
    fib = share(traffic__flows=62500, workload__route_lookup="fib")
    assert fib == pytest.approx(0.25, rel=0.02)


def test_a_traffic_manager_has_a_line_a_pipe_and_eight_a_queue() -> None:
    found = touched("vpe-downstream", traffic__flows=65536)
    assert found["tm: queues"] == (4096, 1)
    slots = [found["tm: queued packets"], found["tm: next queued packets"]]
    assert [sum(part) for part in zip(*slots, strict=True)] == [8 * 65536, 1]
    hashed = touched("vpe-downstream", workload__down_lookup="hash")
    assert hashed["downroute: flow buckets"][1] == 2
    assert "downroute: route table" not in hashed


@pytest.mark.parametrize(("burst", "passes"), [(4, {"queues", "slots"}), (6, set())])
def test_a_traffic_manager_waits_for_each_pass_over_a_brief_burst(
    burst: int, passes: set[str]
) -> None:
    found = [
        region
        for region in regions_of([scenario("vpe-downstream", placement__burst=burst)])
        if region.stage == "tm" and region.touches[0]
    ]
    assert {region.asked.lines for region in found if region.asked} == passes
    names = [region.name for region in found]
    assert len(names) == len(set(names)) == 9  # each is touched in one way


def test_next_hops_count_where_they_are_waited_for() -> None:
    found = touched("vpe-downstream")
    assert "downroute: next hops" not in found
    assert found["qinq: next hops"][1] == 1
    without = touched("vpe-downstream", workload__stages="downroute,tm")
    assert without["downroute: next hops"] == found["qinq: next hops"]


KEYS = {
    "workload.flows": (1 << 16, 1 << 18),
    "workload.acl_rules": (1, 65536),
    "workload.routes": (2, 65536),
    "workload.next_hops": (1, 65536),
    "workload.bridge_entries": (1 << 17, 1 << 20),
    "traffic.flows": (1, 1 << 16),
    "placement.burst": (1, 256),
}


@st.composite
def scenarios(draw: st.DrawFn) -> Scenario:
    kind = draw(st.sampled_from(sorted(FUNCTIONS)))
    changes: dict[str, Any] = {
        "workload.kind": kind,
        "workload.stages": ",".join(FUNCTIONS[kind]) or "none",
        "traffic.destination_step": draw(st.sampled_from(["0.4.0.0", "0.0.64.1", "0.0.0.1"])),
        "placement.lcores": draw(st.sampled_from([1, 2, 4])),
        "workload.route_lookup": draw(st.sampled_from(["lpm", "fib"])),
        "workload.route_depth": draw(st.sampled_from(["mixed", 16, 28, 32])),
        "workload.down_lookup": draw(st.sampled_from(["lpm", "hash"])),
        "workload.flow_table": draw(st.sampled_from(["buckets", "rte_hash"])),
    }
    changes |= {key: draw(st.integers(*ends)) for key, ends in KEYS.items()}
    return with_overrides(Scenario(name="x"), changes)


@settings(max_examples=60)
@given(scenarios())
def test_lines_are_never_negative_and_lcores_share_them_or_not(one: Scenario) -> None:
    lcores = one.placement.lcores
    for region in regions_of([one]):
        assert region.touches[0] >= 0
        assert region.lines[0] >= 0
        assert region.pages[0] >= 0
        slack = 1e-9 * region.total_lines[0]
        assert region.lines[0] <= region.total_lines[0] + slack, region
        assert region.total_lines[0] <= lcores * region.lines[0] + slack, region


GROWS = ("traffic.flows", "workload.acl_rules", "workload.routes", "workload.bridge_entries")
"""No region has fewer lines when one of these grows. (workload.flows: a router's routes lie around
so many flows' destinations, so of fewer active ones fewer have a long route.)"""


@settings(max_examples=60)
@given(scenarios(), st.sampled_from(GROWS), st.integers(1, 8))
def test_more_flows_rules_or_routes_touch_no_fewer_lines(
    one: Scenario, key: str, times: int
) -> None:
    section, _, name = key.partition(".")
    now = getattr(getattr(one, section), name)
    more = with_overrides(one, {key: min(times * now, KEYS[key][1])})
    for few, many in zip(regions_of([one]), regions_of([more]), strict=True):
        assert few.name == many.name
        assert few.total_lines[0] <= many.total_lines[0] * (1 + 1e-9), few.name


@pytest.mark.parametrize("kind", sorted(FUNCTIONS))
def test_many_scenarios_at_once_are_what_each_is_alone(kind: str) -> None:
    changes: list[dict[str, object]] = [
        {},
        {"traffic__flows": 100, "placement__cpus": "0-1"},
        {"workload__routes": 64, "placement__burst": 4},
        {"traffic__destination_step": "0.0.0.1", "placement__page_size": "4KiB"},
    ]
    every = [scenario(kind, **one) for one in changes]
    together = regions_of(every)
    for number, one in enumerate(every):
        for whole, alone in zip(together, regions_of([one]), strict=True):
            for part in ("lines", "touches", "pages", "total_lines"):
                assert getattr(whole, part)[number] == pytest.approx(getattr(alone, part)[0])
    shapes = {np.shape(getattr(r, part)) for r in together for part in ("lines", "touches")}
    assert shapes == {(len(every),)}
    assert all(isinstance(region.overlap, Overlap) for region in together)


def test_a_search_with_gathers_takes_its_ends_once_however_many_rounds_it_has() -> None:
    """9 to 16 packets are one round, 25 to 32 two, and 17 to 24 leave half of the second one's
    lanes empty; 8 and fewer are searched with scalar loads."""
    bursts = np.array([8.0, 9.0, 16.0, 17.0, 32.0, 64.0])
    scenarios = [
        with_overrides(Scenario(name="acl"), {"placement.burst": int(burst)}) for burst in bursts
    ]
    walk = acl.Acl().lock_step(Sizes(ScenarioColumns.of(scenarios)))
    assert walk.gathered * bursts == pytest.approx(
        np.array([0.0, 1.0, 1.0, 1.0 + acl.HALF_ROUND, 2.0, 4.0]) + acl.SEARCH_ENDS * (bursts > 8)
    )
    assert walk.scalar * bursts == pytest.approx([1.0, 0.0, 0.0, 0.0, 0.0, 0.0])
