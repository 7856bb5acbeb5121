/* SPDX-License-Identifier: Apache-2.0
 *
 * The next hop of a destination: the longest prefix that matches it, in DPDK's LPM or in its FIB
 * (`route_lookup`). Both have a table of the first 24 bits and groups of 256 entries for what is
 * longer; the FIB's routes are in a tree beside it, which makes adding one fast.
 *
 * A miss drops.
 */
#include <rte_errno.h>
#include <rte_lcore.h>
#include <rte_malloc.h>
#include <stdlib.h>

#include "../gather.h"
#include "../headers.h"
#include "../ip4_lpm.h"
#include "../ip4_routes.h"
#include "ip4.h"
#include "stages.h"

struct ip4_tables ip4_tables;

static bool open_table(const struct config *config, uint32_t groups)
{
    groups = RTE_MAX(groups, config->tbl8_groups);
    if (config->route_lookup == ROUTE_LOOKUP_LPM) {
        struct rte_lpm_config parameters = {.max_rules = config->routes, .number_tbl8s = groups};
        ip4_tables.lpm = rte_lpm_create("ip4", (int)rte_socket_id(), &parameters);
        return ip4_tables.lpm != NULL;
    }
    struct rte_fib_conf parameters = {
        .type = RTE_FIB_DIR24_8,
        .default_nh = IP4_NO_ROUTE,
        .max_routes = (int)config->routes * 2, /* its tree has nodes where branches meet, too */
        /* Of 22.11, it sets a group aside for a longer route that shares one, too. */
        .dir24_8 = {.nh_sz = RTE_FIB_DIR24_8_4B, .num_tbl8 = RTE_MAX(groups, config->routes) + 1},
    };
    ip4_tables.fib = rte_fib_create("ip4", (int)rte_socket_id(), &parameters);
    return ip4_tables.fib != NULL;
}

static int add_routes(const struct prefix *routes, uint32_t count)
{
    int rc = 0;
    if (ip4_tables.lpm != NULL) {
        ip4_lpm_fill(ip4_tables.lpm, routes, count, ip4_tables.next_hop_count);
        return 0;
    }
    for (uint32_t i = 0; i < count && rc == 0; i++)
        rc = rte_fib_add(ip4_tables.fib, routes[i].address, routes[i].depth,
                         i % ip4_tables.next_hop_count);
    return rc;
}

/* Next hop n has the address 02:01:00:00:NN:NN, and ours is 02:02:00:00:00:PP on port P. */
static bool open_next_hops(const struct config *config)
{
    uint32_t count = config->next_hops;
    ip4_tables.next_hop_count = count;
    ip4_tables.next_hop =
        rte_zmalloc("next_hops", count * sizeof *ip4_tables.next_hop, RTE_CACHE_LINE_SIZE);
    for (uint32_t i = 0; i < count && ip4_tables.next_hop != NULL; i++) {
        uint8_t out = (uint8_t)(i % config->tx.count);
        uint8_t addresses[12] = {2, 1, 0, 0, (uint8_t)(i >> 8), (uint8_t)i, 2, 2, 0, 0, 0, out};
        memcpy(ip4_tables.next_hop[i].ethernet, addresses, sizeof addresses);
        ip4_tables.next_hop[i].out = out;
    }
    bool fine = ip4_tables.next_hop != NULL;
    for (uint32_t i = 0; i < config->lcores.count && fine; i++) {
        ip4_tables.count[i] =
            rte_zmalloc("hop_counts", count * sizeof(struct ip4_count), RTE_CACHE_LINE_SIZE);
        fine = ip4_tables.count[i] != NULL;
    }
    return fine;
}

static void *open_failed(struct prefix *routes, char *error, size_t error_bytes, const char *what,
                         uint32_t count, int rc)
{
    snprintf(error, error_bytes, "%s %u routes: %s", what, count, rte_strerror(-rc));
    free(routes);
    ip4_next_hop_destroy(&ip4_tables);
    return NULL;
}

void *ip4_next_hop_create(const struct config *config, char *error, size_t error_bytes)
{
    struct prefix *routes = ip4_routes(config);
    if (routes == NULL || !open_next_hops(config) ||
        !open_table(config, ip4_groups(routes, config->routes)))
        return open_failed(routes, error, error_bytes, "no memory for", config->routes, -ENOMEM);
    int rc = add_routes(routes, config->routes);
    if (rc != 0)
        return open_failed(routes, error, error_bytes, "the table does not take", config->routes,
                           rc);
    free(routes);
    return &ip4_tables;
}

void ip4_next_hop_destroy(void *opaque)
{
    (void)opaque;
    rte_lpm_free(ip4_tables.lpm);
    rte_fib_free(ip4_tables.fib);
    rte_free(ip4_tables.next_hop);
    for (uint32_t i = 0; i < LCORES_MAX; i++)
        rte_free(ip4_tables.count[i]);
    ip4_tables = (struct ip4_tables){0};
}

static SLOW_PATH drop_missed(struct burst *burst)
{
    uint8_t verdict[BURST_MAX];
    for (uint16_t i = 0; i < burst->count; i++)
        verdict[i] = burst->next_hop[i] >= IP4_NO_ROUTE ? DROP_ROUTE_MISS : DROP_NONE;
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
static inline uint32_t lookup_lpm(struct burst *burst)
{
    const uint32_t *first = (const uint32_t *)ip4_tables.lpm->tbl24;
    const uint32_t *second = (const uint32_t *)ip4_tables.lpm->tbl8;
    const lanes extended = all_lanes(RTE_LPM_VALID_EXT_ENTRY_BITMASK);
    uint32_t longer_lanes[BURST_MAX];
    uint32_t again = 0; /* a bit for eight destinations with a longer prefix among them */
    uint32_t count = burst->count;
    lanes any = {0};
    for (uint32_t i = 0; i < count; i += LANES) {
        lanes destination = load_lanes(&burst->destination[i]);
        lanes entry = gather_entries(first, destination >> 8);
        lanes longer = (lanes)((entry & extended) == extended);
        lanes hop = hop_of(entry);
        store_lanes(&burst->next_hop[i], hop);
        any |= hop;
        if (any_lane(longer)) {
            store_lanes(&longer_lanes[i], longer);
            prefetch_groups(second, index_of(entry, destination), longer);
            again |= 1U << i / LANES;
        }
    }
    for (; again != 0; again &= again - 1) {
        uint32_t i = (uint32_t)__builtin_ctz(again) * LANES;
        lanes group = load_lanes(&burst->next_hop[i]), longer = load_lanes(&longer_lanes[i]);
        lanes index = index_of(group, load_lanes(&burst->destination[i]));
        lanes entry = gather_some(group ^ RTE_LPM_LOOKUP_SUCCESS, second, index, longer);
        lanes hop = hop_of(entry);
        store_lanes(&burst->next_hop[i], hop);
        any |= hop;
    }
    return any_lane(any & IP4_NO_ROUTE);
}
_Static_assert(BURST_MAX / LANES <= 32, "a bit for each eight");
_Static_assert(RTE_LPM_LOOKUP_SUCCESS == IP4_NO_ROUTE, "a valid entry's bit, turned");

static inline uint32_t lookup_fib(struct burst *burst)
{
    uint64_t hop[BURST_MAX];
    uint32_t any = 0;
    uint32_t count = burst->count;
    rte_fib_lookup_bulk(ip4_tables.fib, burst->destination, hop, (int)count);
    for (uint32_t i = 0; i < count; i++) {
        burst->next_hop[i] = (uint32_t)hop[i];
        any |= (uint32_t)hop[i];
    }
    return any & IP4_NO_ROUTE;
}

STAGE_FUNCTION stage_next_hop(void *tables, struct burst *burst)
{
    (void)tables;
    for (uint32_t i = burst->count; i % LANES != 0; i++)
        burst->destination[i] = burst->destination[0];
    uint32_t missed = ip4_tables.lpm != NULL ? lookup_lpm(burst) : lookup_fib(burst);
    if (unlikely(missed != 0))
        drop_missed(burst);
}
