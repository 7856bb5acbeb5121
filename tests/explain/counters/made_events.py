"""Events made from known shares: the formulas run backwards, by hand."""

from __future__ import annotations

CLKS = 3e9
LEVEL_1 = {"frontend_bound": 0.18, "bad_speculation": 0.06, "backend_bound": 0.46, "retiring": 0.30}
LEVEL_2 = {
    "fetch_latency": 0.11,
    "fetch_bandwidth": 0.07,
    "branch_mispredicts": 0.045,
    "machine_clears": 0.015,
    "memory_bound": 0.31,
    "core_bound": 0.15,
    "light_operations": 0.27,
    "heavy_operations": 0.03,
}
LEVEL_3 = {
    "l1_bound": 0.12,
    "l2_bound": 0.06,
    "l3_bound": 0.09,
    "dram_bound": 0.04,
    "store_bound": 0.21,
}
LEVEL_4 = {"store_forward_blocks": 0.02, "mem_bandwidth": 0.03, "mem_latency": 0.05}

Events = dict[str, float]


def broadwell() -> Events:
    """Events of a Broadwell that is alone on its core."""
    slots = 4 * CLKS
    useful, recovery = LEVEL_1["retiring"] * slots, 0.01 * CLKS
    stores = LEVEL_3["store_bound"] * CLKS
    beyond_l2 = (LEVEL_3["l3_bound"] + LEVEL_3["dram_bound"]) * CLKS
    beyond_l1 = beyond_l2 + LEVEL_3["l2_bound"] * CLKS
    memory = beyond_l1 + LEVEL_3["l1_bound"] * CLKS
    waiting = (memory + stores) * LEVEL_1["backend_bound"] / LEVEL_2["memory_bound"]
    one, two, three, empty = 0.6 * CLKS, 0.5 * CLKS, 0.4 * CLKS, 0.02 * CLKS
    issued = LEVEL_1["bad_speculation"] * slots + useful - 4 * recovery
    hits = 1e6
    return {
        "CPU_CLK_UNHALTED.THREAD": CLKS,
        "INST_RETIRED.ANY": 1.2 * CLKS,  # below 1.8 a cycle: two ports and more count as busy
        "IDQ_UOPS_NOT_DELIVERED.CORE": LEVEL_1["frontend_bound"] * slots,
        "IDQ_UOPS_NOT_DELIVERED.CYCLES_0_UOPS_DELIV.CORE": LEVEL_2["fetch_latency"] * CLKS,
        "UOPS_RETIRED.RETIRE_SLOTS": useful,
        "UOPS_ISSUED.ANY": issued,
        "INT_MISC.RECOVERY_CYCLES": recovery,
        "BR_MISP_RETIRED.ALL_BRANCHES": 3e6,
        "MACHINE_CLEARS.COUNT": 1e6,
        "IDQ.MS_UOPS": LEVEL_2["heavy_operations"] * slots * issued / useful,
        "CYCLE_ACTIVITY.STALLS_MEM_ANY": memory,
        "CYCLE_ACTIVITY.STALLS_L1D_MISS": beyond_l1,
        "CYCLE_ACTIVITY.STALLS_L2_MISS": beyond_l2,
        "RESOURCE_STALLS.SB": stores,
        "UOPS_EXECUTED.CYCLES_GE_1_UOP_EXEC": one,
        "UOPS_EXECUTED.CYCLES_GE_2_UOPS_EXEC": two,
        "UOPS_EXECUTED.CYCLES_GE_3_UOPS_EXEC": three,
        "RS_EVENTS.EMPTY_CYCLES": empty,  # counts, for fetch latency is above 10 %
        "CYCLE_ACTIVITY.STALLS_TOTAL": waiting - (one - two) + empty - stores,
        "MEM_LOAD_UOPS_RETIRED.L3_HIT": hits,
        "MEM_LOAD_UOPS_RETIRED.L3_MISS": hits * LEVEL_3["dram_bound"] / LEVEL_3["l3_bound"] / 7,
        "LD_BLOCKS.STORE_FORWARD": LEVEL_4["store_forward_blocks"] * CLKS / 13,
        **_memory(),
    }


def skylake() -> Events:
    """Events of a Skylake that is alone on its core."""
    slots = 4 * CLKS
    useful, recovery = LEVEL_1["retiring"] * slots, 0.01 * CLKS
    stores = LEVEL_3["store_bound"] * CLKS
    beyond_l3 = LEVEL_3["dram_bound"] * CLKS
    beyond_l2 = beyond_l3 + LEVEL_3["l3_bound"] * CLKS
    beyond_l1 = beyond_l2 + LEVEL_3["l2_bound"] * CLKS
    memory = beyond_l1 + LEVEL_3["l1_bound"] * CLKS
    waiting = (memory + stores) * LEVEL_1["backend_bound"] / LEVEL_2["memory_bound"]
    one, two = 0.1 * CLKS, 0.2 * CLKS
    instructions = 1.5 * CLKS
    return {
        "CPU_CLK_UNHALTED.THREAD": CLKS,
        "INST_RETIRED.ANY": instructions,
        "IDQ_UOPS_NOT_DELIVERED.CORE": LEVEL_1["frontend_bound"] * slots,
        "IDQ_UOPS_NOT_DELIVERED.CYCLES_0_UOPS_DELIV.CORE": LEVEL_2["fetch_latency"] * CLKS,
        "UOPS_RETIRED.RETIRE_SLOTS": useful,
        "UOPS_RETIRED.MACRO_FUSED": LEVEL_2["heavy_operations"] * slots - useful + instructions,
        "UOPS_ISSUED.ANY": LEVEL_1["bad_speculation"] * slots + useful - 4 * recovery,
        "INT_MISC.RECOVERY_CYCLES": recovery,
        "BR_MISP_RETIRED.ALL_BRANCHES": 3e6,
        "MACHINE_CLEARS.COUNT": 1e6,
        "CYCLE_ACTIVITY.STALLS_MEM_ANY": memory,
        "CYCLE_ACTIVITY.STALLS_L1D_MISS": beyond_l1,
        "CYCLE_ACTIVITY.STALLS_L2_MISS": beyond_l2,
        "CYCLE_ACTIVITY.STALLS_L3_MISS": beyond_l3,
        "EXE_ACTIVITY.BOUND_ON_STORES": stores,
        "EXE_ACTIVITY.1_PORTS_UTIL": one,
        "EXE_ACTIVITY.2_PORTS_UTIL": two,
        "CYCLE_ACTIVITY.STALLS_TOTAL": waiting - one - LEVEL_1["retiring"] * two - stores,
        "MEM_LOAD_RETIRED.L2_HIT": 1e6,
        "MEM_LOAD_RETIRED.FB_HIT": 1e5,
        "MEM_LOAD_RETIRED.L1_MISS": 2e6,
        "L1D_PEND_MISS.FB_FULL:c1": 0,  # then all that is between L1 and L2 is L2's
        "LD_BLOCKS.STORE_FORWARD": LEVEL_4["store_forward_blocks"] * CLKS / 13,
        **_memory(),
    }


def icelake() -> Events:
    """Events of an Ice Lake: level 1 from the slot counter, whose parts need not add up to it."""
    made = skylake()
    slots, parts, clears, dropped = 5 * CLKS, 255.0, 1e6, 2e6
    fixed = {
        "TOPDOWN.SLOTS:perf_metrics": slots,
        "INT_MISC.CLEARS_COUNT": clears,
        "INT_MISC.UOP_DROPPING": dropped,
        "PERF_METRICS.FRONTEND_BOUND": (LEVEL_1["frontend_bound"] + dropped / slots) * parts,
        "PERF_METRICS.BACKEND_BOUND": (LEVEL_1["backend_bound"] - 5 * clears / slots) * parts,
        "PERF_METRICS.RETIRING": LEVEL_1["retiring"] * parts,
        "IDQ_UOPS_NOT_DELIVERED.CYCLES_0_UOPS_DELIV.CORE": (
            LEVEL_2["fetch_latency"] * slots + dropped
        )
        / 5,
        "UOPS_RETIRED.SLOTS": LEVEL_1["retiring"] * slots,
        "UOPS_ISSUED.ANY": LEVEL_1["retiring"] * slots,
        "IDQ.MS_UOPS": LEVEL_2["heavy_operations"] * slots,
        "UOPS_DECODED.DEC0": 1e6,
        "UOPS_DECODED.DEC0:c1": 1e6,
        "IDQ.MITE_UOPS": 1e8,
        "L1D_PEND_MISS.FB_FULL_PERIODS": 0,
    }
    fixed["PERF_METRICS.BAD_SPECULATION"] = parts - sum(
        fixed[f"PERF_METRICS.{name}"] for name in ("FRONTEND_BOUND", "BACKEND_BOUND", "RETIRING")
    )
    return made | fixed


def sapphirerapids() -> Events:
    """Events of a Sapphire Rapids: levels 1 and 2 from the slot counter."""
    slots, dropped = 6 * CLKS, 2e6
    made = skylake()
    stalls = {
        f"MEMORY_ACTIVITY.{name}": made[f"CYCLE_ACTIVITY.{name}"]
        for name in ("STALLS_L1D_MISS", "STALLS_L2_MISS", "STALLS_L3_MISS")
    }
    shares = LEVEL_1 | LEVEL_2
    metrics = {
        f"PERF_METRICS.{name.upper()}": shares[name] * slots
        for name in (*LEVEL_1, "branch_mispredicts", "memory_bound", "heavy_operations")
    }
    metrics["PERF_METRICS.FRONTEND_BOUND"] += dropped
    metrics["PERF_METRICS.BAD_SPECULATION"] -= dropped
    metrics["PERF_METRICS.FETCH_LATENCY"] = LEVEL_2["fetch_latency"] * slots + dropped
    memory = made["CYCLE_ACTIVITY.STALLS_MEM_ANY"]
    return {
        **{k: v for k, v in made.items() if k.startswith(("CPU_", "INST_", "EXE_", "LD_"))},
        **stalls,
        **metrics,
        "TOPDOWN.SLOTS:perf_metrics": slots,
        "INT_MISC.UOP_DROPPING": dropped,
        "EXE_ACTIVITY.BOUND_ON_LOADS": memory,
        **_memory("c12"),
    }


def zen(width: int) -> Events:
    """Events of a Zen 4 or 5; the sibling has no slot."""
    slots = width * CLKS
    operations = LEVEL_1["retiring"] * slots
    return {
        "ls_not_halted_cyc": CLKS,
        "ex_ret_instr": 1.2 * CLKS,
        "de_no_dispatch_per_slot.no_ops_from_frontend": LEVEL_1["frontend_bound"] * slots,
        f"de_no_dispatch_per_slot.no_ops_from_frontend:c{width}": LEVEL_2["fetch_latency"] * CLKS,
        "de_no_dispatch_per_slot.backend_stalls": LEVEL_1["backend_bound"] * slots,
        "de_no_dispatch_per_slot.smt_contention": 0,
        "de_src_op_disp.all": LEVEL_1["bad_speculation"] * slots + operations,
        "ex_ret_ops": operations,
        "ex_ret_ucode_ops": operations * LEVEL_2["heavy_operations"] / LEVEL_1["retiring"],
        "ex_ret_brn_misp": 3e6,
        "resyncs_or_nc_redirects": 1e6,
        "ex_no_retire.load_not_complete": 1e8 * LEVEL_2["memory_bound"] / LEVEL_1["backend_bound"],
        "ex_no_retire.not_complete": 1e8,
    }


def _memory(mark: str = "c4") -> Events:
    bandwidth = LEVEL_4["mem_bandwidth"] * CLKS
    return {
        f"OFFCORE_REQUESTS_OUTSTANDING.ALL_DATA_RD:{mark}": bandwidth,
        "OFFCORE_REQUESTS_OUTSTANDING.CYCLES_WITH_DATA_RD": bandwidth
        + LEVEL_4["mem_latency"] * CLKS,
    }


INTEL = {
    "broadwell": broadwell,
    "skylake": skylake,
    "icelake": icelake,
    "sapphirerapids": sapphirerapids,
}
AMD = {"zen4": lambda: zen(6), "zen5": lambda: zen(8)}


def perf_csv(events: Events, rounds: int = 1) -> str:
    """The events as ``perf stat -I 1000 -x,`` writes them."""
    lines = ["# started on Sun Nov 22 08:00:00 2026", ""]
    for at in range(1, rounds + 1):
        for event, value in events.items():
            # rounds differ by a percent, and not in the same way for all events
            step = 0.01 * (at - (rounds + 1) / 2)
            share = 1 + (step if len(event) % 2 else -step)
            name, *modifiers = event.lower().split(":")
            given = [f"cmask={m[1:]}" for m in modifiers if m[0] == "c" and m[1:].isdigit()]
            shown = f"cpu/{name},{','.join(given)}/" if given else name
            count = f"{value / rounds * share!r}"
            lines.append(f"{at}.000100,{count},,{shown},{1000000000},100.00,,")
    return "\n".join(lines) + "\n"
