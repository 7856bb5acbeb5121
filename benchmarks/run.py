"""planecast's numbers against their goals: prints a table and writes build/bench.json.

    make bench

A row is name, ours, peer, ratio, unit, goal (and low, high, met). What is compared was interleaved
in one run; timing goals live here and in no test.
"""

from __future__ import annotations

import json
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path

from both_ways import generator_both_ways
from closed_form import solve_speed, sweep_on_two_cores
from explore import explore_answers
from peers import ip4_and_l3fwd, l2patch_and_testpmd, macswap_and_testpmd
from planecast.engines.measure import measure
from planecast.errors import MissingError, PlanecastError
from planecast.results import Estimate, collect_manifest
from planecast.scenario import load_scenario, with_overrides
from planecast.scenario.study import Budget
from planecast.study.instructions import count_instructions
from row import Row, row
from senders import generator_and_testpmd, generator_and_testpmd_alone
from simulator import simulator_and_simpy, simulator_loads
from startup import startup

ROOT = Path(__file__).parents[1]
SCENARIO = ROOT / "scenarios" / "vpe-upstream.yaml"
OUTPUT = ROOT / "build" / "bench.json"
SECONDS = 40.0


def vpe_upstream_flows() -> list[Row]:
    """Cycles a packet with many active flows over those with 256, interleaved, on one table."""
    return [
        _many_flows("vpe-upstream 65536/256 flows", 1 << 16, 1.2),
        _many_flows("vpe-upstream 1M/256 flows", 1 << 20, 1.6),
    ]


def _many_flows(name: str, flows: int, limit: float) -> Row:
    base = with_overrides(load_scenario(SCENARIO), {"workload.flows": flows})
    points = [with_overrides(base, {"traffic.flows": active}) for active in (flows, 256)]
    budget = Budget(seconds=SECONDS, restarts=4)
    many, few = measure(points, budget, collect_manifest("measure", base.traffic.seed))
    costs = many.cycles_per_packet, few.cycles_per_packet
    return row(name, *costs, "TSC cycles/packet", limit)


def two_cores() -> list[Row]:
    """Packets a second of two lcores over those of one, each with ports and flows of its own."""
    base = with_overrides(load_scenario(SCENARIO), {"traffic.flows": 4096})
    points = [with_overrides(base, {"placement.lcores": lcores}) for lcores in (2, 1)]
    budget = Budget(seconds=SECONDS, restarts=4)
    two, one = measure(points, budget, collect_manifest("measure", base.traffic.seed))
    rates = two.throughput_pps, one.throughput_pps
    return [row("two cores/one", *rates, "packets/s", 1.9, at_least=True)]


def vpe_upstream_instructions() -> list[Row]:
    """Instructions a packet of the whole pipeline, under callgrind (AVX2)."""
    scenario = load_scenario(SCENARIO)
    counts = count_instructions(scenario, "callgrind", (8, 32))
    value = counts.instructions_per_packet
    counted = Estimate(value=value, samples=1, unit="instructions/packet", kind="measured")
    return [
        row("vpe-upstream instructions/packet", counted, None, "instructions/packet (AVX2)", 450)
    ]


BENCHMARKS: tuple[Callable[[], list[Row]], ...] = (
    vpe_upstream_flows,
    vpe_upstream_instructions,
    two_cores,
    l2patch_and_testpmd,
    macswap_and_testpmd,
    ip4_and_l3fwd,
    generator_and_testpmd,
    generator_and_testpmd_alone,
    generator_both_ways,
    simulator_loads,
    simulator_and_simpy,
    solve_speed,
    sweep_on_two_cores,
    explore_answers,
    startup,
)


def main() -> int:
    """Runs every benchmark; 0 whether goals are met or not, for a goal is no test."""
    rows: list[Row] = []
    for benchmark in BENCHMARKS:
        try:
            found = benchmark()
        except MissingError as missing:
            print(f"{benchmark.__name__}: no row, {missing}", flush=True)
            continue
        except PlanecastError as error:
            print(f"bench: {benchmark.__name__}: {error}", file=sys.stderr)
            return error.exit_code
        rows += found
        print("\n".join(map(_line, found)), flush=True)
    OUTPUT.parent.mkdir(exist_ok=True)
    with tempfile.NamedTemporaryFile("w", dir=OUTPUT.parent, delete=False) as partial:
        json.dump(rows, partial, indent=1)
    Path(partial.name).replace(OUTPUT)
    print(f"written: {OUTPUT.relative_to(ROOT)}")
    return 0


def _line(found: Row) -> str:
    peer = "" if found["peer"] is None else f" / {found['peer']:.1f} = {found['ratio']:.3f}"
    ends = "" if found["low"] is None else f" [{found['low']:.3f}, {found['high']:.3f}]"
    met = "met" if found["met"] else "not met"
    goal = f"goal {found['goal']} {met}"
    return f"{found['name']}: {found['ours']:.1f}{peer}{ends} {found['unit']}; {goal}"


if __name__ == "__main__":
    raise SystemExit(main())
