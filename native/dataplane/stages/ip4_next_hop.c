/* SPDX-License-Identifier: Apache-2.0
 *
 * The next hop of a destination: the longest prefix that matches it, in DPDK's LPM or in its FIB
 * (`route_lookup`). Both have a table of the first 24 bits and groups of 256 entries for what is
 * longer; the FIB's routes are in a tree next to it, which makes adding one fast.
 *
 * A miss drops. The check has filled columns in eights, and lanes without a packet look up what is
 * there: written here, they would have to reach the cache before eight of them can be loaded.
 */
#include <rte_errno.h>
#include <rte_fib.h>
#include <rte_lpm.h>
#include <rte_malloc.h>
#include <stdlib.h>

#include "../headers.h"
#include "../ip4_lpm.h"
#include "../ip4_routes.h"
#include "../simd.h"
#include "../stage.h"
#include "ip4.h"

struct tables {
    struct rte_lpm *lpm; /* either of them */
    struct rte_fib *fib;
};

static bool open_table(struct tables *tables, const struct stage_site *site, uint32_t groups)
{
    const struct config *config = site->config;
    char name[RTE_LPM_NAMESIZE];
    snprintf(name, sizeof name, "ip4_%d", site->socket);
    groups = RTE_MAX(groups, config->tbl8_groups);
    if (config->route_lookup == ROUTE_LOOKUP_LPM) {
        struct rte_lpm_config parameters = {.max_rules = config->routes, .number_tbl8s = groups};
        tables->lpm = rte_lpm_create(name, site->socket, &parameters);
        return tables->lpm != NULL;
    }
    struct rte_fib_conf parameters = {
        .type = RTE_FIB_DIR24_8,
        .default_nh = IP4_NO_ROUTE,
        .max_routes = (int)config->routes * 2, /* its tree has nodes where branches meet, too */
        /* Of 22.11, it sets a group aside for a longer route that shares one, too. */
        .dir24_8 = {.nh_sz = RTE_FIB_DIR24_8_4B, .num_tbl8 = RTE_MAX(groups, config->routes) + 1},
    };
    tables->fib = rte_fib_create(name, site->socket, &parameters);
    return tables->fib != NULL;
}

static int add_routes(struct tables *tables, const struct prefix *routes,
                      const struct config *config)
{
    int rc = 0;
    if (tables->lpm != NULL) {
        ip4_lpm_fill(tables->lpm, routes, config->routes, config->next_hops);
        return 0;
    }
    for (uint32_t i = 0; i < config->routes && rc == 0; i++)
        rc = rte_fib_add(tables->fib, routes[i].address, routes[i].depth, i % config->next_hops);
    return rc;
}

static void destroy_tables(void *opaque)
{
    struct tables *tables = opaque;
    rte_lpm_free(tables->lpm);
    rte_fib_free(tables->fib);
    rte_free(tables);
}

static void *create_tables(const struct stage_site *site)
{
    uint32_t count = site->config->routes;
    struct tables *tables = rte_zmalloc_socket("ip4", sizeof *tables, 0, site->socket);
    struct prefix *routes = ip4_routes(site->config);
    bool open =
        tables != NULL && routes != NULL && open_table(tables, site, ip4_groups(routes, count));
    int rc = open ? add_routes(tables, routes, site->config) : 0;
    free(routes);
    if (open && rc == 0)
        return tables;
    if (tables != NULL)
        destroy_tables(tables);
    return stage_fails(
        site, open ? "the table does not take %u routes: %s" : "no memory for %u routes: %s", count,
        rte_strerror(open ? -rc : ENOMEM));
}

/* The first 24 bits; the groups of longer prefixes, at most one a route; the FIB's tree. */
static uint64_t table_bytes(const struct config *config)
{
    return (64ULL << 20) + config->tbl8_groups * 1024ULL + config->routes * (1024ULL + 256);
}

static SLOW_PATH drop_missed(struct burst *burst)
{
    const uint32_t *next_hop = ip4_columns(burst)->next_hop;
    uint8_t verdict[BURST_MAX];
    for (uint16_t i = 0; i < burst->count; i++)
        verdict[i] = next_hop[i] >= IP4_NO_ROUTE ? DROP_ROUTE_MISS : DROP_NONE;
    burst_drop(burst, verdict);
}

/* A next hop from a table's entry: IP4_NO_ROUTE is the bit of a valid entry, turned. */
static inline lanes hop_of(lanes entry)
{
    return (entry ^ RTE_LPM_LOOKUP_SUCCESS) & (IP4_NO_ROUTE | 0x00FFFFFF);
}

/* The group that an entry of the first table names, and the destination's place there. */
static inline lanes index_of(lanes entry, lanes destination)
{
    return (entry & 0x00FFFFFF) << 8 | (destination & 0xFF);
}

/* Asks for the lines of eight destinations in their groups; of those that have none, for lines
 * that are there. */
static inline void prefetch_groups(const uint32_t *second, lanes index, lanes longer)
{
    uint32_t at[LANES];
    store_lanes(at, index & longer);
    for (int i = 0; i < LANES; i++)
        __builtin_prefetch(&second[at[i]]);
}

/* What rte_lpm_lookup does, for eight destinations at once: the entry of the first table, or of the
 * group that it names. Groups come in a second round, their lines asked for in the first: a gather
 * that waits for memory holds up all that comes after it. */
static inline uint32_t lookup_lpm(const struct rte_lpm *lpm, struct burst *burst)
{
    struct ip4_columns *columns = ip4_columns(burst);
    const uint32_t *first = (const uint32_t *)lpm->tbl24;
    const uint32_t *second = (const uint32_t *)lpm->tbl8;
    const lanes extended = all_lanes(RTE_LPM_VALID_EXT_ENTRY_BITMASK);
    uint32_t longer_lanes[BURST_MAX];
    uint32_t again = 0; /* a bit for eight destinations with a longer prefix among them */
    uint32_t count = burst->count;
    lanes any = {0};
    for (uint32_t i = 0; i < count; i += LANES) {
        lanes destination = load_lanes(&columns->destination[i]);
        lanes entry = gather_entries(first, destination >> 8);
        lanes longer = (lanes)((entry & extended) == extended);
        lanes hop = hop_of(entry);
        store_lanes(&columns->next_hop[i], hop);
        any |= hop;
        if (any_lane(longer)) {
            store_lanes(&longer_lanes[i], longer);
            prefetch_groups(second, index_of(entry, destination), longer);
            again |= 1U << i / LANES;
        }
    }
    for (; again != 0; again &= again - 1) {
        uint32_t i = (uint32_t)__builtin_ctz(again) * LANES;
        lanes group = load_lanes(&columns->next_hop[i]), longer = load_lanes(&longer_lanes[i]);
        lanes index = index_of(group, load_lanes(&columns->destination[i]));
        lanes entry = gather_some(group ^ RTE_LPM_LOOKUP_SUCCESS, second, index, longer);
        lanes hop = hop_of(entry);
        store_lanes(&columns->next_hop[i], hop);
        any |= hop;
    }
    return any_lane(any & IP4_NO_ROUTE);
}
_Static_assert(BURST_MAX / LANES <= 32, "a bit for each eight");
_Static_assert(RTE_LPM_LOOKUP_SUCCESS == IP4_NO_ROUTE, "a valid entry's bit, turned");

static inline uint32_t lookup_fib(struct rte_fib *fib, struct burst *burst)
{
    struct ip4_columns *columns = ip4_columns(burst);
    uint64_t hop[BURST_MAX];
    uint32_t any = 0;
    uint32_t count = burst->count;
    rte_fib_lookup_bulk(fib, columns->destination, hop, (int)count);
    for (uint32_t i = 0; i < count; i++) {
        columns->next_hop[i] = (uint32_t)hop[i];
        any |= (uint32_t)hop[i];
    }
    return any & IP4_NO_ROUTE;
}

const struct rte_lpm_tbl_entry *ip4_first_table(const void *opaque)
{
    const struct tables *tables = opaque;
    return tables == NULL || tables->lpm == NULL ? NULL : tables->lpm->tbl24;
}

STAGE_FUNCTION(next_hop)
{
    const struct tables *tables = context;
    uint32_t missed =
        tables->lpm != NULL ? lookup_lpm(tables->lpm, burst) : lookup_fib(tables->fib, burst);
    if (unlikely(missed != 0))
        drop_missed(burst);
}

static const struct stage next_hop = {.name = "next_hop",
                                      .run = stage_next_hop,
                                      .needs = "check",
                                      .create = create_tables,
                                      .destroy = destroy_tables,
                                      .table_bytes = table_bytes};
STAGE_REGISTER(next_hop)
