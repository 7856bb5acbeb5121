/* SPDX-License-Identifier: Apache-2.0
 *
 * The table of keys, and the file that sets them.
 */
#include "config.h"

#include <string.h>

#include "config_types.h"
#include "headers.h"
#include "ini.h"
#include "ip4_routes.h"

#define FIELD(name) offsetof(struct config, name)

/* clang-format off */
static const struct key keys[] = {
    {"tables", "acl_rules", &type_u32, FIELD(acl_rules), 1, 65536, "4096", "rules of the firewall", NULL},
    {"tables", "flows", &type_u32, FIELD(flows), 1, 1U << FLOW_ID_BITS, "65536", "entries of the flow table and of the flow actions", NULL},
    {"tables", "flow_table", &type_choice, FIELD(flow_table), 0, 0, "buckets", "our own table, or the library's", "buckets,rte_hash"},
    {"tables", "routes", &type_u32, FIELD(routes), 2, ROUTES_MAX, "4096", "routes of the LPM table", NULL},
    {"tables", "tbl8_groups", &type_u32, FIELD(tbl8_groups), 1, 1U << 20, "256", "groups for routes longer than 24 bits", NULL},
    {"tables", "route_lookup", &type_choice, FIELD(route_lookup), 0, 0, "lpm", "ip4: what finds the longest prefix", "lpm,fib"},
    {"tables", "route_depth", &type_depth, FIELD(route_depth), DEPTH_MIN, DEPTH_MAX, "mixed", "ip4: bits of the routes' prefixes", NULL},
    {"tables", "next_hops", &type_u32, FIELD(next_hops), 1, 65536, "64", "ip4: neighbours that the routes lead to, in turn", NULL},
    {"tables", "meter_rate", &type_u64, FIELD(meter_rate), 1, 1e12, "1250000000", "CIR and PIR of every meter, bytes a second", NULL},
    {"tables", "meter_burst", &type_u64, FIELD(meter_burst), 1, 1e12, "1000000", "CBS and PBS of every meter, bytes", NULL},
    {"tables", "police_red", &type_bool, FIELD(police_red), 0, 1, "on", "the policer drops red packets", NULL},
    {"tables", "down_lookup", &type_choice, FIELD(down_lookup), 0, 0, "lpm", "how vpe-downstream finds the next hop: lpm or hash", "lpm,hash"},
    {"tables", "tm_rate", &type_u64, FIELD(tm_rate), 1000000, 1e11, "1250000000", "rate of the traffic manager's output, bytes a second", NULL},
    {"tables", "tm_pipe_rate", &type_u64, FIELD(tm_pipe_rate), 40000, 1e11, "305175", "rate of each of its 4,096 pipes, bytes a second", NULL},
    {"tables", "tm_red", &type_bool, FIELD(tm_red), 0, 1, "on", "random early detection in its queues", NULL},
    {"tables", "bridge_entries", &type_u32, FIELD(bridge_entries), 1, 1U << 22, "131072", "stations that a bridge learns", NULL},
    {"tables", "ageing_s", &type_u32, FIELD(ageing_s), 1, 1000000, "300", "seconds after which a bridge forgets a station that is silent", NULL},
    {"pipeline", "function", &type_function, FIELD(function), 0, 0, "vpe-upstream", "what is done to a packet", NULL},
    {"pipeline", "stages", &type_names, FIELD(stages), 0, 0, "all", "the function's stages that run, in order", NULL},
    {"pipeline", "cuts", &type_names, FIELD(cut_names), 0, 0, "none", "stages (or tx) before which packets are handed to the next lcore", NULL},
    {"pipeline", "ring_wait", &type_bool, FIELD(ring_wait), 0, 1, "on", "wait for room in the ring to the next lcore; off: drop", NULL},
    {"pipeline", "burst", &type_u32, FIELD(burst), 1, BURST_MAX, "32", "packets that are taken at once, at the most", NULL},
    {"pipeline", "stage_clock", &type_u32, FIELD(stage_clock), 0, 1U << 20, "16", "read the clock between stages in one burst of so many; 0: never", NULL},
    {"traffic", "frame_bytes", &type_u32, FIELD(frame_bytes), 64, 9000, "64", "frame size with FCS", NULL},
    {"traffic", "flows", &type_u32, FIELD(active_flows), 1, 1U << FLOW_ID_BITS, "65536", "flows that are active, uniformly random", NULL},
    {"traffic", "destination_step", &type_ipv4, FIELD(destination_step), 0, UINT32_MAX, "0.4.0.0", "distance between one packet's destination and the next's", NULL},
    {"traffic", "dscp", &type_dscps, FIELD(dscp), 0, 63, "0,10,12,18,20,26,34,46", "code points; a flow has one, by its number", NULL},
    {"traffic", "seed", &type_u32, FIELD(seed), 0, UINT32_MAX, "1", "of the random flows and ports", NULL},
    {"ports", "rx", &type_ports, FIELD(rx), 0, 31, "internal", "where packets come from, each internal or a DPDK port", NULL},
    {"ports", "tx", &type_ports, FIELD(tx), 0, 31, "internal", "where packets of each rx go, unless the function chooses", NULL},
    {"ports", "rx_by_queue", &type_bool, FIELD(rx_by_queue), 0, 1, "on", "every lcore has a queue of every port (RSS); off: each port is one lcore's", NULL},
    {"pool", "mbufs", &type_u32, FIELD(mbufs), 1024, 1U << 22, "32768", "packet buffers of each lcore's pool", NULL},
    {"pool", "rx_ring", &type_u32, FIELD(rx_ring), 32, 16384, "128", "RX descriptors: buffers that packets cycle through", NULL},
    {"pool", "tx_ring", &type_u32, FIELD(tx_ring), 32, 16384, "512", "TX descriptors: buffers that are freed late", NULL},
    {"pool", "handoff_ring", &type_u32, FIELD(handoff_ring), 32, 16384, "256", "packets that wait between two lcores of a cut pipeline", NULL},
    {"machine", "lcores", &type_cpus, FIELD(lcores), 0, UINT16_MAX, "1", "CPUs that forward, such as 1 or 0-3,8", NULL},
    {"machine", "main_cpu", &type_u32, FIELD(main_cpu), 0, UINT16_MAX, "0", "CPU of the main lcore, which sleeps", NULL},
    {"machine", "page_size", &type_choice, FIELD(page_size), 0, 0, "auto", "auto (as large as there are), 4KiB or 2MiB", PAGE_SIZES},
    {"machine", "memory_mb", &type_u32, FIELD(memory_mb), 0, 1U << 20, "0", "DPDK's memory; 0: what the tables need", NULL},
    {"machine", "simd_bits", &type_u32, FIELD(simd_bits), 0, 512, "0", "widest vectors that DPDK may use; 0: DPDK's own choice", NULL},
    {"machine", "telemetry", &type_bool, FIELD(telemetry), 0, 1, "off", "DPDK's telemetry socket", NULL},
};
/* clang-format on */
enum { KEYS = sizeof keys / sizeof *keys };
_Static_assert((int)KEYS <= (int)KEYS_MAX, "a line is kept for every key");

static const struct key_table table = {keys, KEYS, "",
                                       "tables, pipeline, traffic, ports, pool, machine"};

void config_defaults(struct config *config)
{
    char error[256];
    memset(config, 0, sizeof *config);
    keys_default(&table, config);
    pipeline_parse(config_function(config), config->stages, &config->pipeline, error, sizeof error);
}

void config_print_keys(FILE *out)
{
    keys_print(&table, out);
}

struct reader {
    struct config *config;
    int line_of[KEYS_MAX];
};

static bool find_section(void *opaque, char *heading, struct ini_section *section, char *error,
                         size_t error_bytes)
{
    struct reader *reader = opaque;
    *section = (struct ini_section){&table, reader->config, reader->line_of, ""};
    snprintf(section->name, sizeof section->name, "%s", heading);
    return keys_section(&table, heading, error, error_bytes);
}

/* Names the line of the key that the file sets, when it sets one of the two. */
static void report_conflict(const struct reader *reader, const char *path,
                            const struct config_conflict *conflict, char *error, size_t error_bytes)
{
    const struct config_name *name = &conflict->keys[0];
    int line = 0;
    for (int i = 0; i < 2 && conflict->keys[i].key != NULL && line == 0; i++) {
        line = reader->line_of[keys_find(&table, conflict->keys[i].section, conflict->keys[i].key)];
        if (line != 0)
            name = &conflict->keys[i];
    }
    ini_report(path, line, name->section, name->key, conflict->sentence, error, error_bytes);
}

bool config_read(const char *path, struct config *config, char *error, size_t error_bytes)
{
    struct reader reader = {.config = config};
    struct config_conflict conflict;
    const struct ini ini = {find_section, &reader};
    if (!ini_read(path, &ini, error, error_bytes))
        return false;
    if (config_check(config, &conflict))
        return true;
    report_conflict(&reader, path, &conflict, error, error_bytes);
    return false;
}
