"""What descriptors say of tables, held against the native tables and the library's headers."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
from pathlib import Path

import numpy as np
import pytest

from planecast.cache_line import LINE_BYTES
from planecast.scenario import Scenario, with_overrides
from planecast.scenario.workload import FUNCTIONS, MAX_FLOWS, NEEDS
from planecast.workload.regions import PAGE_BYTES, PAGE_LINES, Overlap
from planecast.workload.scenario_columns import ScenarioColumns
from planecast.workload.sizes import Sizes
from planecast.workload.stages import (
    acl,
    actions,
    bridge_learn,
    classify,
    downroute,
    first_24_bits,
    ip4_next_hop,
    ip4_rewrite,
    ip4_routes,
    qinq,
    route,
    rte_hash,
    source,
    tm,
)
from planecast.workload.stages.registry import STAGES, stages_of

NATIVE = Path(__file__).parents[2] / "native"
STAGE_SOURCES = NATIVE / "dataplane" / "stages"

SAID: dict[tuple[str, ...], dict[str, float]] = {
    ("stages/ip4_rewrite.h", "pktgen_plain.h", "rte_lpm.h"): {
        "sizeof(struct ip4_next_hop)": ip4_rewrite.HOP_BYTES,
        "sizeof(struct ip4_count)": ip4_rewrite.COUNT_BYTES,
        "RTE_CACHE_LINE_SIZE": LINE_BYTES,
        "1u << PLAIN_DESTINATION_BITS": ip4_routes.SPACE,
        "sizeof(struct rte_lpm_tbl_entry)": first_24_bits.ENTRY_BYTES,
        "RTE_LPM_TBL8_GROUP_NUM_ENTRIES": first_24_bits.ENTRY_ADDRESSES,
        "RTE_LPM_TBL24_NUM_ENTRIES": 1 << first_24_bits.FIRST_BITS,
    },
    ("ip4_routes.c",): {
        "BASE_MAX": ip4_routes.BASE_ROUTES,
        "BLOCKS": ip4_routes.BLOCKS,
        "MIXED_MIN": ip4_routes.FIRST_DEPTH,
        "DEPTH_MAX": ip4_routes.LAST_DEPTH,
    },
    ("simd.h",): {"LANES": ip4_next_hop.LANES},
    ("stages/bridge.h",): {
        "sizeof(struct bucket)": LINE_BYTES,
        "SLOTS / 2": bridge_learn.STATIONS_PER_BUCKET,  # twice as many slots as stations
        "SWEEP_BUCKETS": bridge_learn.BUCKETS_MIN,
    },
    ("stages/bridge_learn.c",): {"AHEAD": bridge_learn.AHEAD},
    ("ring.h", "stages/downstream.h"): {
        "sizeof(*((struct ring *)0)->slot)": source.SLOT_BYTES,
        # A frame begins with a line, so what comes before it is in another one.
        "MBUF_TO_FRAME % RTE_CACHE_LINE_SIZE": 0,
        "(QINQ_BYTES + RTE_CACHE_LINE_SIZE - 1) / RTE_CACHE_LINE_SIZE": qinq.HEADROOM_LINES,
    },
    ("stages/downroute.c",): {
        "sizeof(struct qinq_hop)": qinq.HOP_BYTES,
        "sizeof(*((struct tables *)0)->route_of_flow)": downroute.ROUTE_BYTES,
        "sizeof(struct down_key)": downroute.KEY_BYTES,
        "RTE_HASH_LOOKUP_BULK_MAX": rte_hash.BULK,
    },
    ("pktgen_tuple.h", "stages/tm.h", "rte_sched.h", "rte_red.h", "rte_pie.h"): {
        "1 << PIPE_BITS": tm.PIPES,
        "1 << QUEUE_BITS": tm.QUEUES_PER_PIPE,
        "RTE_SCHED_QUEUES_PER_PIPE": tm.QUEUES_PER_PIPE,
        "TM_QUEUE_PACKETS": tm.SLOTS,
        "sizeof(struct rte_mbuf *)": tm.SLOT_BYTES,
        "sizeof(struct rte_sched_queue_stats) + sizeof(struct rte_red)": tm.EXTRA_USED_BYTES,
        "sizeof(struct rte_sched_queue_stats) + sizeof(struct rte_pie)": tm.EXTRA_BYTES,
        # Token bucket 32 bytes, then eight for each class: four classes in the first line, eight in
        # the second, of a queue each; the last one's are behind them.
        "RTE_CACHE_LINE_SIZE / 8": round(tm.IN_SECOND_LINE * tm.QUEUES_PER_PIPE),
        "32 + 8 * (RTE_SCHED_TRAFFIC_CLASSES_PER_PIPE - 1)": 2 * LINE_BYTES,
    },
    ("stages/route.h", "stages/actions.h", "rte_lpm.h"): {
        "RTE_CACHE_LINE_SIZE / sizeof(struct next_hop)": route.NEXT_HOPS_PER_LINE,
        "RTE_LPM_TBL24_NUM_ENTRIES * sizeof(struct rte_lpm_tbl_entry) / RTE_CACHE_LINE_SIZE": (
            first_24_bits.TABLE_LINES
        ),
        "sizeof(struct class_entry)": LINE_BYTES,
    },
    ("flow_table.c", "headers.h"): {
        "sizeof(struct flow_bucket)": LINE_BYTES,
        "KEYS_PER_BUCKET": classify.FLOWS_PER_BUCKET,
        "sizeof(uint64_t)": classify.KEY_BYTES,
        "1 << FLOW_ID_BITS": MAX_FLOWS,
    },
    ("stages/kernel.h",): {"sizeof(struct kernel) < 4096": True},
}
"""By what to include: expressions of C, and what descriptors say of them."""


def pkg_config(what: str) -> list[str]:
    """Flags for libdpdk; skips the test without it or a C compiler."""
    if shutil.which("cc") is None or shutil.which("pkg-config") is None:
        pytest.skip("no C compiler or no pkg-config here")
    found = subprocess.run(
        ["pkg-config", what, "libdpdk"], check=False, capture_output=True, text=True
    )
    if found.returncode != 0:
        pytest.skip("libdpdk's headers are not installed here")
    return found.stdout.split()


@pytest.mark.parametrize("included", SAID, ids=" ".join)
def test_sizes_are_the_native_ones(included: tuple[str, ...], tmp_path: Path) -> None:
    lines = [f'#include "{name}"' for name in included]
    lines += [
        f'_Static_assert(({text}) == {int(value)}, "{text} is not {int(value)}");'
        for text, value in SAID[included].items()
    ]
    unit = tmp_path / "layout.c"
    unit.write_text("\n".join(lines) + "\n")
    # The source folder's own names first: files of `stages` include others by their place there.
    paths = [f"-I{NATIVE / name}" for name in ("dataplane", "dataplane/stages", "dpdk")]
    flags = [*pkg_config("--cflags"), "-march=x86-64-v3", "-fsyntax-only", "-w"]
    checked = subprocess.run(
        ["cc", *flags, *paths, str(unit)], check=False, capture_output=True, text=True
    )
    assert checked.returncode == 0, checked.stderr


FOOTPRINT = """
#include <rte_mempool.h>
#include <rte_sched.h>
#include <stdio.h>
static uint32_t footprint(uint32_t pipes)
{
    struct rte_sched_pipe_params pipe = {.tb_rate = 305175, .tb_size = 1000000, .tc_period = 40,
                                         .tc_ov_weight = 1, .wrr_weights = {1, 1, 1, 1}};
    struct rte_sched_subport_profile_params profile = {
        .tb_rate = 1250000000, .tb_size = 1000000, .tc_period = 10};
    struct rte_sched_subport_params subport = {.n_pipes_per_subport_enabled = pipes,
        .pipe_profiles = &pipe, .n_pipe_profiles = 1, .n_max_pipe_profiles = 1};
    struct rte_sched_port_params port = {.name = "x", .rate = 1250000000, .mtu = 1522,
        .n_subports_per_port = 1, .subport_profiles = &profile, .n_subport_profiles = 1,
        .n_max_subport_profiles = 1, .n_pipes_per_subport = pipes};
    struct rte_sched_subport_params *subports[] = {&subport};
    for (int c = 0; c < RTE_SCHED_TRAFFIC_CLASSES_PER_PIPE; c++) {
        pipe.tc_rate[c] = 305175;
        profile.tc_rate[c] = 1250000000;
        subport.qsize[c] = 64;
    }
    return rte_sched_port_get_memory_footprint(&port, subports);
}
int main(void)
{
    struct rte_mempool_objsz sizes;
    uint32_t bytes = sizeof(struct rte_mbuf) + RTE_MBUF_DEFAULT_BUF_SIZE;
    printf("%u %u", footprint(8192) - footprint(4096), rte_mempool_calc_obj_size(bytes, 0, &sizes));
}
"""


def test_the_librarys_own_sums_agree(tmp_path: Path) -> None:
    unit, program = tmp_path / "footprint.c", tmp_path / "footprint"
    unit.write_text(FOOTPRINT)
    command = ["cc", "-w", *pkg_config("--cflags"), str(unit), "-o", str(program)]
    linked = subprocess.run(
        [*command, *pkg_config("--libs")], check=False, capture_output=True, text=True
    )
    assert linked.returncode == 0, linked.stderr
    ran = subprocess.run([str(program)], check=True, capture_output=True, text=True)
    pipes, buffer = map(int, ran.stdout.split())
    queue = tm.QUEUE_BYTES + tm.EXTRA_BYTES + tm.SLOTS * tm.SLOT_BYTES
    bits = tm.QUEUES_PER_PIPE // 8  # of the bitmap; its summary takes a line in all
    assert pipes // tm.PIPES == tm.PIPE_BYTES + tm.QUEUES_PER_PIPE * queue + bits
    assert buffer == source.BUFFER_BYTES


TRIES = """
#include <partition.h>
#include <rte_acl.h>
#include <rte_eal.h>
#include <rte_malloc.h>
#include <stdio.h>
#include <stdlib.h>
RTE_ACL_RULE_DEF(acl_rule, 5);
static size_t allocated(void)
{
    struct rte_malloc_socket_stats heap;
    rte_malloc_get_socket_stats(0, &heap);
    return heap.heap_allocsz_bytes;
}
int main(int count, char **words)
{
    char *eal[] = {words[0], "--no-huge", "-m", "256", "--no-pci", "--file-prefix", words[1],
                   "--no-shconf", "--no-telemetry", "-l", words[2]};
    if (rte_eal_init(11, eal) < 0)
        return 2;
    for (int i = 3; i < count; i++) {
        uint32_t rules = atoi(words[i]);
        struct rte_acl_param parameters = {.name = "tries", .max_rule_num = rules,
            .rule_size = RTE_ACL_RULE_SZ(5)};
        struct rte_acl_ctx *context = rte_acl_create(&parameters);
        for (uint32_t r = 0; r < rules; r++) {
            struct prefix to = partition_prefix(rules, r);
            struct acl_rule rule = {
                .data = {.category_mask = 1, .priority = 1, .userdata = r + 1},
                .field = {{{.u8 = 17}, {.u8 = 255}}, {{.u32 = 0}, {.u32 = 8}},
                          {{.u32 = to.address}, {.u32 = to.depth}}, {{.u16 = 1024}, {.u16 = 65535}},
                          {{.u16 = 0}, {.u16 = 1023}}}};
            rte_acl_add_rules(context, (const struct rte_acl_rule *)&rule, 1);
        }
        struct rte_acl_config build = {.num_categories = 1, .num_fields = 5, .max_size = 256 << 20,
            .defs = {{RTE_ACL_FIELD_TYPE_BITMASK, 1, 0, 0, 0},
                     {RTE_ACL_FIELD_TYPE_MASK, 4, 1, 1, 3},
                     {RTE_ACL_FIELD_TYPE_MASK, 4, 2, 2, 7},
                     {RTE_ACL_FIELD_TYPE_RANGE, 2, 3, 3, 11},
                     {RTE_ACL_FIELD_TYPE_RANGE, 2, 4, 3, 13}}};
        size_t before = allocated();
        if (rte_acl_build(context, &build) != 0)
            return 3;
        printf("tries %zu\\n", allocated() - before);
        rte_acl_free(context);
    }
    return 0;
}
"""
"""Bytes of rte_acl's run-time structures for some numbers of rules as `stages/acl.c` makes them."""


def test_tries_are_as_large_as_the_librarys(tmp_path: Path) -> None:
    rules = (256, 1024, 1500, 2048, 8192)
    unit, program = tmp_path / "tries.c", tmp_path / "tries"
    unit.write_text(TRIES)
    paths = [f"-I{NATIVE / 'dataplane'}"]
    command = ["cc", "-w", *pkg_config("--cflags"), *paths, str(unit), "-o", str(program)]
    linked = subprocess.run(
        [*command, *pkg_config("--libs")], check=False, capture_output=True, text=True
    )
    assert linked.returncode == 0, linked.stderr
    cpu = str(min(os.sched_getaffinity(0)))
    words = [str(program), f"tries-{os.getpid()}", cpu, *map(str, rules)]
    where = os.environ | {"RUNTIME_DIRECTORY": str(tmp_path)}
    ran = subprocess.run(words, check=False, capture_output=True, text=True, env=where)
    assert ran.returncode == 0, ran.stderr
    found = [line.split() for line in ran.stdout.splitlines()]
    taken = [int(words[1]) for words in found if words[:1] == ["tries"]]
    points = [with_overrides(Scenario(name="x"), {"workload.acl_rules": n}) for n in rules]
    (tries,) = acl.Acl().regions(Sizes(ScenarioColumns.of(points)))
    # The node of the first byte and those that fit a line are in no packet's way beyond the L1.
    rest = np.array(taken) - tries.lines * LINE_BYTES
    assert np.all(rest > 0), taken
    assert np.all(rest < 20 << 10), taken


def test_usual_code_points_are_of_so_many_classes() -> None:
    config = (NATIVE / "dataplane/config.c").read_text()
    (points,) = re.findall(r'"dscp", .*?"([\d,]+)"', config)
    # The class is the upper two bits of six (stages/actions.c).
    assert len({int(one) >> 4 for one in points.split(",")}) == actions.CLASSES_MET


LIBRARY = "the library"
PREFETCHES: dict[tuple[str, str], str] = {
    ("classify", "flow buckets"): "key.c: flow_table_bucket(&flows, signature)",
    ("classify", "flow keys"): LIBRARY,
    ("actions", "flow actions"): "key.c: entry, 1",
    ("route", "route table"): "key.c: &ahead.first_table[route_destination(frame) >> 8]",
    ("next_hop", "route table"): "ip4_check.c: &first_table[columns->destination[j] >> 8]",
    ("next_hop", "route groups"): "ip4_next_hop.c: &second[at[i]]",
    ("next_hop", "fib's route table"): LIBRARY,
    ("learn", "stations"): "bridge_learn.c: from.bucket",
    ("learn", "destinations"): "bridge_learn.c: columns->bucket[i]",
    ("forward", "stations"): "bridge_learn.c: columns->bucket[i]",
    ("downroute", "route table"): "downroute.c: &routes->tbl24[destination[i] >> 8]",
    ("downroute", "flow buckets"): LIBRARY,
    ("downroute", "flow keys"): LIBRARY,
    ("downroute", "routes of flows"): "downroute.c: &tables->route_of_flow[flow[i]]",
    ("downroute", "next hops"): "downroute.c: &next_hops[route[i]]",
    ("qinq", "next hops"): "downroute.c: &next_hops[route[i]]",
}
"""Of each region that is prefetched, which file of our stages asks for it, and how; the traffic
manager's are all the library's."""


def prefetches() -> set[str]:
    """Prefetch instructions in our stages, as PREFETCHES writes them."""
    found = set()
    for path in STAGE_SOURCES.glob("*.c"):
        text = path.read_text()
        found |= {
            f"{path.name}: {what}" for what in re.findall(r"__builtin_prefetch\((.*)\);", text)
        }
    return found


def regions() -> list[tuple[str, str, Overlap]]:
    """Of every function."""
    from planecast.scenario import Scenario, with_overrides

    found = []
    for kind, stages in FUNCTIONS.items():
        changes = {"workload.kind": kind, "workload.stages": ",".join(stages) or "none"}
        sizes = Sizes(ScenarioColumns.of([with_overrides(Scenario(name="x"), changes)]))
        found += [
            (region.stage, region.name, region.overlap)
            for stage in stages_of(kind)
            for region in stage.regions(sizes)
        ]
    return found


def test_what_is_prefetched_is_prefetched_in_the_source() -> None:
    there = prefetches()
    said = {
        (stage, name)
        for stage, name, overlap in regions()
        if overlap is Overlap.PREFETCHED and stage != "tm"
    }
    assert said == set(PREFETCHES)
    ours = set(PREFETCHES.values()) - {LIBRARY}
    assert ours == there, "a prefetch that no descriptor says, or the reverse"


def registered(key: str) -> dict[str, str]:
    """By name of each stage that registers itself: what its descriptor says of a key."""
    found = {}
    for path in STAGE_SOURCES.glob("*.c"):
        text = path.read_text()
        if "STAGE_REGISTER(" not in text:
            continue
        descriptor = text[text.index("static const struct stage ") :]
        said = dict(re.findall(r'\.(\w+) = "?([\w/]+)"?', descriptor))
        found[said["name"]] = said.get(key, "")
    return found


def test_the_stages_are_those_that_register_themselves() -> None:
    named = {stage for stages in FUNCTIONS.values() for stage in stages}
    assert set(registered("name")) == named
    assert {stage: needed for stage, needed in registered("needs").items() if needed} == NEEDS
    functions = (NATIVE / "dataplane" / "network_function.c").read_text()
    listed = re.findall(r"\.stages = \{(.*?)\}", functions, flags=re.DOTALL)
    assert [tuple(re.findall(r'"(\w+)"', names)) for names in listed] == [
        stages for stages in FUNCTIONS.values() if stages
    ]


def test_stages_that_look_ahead_are_those_that_say_so() -> None:
    looks: dict[str, set[str]] = {}
    for path in STAGE_SOURCES.glob("*.c"):
        text = path.read_text()
        if found := set(re.findall(r'stage_context\(use, "(\w+)"\)', text)):
            looks[re.findall(r'\.name = "(\w+)"', text)[0]] = found
    looks["tx"] = {"forward"}  # sending has no stage's file
    said = {name: set(stage.instructions_depend_on) for name, stage in STAGES.items()}
    assert looks == {name: depend for name, depend in said.items() if depend}


def test_a_page_and_a_line_are_those_of_regions() -> None:
    assert PAGE_LINES * LINE_BYTES == PAGE_BYTES == 4096
