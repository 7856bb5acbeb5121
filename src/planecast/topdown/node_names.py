"""Node names: which node of a definition a tool means by what it writes."""

from __future__ import annotations

import re

_SAME = {
    "fe_latency": "fetch_latency",
    "frontend_latency": "fetch_latency",
    "frontend_bound_latency": "fetch_latency",
    "fe_bandwidth": "fetch_bandwidth",
    "frontend_bandwidth": "fetch_bandwidth",
    "frontend_bound_bandwidth": "fetch_bandwidth",
    "fe_bound": "frontend_bound",
    "be_bound": "backend_bound",
    "bad_spec": "bad_speculation",
    "branch_mispred": "branch_mispredicts",
    "bad_speculation_mispredicts": "branch_mispredicts",
    "bad_speculation_pipeline_restarts": "pipeline_restarts",
    "mem_bound": "memory_bound",
    "backend_bound_memory": "memory_bound",
    "backend_bound_cpu": "core_bound",
    "base": "light_operations",
    "retiring_fastpath": "light_operations",
    "retiring_microcode": "heavy_operations",
    "ext_memory_bound": "dram_bound",
    "l3_miss_bound": "dram_bound",
    "ports_util": "ports_utilization",
    "stores_bound": "store_bound",
    "store_fwd_blk": "store_forward_blocks",
    "4k_aliasing": "aliasing_4k",
    "g4k_aliasing": "aliasing_4k",
    "3m_ports_utilized": "ports_utilized_3m",
    "0_ports_utilized": "ports_utilized_0",
    "1_port_utilized": "ports_utilized_1",
    "2_ports_utilized": "ports_utilized_2",
}
"""Names of toplev's older versions, of perf's metrics and of AMD's, by ours."""

_OLD_MICROCODE = re.compile(r"retiring\.microcode_sequencer")


def node_name(text: str) -> str:
    """Our name of a node: ``Frontend_Bound.Fetch_Latency`` and ``tma_fetch_latency`` are one."""
    plain = text.strip().lower().removesuffix("(%)").removeprefix("metric_")
    if _OLD_MICROCODE.fullmatch(plain):
        return "heavy_operations"  # before TMA 4 this was the second level
    last = plain.rpartition(".")[2].removeprefix("tma_")
    return _SAME.get(last, last)
