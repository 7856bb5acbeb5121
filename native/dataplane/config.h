/* SPDX-License-Identifier: Apache-2.0
 *
 * The configuration of a run: what the INI file may say, with its defaults and bounds.
 */
#ifndef PLANECAST_CONFIG_H
#define PLANECAST_CONFIG_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "eal_start.h"
#include "key_types.h"
#include "network_function.h"

enum { LCORES_MAX = CPUS_MAX, PORTS_MAX = 16, PORT_INTERNAL = -1 };
enum {
    ROUTES_MAX = 65536
}; /* rte_lpm compares a new route with all others: 4 times as many, 16 times as long */
enum { STAGES_TEXT = 256 };
enum lookup { LOOKUP_LPM, LOOKUP_HASH };
enum route_lookup { ROUTE_LOOKUP_LPM, ROUTE_LOOKUP_FIB };
enum flow_table_kind { FLOW_TABLE_BUCKETS, FLOW_TABLE_RTE_HASH };

struct config {
    /* tables */
    uint32_t acl_rules, flows, routes, tbl8_groups;
    uint32_t next_hops, route_depth; /* route_depth: DEPTH_MIXED or bits of all routes */
    enum route_lookup route_lookup;
    uint64_t meter_rate, meter_burst; /* bytes a second, bytes */
    bool police_red;
    enum lookup down_lookup;
    uint64_t tm_rate, tm_pipe_rate; /* bytes a second */
    bool tm_red;
    uint32_t bridge_entries, ageing_s;
    enum flow_table_kind flow_table;
    /* pipeline */
    enum function_id function;
    struct pipeline pipeline; /* of `stages`, once the whole file is read */
    char stages[STAGES_TEXT];
    uint32_t cuts; /* of `cut_names`: where it changes lcores (lcore_map.h) */
    char cut_names[STAGES_TEXT];
    bool ring_wait;
    uint32_t burst, stage_clock;
    /* traffic */
    uint32_t frame_bytes; /* with FCS */
    uint32_t active_flows;
    uint32_t destination_step; /* host order */
    struct dscp_list dscp;
    uint32_t seed;
    /* ports */
    struct port_list {
        uint32_t count;
        int32_t port[PORTS_MAX]; /* DPDK port or PORT_INTERNAL */
    } rx, tx; /* what comes in at rx[i] goes out at tx[i], unless the function chooses */
    bool
        rx_by_queue; /* every lcore has a queue of every port; otherwise each port is one lcore's */
    /* pool */
    uint32_t mbufs, rx_ring, tx_ring, handoff_ring;
    /* machine */
    struct cpu_list lcores;
    uint32_t main_cpu;
    enum page_size page_size;
    uint32_t memory_mb; /* 0: as much as the tables need */
    uint32_t simd_bits; /* 0: DPDK's own choice */
    bool telemetry;
};

/* All keys at their defaults. */
void config_defaults(struct config *config);

/* Reads a file over what `config` holds, makes the pipeline of it and checks the whole. False with
 * "FILE:LINE: key: sentence" in `error`. */
bool config_read(const char *path, struct config *config, char *error, size_t error_bytes);

/* What is wrong between keys that are fine each alone, and what follows from several: the pipeline.
 * (config_check.c) */
struct config_conflict {
    struct config_name {
        const char *section, *key;
    } keys[2]; /* the second may be missing: {NULL, NULL} */
    char sentence[256];
};
bool config_check(struct config *config, struct config_conflict *conflict);

/* Says what is wrong between two keys; false. */
#define CONFIG_NAME(section, key) ((struct config_name){section, key})
__attribute__((format(printf, 4, 5))) bool config_conflicts(struct config_conflict *conflict,
                                                            struct config_name first,
                                                            struct config_name second,
                                                            const char *format, ...);

static inline const struct function *config_function(const struct config *config)
{
    return &functions[config->function];
}

/* Packets may come whose headers nobody here has made. */
bool config_has_rx_port(const struct config *config);

/* False with a sentence in `error` when these stages can't run on these ports. (config_check.c) */
bool config_check_stages(const struct config *config, const struct pipeline *pipeline, char *error,
                         size_t error_bytes);

/* Every key with its default, range and meaning. */
void config_print_keys(FILE *out);

#endif
