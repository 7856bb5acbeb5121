/* SPDX-License-Identifier: Apache-2.0
 *
 * One table says all there is to know of a key: its place, type, bounds, default and meaning.
 * Reading and `--keys` walk it.
 */
#include "config.h"

#include <string.h>

#include "config_types.h"
#include "headers.h"
#include "ip4_routes.h"

#define FIELD(name) offsetof(struct config, name)

/* clang-format off */
static const struct config_key keys[] = {
    {"tables", "acl_rules", &type_u32, FIELD(acl_rules), 1, 65536, "4096", "rules of the firewall"},
    {"tables", "flows", &type_u32, FIELD(flows), 1, 1U << FLOW_ID_BITS, "65536", "entries of the flow table and of the flow actions"},
    {"tables", "flow_table", &type_flow_table, FIELD(flow_table), 0, 0, "buckets", "our own table, or the library's"},
    {"tables", "routes", &type_u32, FIELD(routes), 2, ROUTES_MAX, "4096", "routes of the LPM table"},
    {"tables", "tbl8_groups", &type_u32, FIELD(tbl8_groups), 1, 1U << 20, "256", "groups for routes longer than 24 bits"},
    {"tables", "route_lookup", &type_route_lookup, FIELD(route_lookup), 0, 0, "lpm", "ip4: what finds the longest prefix"},
    {"tables", "route_depth", &type_depth, FIELD(route_depth), DEPTH_MIN, DEPTH_MAX, "mixed", "ip4: bits of the routes' prefixes"},
    {"tables", "next_hops", &type_u32, FIELD(next_hops), 1, 65536, "64", "ip4: neighbours that the routes lead to, in turn"},
    {"tables", "meter_rate", &type_u64, FIELD(meter_rate), 1, UINT64_C(1000000000000), "1250000000", "CIR and PIR of every meter, bytes a second"},
    {"tables", "meter_burst", &type_u64, FIELD(meter_burst), 1, UINT64_C(1000000000000), "1000000", "CBS and PBS of every meter, bytes"},
    {"tables", "police_red", &type_bool, FIELD(police_red), 0, 1, "on", "the policer drops red packets"},
    {"tables", "down_lookup", &type_lookup, FIELD(down_lookup), 0, 0, "lpm", "how vpe-downstream finds the next hop: lpm or hash"},
    {"tables", "tm_rate", &type_u64, FIELD(tm_rate), 1000000, UINT64_C(100000000000), "1250000000", "rate of the traffic manager's output, bytes a second"},
    {"tables", "tm_pipe_rate", &type_u64, FIELD(tm_pipe_rate), 40000, UINT64_C(100000000000), "305175", "rate of each of its 4,096 pipes, bytes a second"},
    {"tables", "tm_red", &type_bool, FIELD(tm_red), 0, 1, "on", "random early detection in its queues"},
    {"tables", "bridge_entries", &type_u32, FIELD(bridge_entries), 1, 1U << 22, "131072", "stations that a bridge learns"},
    {"tables", "ageing_s", &type_u32, FIELD(ageing_s), 1, 1000000, "300", "seconds after which a bridge forgets a station that is silent"},
    {"pipeline", "function", &type_function, FIELD(function), 0, 0, "vpe-upstream", "what is done to a packet"},
    {"pipeline", "stages", &type_text, FIELD(stages), 0, 0, "all", "the function's stages that run, in order"},
    {"pipeline", "cuts", &type_text, FIELD(cut_names), 0, 0, "none", "stages (or tx) before which packets are handed to the next lcore"},
    {"pipeline", "ring_wait", &type_bool, FIELD(ring_wait), 0, 1, "on", "wait for room in the ring to the next lcore; off: drop"},
    {"pipeline", "burst", &type_u32, FIELD(burst), 1, BURST_MAX, "32", "packets that are taken at once, at the most"},
    {"pipeline", "stage_clock", &type_u32, FIELD(stage_clock), 0, 1U << 20, "16", "read the clock between stages in one burst of so many; 0: never"},
    {"traffic", "frame_bytes", &type_u32, FIELD(frame_bytes), 64, 9000, "64", "frame size with FCS"},
    {"traffic", "flows", &type_u32, FIELD(active_flows), 1, 1U << FLOW_ID_BITS, "65536", "flows that are active, uniformly random"},
    {"traffic", "destination_step", &type_ipv4, FIELD(destination_step), 0, UINT32_MAX, "0.4.0.0", "distance between one packet's destination and the next's"},
    {"traffic", "dscp", &type_dscps, FIELD(dscp), 0, 63, "0,10,12,18,20,26,34,46", "code points; a flow has one, by its number"},
    {"traffic", "seed", &type_u32, FIELD(seed), 0, UINT32_MAX, "1", "of the random flows and ports"},
    {"ports", "rx", &type_ports, FIELD(rx), 0, 31, "internal", "where packets come from, each internal or a DPDK port"},
    {"ports", "tx", &type_ports, FIELD(tx), 0, 31, "internal", "where packets of each rx go, unless the function chooses"},
    {"ports", "rx_by_queue", &type_bool, FIELD(rx_by_queue), 0, 1, "on", "every lcore has a queue of every port (RSS); off: each port is one lcore's"},
    {"pool", "mbufs", &type_u32, FIELD(mbufs), 1024, 1U << 22, "32768", "packet buffers of each lcore's pool"},
    {"pool", "rx_ring", &type_u32, FIELD(rx_ring), 32, 16384, "128", "RX descriptors: buffers that packets cycle through"},
    {"pool", "tx_ring", &type_u32, FIELD(tx_ring), 32, 16384, "512", "TX descriptors: buffers that are freed late"},
    {"pool", "handover_ring", &type_u32, FIELD(handover_ring), 32, 16384, "256", "packets that wait between two lcores of a cut pipeline"},
    {"machine", "lcores", &type_cpus, FIELD(lcore_cpu), 0, UINT16_MAX, "1", "CPUs that forward, such as 1 or 0-3,8"},
    {"machine", "main_cpu", &type_u32, FIELD(main_cpu), 0, UINT16_MAX, "0", "CPU of the main lcore, which sleeps"},
    {"machine", "page_size", &type_pages, FIELD(page_size), 0, 0, "auto", "auto (as large as there are), 4KiB or 2MiB"},
    {"machine", "memory_mb", &type_u32, FIELD(memory_mb), 0, 1U << 20, "0", "DPDK's memory; 0: what the tables need"},
    {"machine", "simd_bits", &type_u32, FIELD(simd_bits), 0, 512, "0", "widest vectors that DPDK may use; 0: DPDK's own choice"},
    {"machine", "telemetry", &type_bool, FIELD(telemetry), 0, 1, "off", "DPDK's telemetry socket"},
};
/* clang-format on */
enum { KEYS = sizeof keys / sizeof *keys };
_Static_assert((int)KEYS <= (int)CONFIG_KEYS_MAX, "config_file.c keeps a line for every key");

void config_defaults(struct config *config)
{
    *config = (struct config){0};
    char error[256];
    for (size_t i = 0; i < KEYS; i++) {
        keys[i].type->read(config, &keys[i], keys[i].initial, error, sizeof error);
    }
    pipeline_parse(config_function(config), config->stages, &config->pipeline, error, sizeof error);
}

void config_print_keys(FILE *out)
{
    const char *section = "";
    for (size_t i = 0; i < KEYS; i++) {
        const struct config_key *key = &keys[i];
        if (strcmp(section, key->section) != 0)
            fprintf(out, "[%s]\n", section = key->section);
        char allowed[96];
        key->type->allowed(key, allowed, sizeof allowed);
        fprintf(out, "%s = %s  ; %s (%s)\n", key->name, key->initial, key->meaning, allowed);
    }
}

int config_find(const char *section, const char *name)
{
    for (int i = 0; i < KEYS; i++) {
        if (strcmp(keys[i].section, section) == 0 && strcmp(keys[i].name, name) == 0)
            return i;
    }
    return -1;
}

bool config_section(const char *section, char *error, size_t error_bytes)
{
    for (int i = 0; i < KEYS; i++) {
        if (strcmp(keys[i].section, section) == 0)
            return true;
    }
    snprintf(error, error_bytes,
             "no section [%s]; allowed are tables, pipeline, traffic, ports, pool, machine",
             section);
    return false;
}

/* "no such key in [tables]; allowed are acl_rules, flows, …". */
static bool unknown_key(const char *section, char *error, size_t error_bytes)
{
    if (!config_section(section, error, error_bytes))
        return false;
    int used = snprintf(error, error_bytes, "no such key in [%s]; allowed are", section);
    const char *separator = " ";
    for (int i = 0; i < KEYS && used > 0 && (size_t)used < error_bytes; i++) {
        if (strcmp(keys[i].section, section) != 0)
            continue;
        used += snprintf(error + used, error_bytes - (size_t)used, "%s%s", separator, keys[i].name);
        separator = ", ";
    }
    return false;
}

bool config_set(struct config *config, const char *section, const char *name, const char *text,
                char *error, size_t error_bytes)
{
    int index = config_find(section, name);
    if (index < 0)
        return unknown_key(section, error, error_bytes);
    const struct config_key *key = &keys[index];
    char reason[192] = "";
    if (key->type->read(config, key, text, reason, sizeof reason))
        return true;
    char allowed[96];
    key->type->allowed(key, allowed, sizeof allowed);
    if (reason[0] != '\0') {
        snprintf(error, error_bytes, "%s", reason);
    } else {
        snprintf(error, error_bytes, "'%.80s' is not allowed; it takes %s", text, allowed);
    }
    return false;
}
