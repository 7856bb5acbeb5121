/* SPDX-License-Identifier: Apache-2.0
 *
 * Routing: longest-prefix match on the destination, then the Ethernet and VLAN headers make way for
 * Ethernet and two MPLS labels, the colour in their EXP bits. TTL and checksum are updated as a
 * router must (DPDK's edge router left that out). A miss drops, and so does a TTL that ends here.
 *
 * The table of the first 24 bits is 64 MB and the profile steps through all of it; key extraction
 * has asked for the lines.
 */
#include <rte_errno.h>
#include <rte_malloc.h>
#include <rte_meter.h>

#include "../config.h"
#include "../headers.h"
#include "../partition.h"
#include "../stage.h"
#include "route.h"
#include "upstream.h"

struct tables {
    struct rte_lpm *routes;
    struct next_hop *next_hops;
    uint64_t exp_of_colour[RTE_COLORS]; /* network order: the EXP bits of both labels */
};

/* Where no stage says a packet's colour, it is green. */
_Static_assert(RTE_COLOR_GREEN == 0, "a column that nobody fills is zero");

#define LABEL_PAIR(outer, inner) big64((uint64_t)(outer) << 32 | (inner))
enum { LABEL_SHIFT = 12, EXP_SHIFT = 9, BOTTOM_OF_STACK = 1 << 8 };
enum { OFFSET_OUTER_LABEL_TTL = 17, OFFSET_INNER_LABEL_TTL = 21 };

static struct next_hop make_next_hop(uint32_t index)
{
    struct next_hop hop = {0};
    uint32_t outer = (16 + index) << LABEL_SHIFT; /* labels below 16 are reserved (RFC 3032) */
    uint32_t inner = (16 + (index ^ 0x5555)) << LABEL_SHIFT | BOTTOM_OF_STACK;
    hop.labels = LABEL_PAIR(outer, inner);
    uint8_t addresses[12] = {2, 0, 0, 0, (uint8_t)(index >> 8), (uint8_t)index, 2, 0, 0, 0, 1, 0};
    memcpy(hop.ethernet, addresses, sizeof addresses);
    store16(hop.ethernet + 12, RTE_BE16(ETHER_TYPE_MPLS));
    return hop;
}

static void destroy_tables(void *opaque)
{
    struct tables *tables = opaque;
    rte_lpm_free(tables->routes);
    rte_free(tables->next_hops);
    rte_free(tables);
}

static int add_routes(struct tables *tables, uint32_t count)
{
    int rc = 0;
    for (uint32_t i = 0; i < count && rc == 0; i++) {
        struct prefix prefix = partition_prefix(count, i);
        tables->next_hops[i] = make_next_hop(i);
        rc = rte_lpm_add(tables->routes, prefix.address, prefix.depth, i);
    }
    return rc;
}

static bool open_tables(struct tables *tables, const struct config *config, int socket)
{
    struct rte_lpm_config parameters = {.max_rules = config->routes,
                                        .number_tbl8s = config->tbl8_groups};
    char name[RTE_LPM_NAMESIZE];
    snprintf(name, sizeof name, "routes_%d", socket);
    tables->routes = rte_lpm_create(name, socket, &parameters);
    tables->next_hops = rte_zmalloc_socket("next_hops", config->routes * sizeof(struct next_hop),
                                           RTE_CACHE_LINE_SIZE, socket);
    return tables->routes != NULL && tables->next_hops != NULL;
}

static void *create_tables(const struct stage_site *site)
{
    const struct config *config = site->config;
    struct tables *tables = rte_zmalloc_socket("route", sizeof *tables, 0, site->socket);
    if (tables == NULL || !open_tables(tables, config, site->socket)) {
        if (tables != NULL)
            destroy_tables(tables);
        return stage_fails(site, "no memory for %u routes", config->routes);
    }
    int rc = add_routes(tables, config->routes);
    if (rc != 0) {
        destroy_tables(tables);
        return stage_fails(site, "%u routes don't fit into %u tbl8 groups: %s", config->routes,
                           config->tbl8_groups, rte_strerror(-rc));
    }
    for (uint64_t colour = 0; colour < RTE_COLORS; colour++)
        tables->exp_of_colour[colour] = LABEL_PAIR(colour << EXP_SHIFT, colour << EXP_SHIFT);
    return tables;
}

/* The first 24 bits, the groups, the next hops. */
static uint64_t table_bytes(const struct config *config)
{
    return (64ULL << 20) + config->tbl8_groups * 1024ULL + config->routes * sizeof(struct next_hop);
}

/* Sixteen bytes of addresses, type and what the labels overwrite: two stores instead of four. */
static inline void encapsulate(uint8_t *frame, const struct next_hop *hop, uint64_t exp,
                               uint8_t ttl)
{
    memcpy(frame, hop->ethernet, sizeof hop->ethernet);
    store64(frame + OFFSET_TAGS, hop->labels | exp);
    frame[OFFSET_OUTER_LABEL_TTL] = ttl;
    frame[OFFSET_INNER_LABEL_TTL] = ttl;
}

static inline void hop(uint8_t *frame, uint8_t ttl)
{
    frame[OFFSET_IP_TTL] = ttl;
    store16(frame + OFFSET_IP_CHECKSUM, checksum_after_hop(load16(frame + OFFSET_IP_CHECKSUM)));
}

/* A packet that was refused is the one that still has its tags: the loop keeps no account of them.
 */
static SLOW_PATH drop_refused(struct rte_lpm *routes, struct burst *burst)
{
    uint8_t verdict[BURST_MAX];
    for (uint16_t i = 0; i < burst->count; i++) {
        uint32_t next = 0;
        if (load16(burst->frame[i] + OFFSET_OUTER_TYPE) == RTE_BE16(ETHER_TYPE_MPLS))
            verdict[i] = DROP_NONE;
        else if (rte_lpm_lookup(routes, route_destination(burst->frame[i]), &next) != 0)
            verdict[i] = DROP_ROUTE_MISS;
        else
            verdict[i] = DROP_TTL;
    }
    burst_drop(burst, verdict);
}

const struct rte_lpm_tbl_entry *route_first_table(const void *tables)
{
    return tables == NULL ? NULL : ((const struct tables *)tables)->routes->tbl24;
}

STAGE_FUNCTION(route)
{
    const struct tables *tables = context;
    const uint8_t *colour = upstream_columns(burst)->colour;
    struct rte_lpm *routes = tables->routes;
    const struct next_hop *next_hops = tables->next_hops;
    uint32_t missed = 0, expired = 0; /* two: were they one, the compiler would join the tests */
    uint32_t count = burst->count;
    /* One by one: the library's look-up of four at once takes as many instructions here, and
     * longer. Not unrolled, as in key extraction. */
    for (uint32_t i = 0; i < count; i++) {
        uint8_t *frame = burst->frame[i];
        uint8_t ttl = frame[OFFSET_IP_TTL];
        uint32_t next = 0;
        if (unlikely(rte_lpm_lookup(routes, route_destination(frame), &next) != 0)) {
            missed++;
            continue;
        }
        if (unlikely(ttl <= 1)) {
            expired++;
            continue;
        }
        hop(frame, (uint8_t)(ttl - 1));
        encapsulate(frame, &next_hops[next], tables->exp_of_colour[colour[i]], (uint8_t)(ttl - 1));
    }
    if (unlikely(missed + expired > 0))
        drop_refused(routes, burst);
}

static const struct stage route = {.name = "route",
                                   .run = stage_route,
                                   .needs = "key",
                                   .create = create_tables,
                                   .destroy = destroy_tables,
                                   .table_bytes = table_bytes};
STAGE_REGISTER(route)
