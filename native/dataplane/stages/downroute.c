/* SPDX-License-Identifier: Apache-2.0
 *
 * Routing towards the customers: the next hop by longest-prefix match on the destination, or by a
 * hash on the five-tuple (addresses, protocol, ports); `down_lookup` says which. The TTL goes down
 * by one and the checksum with it. A miss drops, and so does a TTL that ends here.
 *
 * Two passes over a burst: the first reads headers and asks for the lines of the table of the first
 * 24 bits (64 MB, and the profile steps through all of it), the second looks up. The next hop is
 * left for the encapsulation, which finds it asked for.
 *
 * Packets from a port are not known to be right: they are checked for type, version, options,
 * length and checksum first.
 */
#include <rte_errno.h>
#include <rte_hash.h>
#include <rte_lpm.h>
#include <rte_malloc.h>

#include "../config.h"
#include "../partition.h"
#include "../pktgen_tuple.h"
#include "../stage.h"
#include "downstream.h"

enum {
    IN_LENGTH = DOWN_IP_IN + 2,
    IN_TTL = DOWN_IP_IN + 8,
    IN_CHECKSUM = DOWN_IP_IN + 10,
    IN_DESTINATION = DOWN_IP_IN + 16,
};

/* Sixteen bytes from the TTL on are the key of a flow, once TTL and checksum are masked out. */
struct down_key {
    uint64_t protocol_and_source, destination_and_ports;
};
#define PROTOCOL_AND_SOURCE RTE_BE64(UINT64_C(0x00FF0000FFFFFFFF))

struct tables {
    struct rte_lpm *routes; /* one of the two */
    struct rte_hash *flows;
    uint32_t *route_of_flow; /* [flows] */
    struct qinq_hop *next_hops;
    bool checks;             /* packets come from a port */
    struct qinq_hop expired; /* stands for the next hop of a packet whose TTL ends here */
};

static uint32_t signature_of(const struct down_key *key)
{
    return (uint32_t)_mm_crc32_u64(_mm_crc32_u64(0, key->protocol_and_source),
                                   key->destination_and_ports);
}

static int key_differs(const void *a, const void *b, size_t bytes)
{
    const struct down_key *x = a, *y = b;
    (void)bytes;
    return ((x->protocol_and_source ^ y->protocol_and_source) |
            (x->destination_and_ports ^ y->destination_and_ports)) != 0;
}

static struct qinq_hop make_next_hop(uint32_t index)
{
    struct qinq_hop hop = {
        .ethernet = {2, 0, 0, 0, (uint8_t)(index >> 8), (uint8_t)index, 2, 0, 0, 0, 1, 0}};
    store16(hop.ethernet + 12, RTE_BE16(ETHER_TYPE_QINQ));
    store16(hop.ethernet + 14, big16((uint16_t)(1 + index / VLAN_IDS)));
    store16(hop.inner, RTE_BE16(ETHER_TYPE_VLAN));
    store16(hop.inner + 2, big16((uint16_t)(1 + index % VLAN_IDS)));
    store16(hop.inner + 4, RTE_BE16(ETHER_TYPE_IPV4));
    return hop;
}

static bool open_routes(struct tables *tables, const struct stage_site *site)
{
    const struct config *config = site->config;
    struct rte_lpm_config parameters = {.max_rules = config->routes,
                                        .number_tbl8s = config->tbl8_groups};
    char name[RTE_LPM_NAMESIZE];
    snprintf(name, sizeof name, "down_routes_%d", site->socket);
    tables->routes = rte_lpm_create(name, site->socket, &parameters);
    if (tables->routes == NULL)
        return stage_fails(site, "no memory for %u routes", config->routes);
    int rc = 0;
    for (uint32_t i = 0; i < config->routes && rc == 0; i++) {
        struct prefix prefix = partition_prefix(config->routes, i);
        rc = rte_lpm_add(tables->routes, prefix.address, prefix.depth, i);
    }
    return rc == 0 || stage_fails(site, "%u routes don't fit into %u tbl8 groups: %s",
                                  config->routes, config->tbl8_groups, rte_strerror(-rc));
}

/* Flow by flow the five-tuples that the in-process source makes; the route is the one that the
 * destination has by its prefix, so both look-ups send a packet the same way. */
static bool add_flows(struct tables *tables, const struct stage_site *site)
{
    const struct config *config = site->config;
    for (uint32_t flow = 0; flow < config->flows; flow++) {
        struct tuple tuple = tuple_of(flow, config->destination_step);
        struct down_key key = {(uint64_t)big32(tuple.source) << 32 | (uint64_t)PROTOCOL_UDP << 8,
                               (uint64_t)tuple.ports << 32 | big32(tuple.destination)};
        int32_t position = rte_hash_add_key_with_hash(tables->flows, &key, signature_of(&key));
        if (position != (int32_t)flow)
            return stage_fails(site, "flow %u does not fit into the flow table: %s", flow,
                               position < 0 ? rte_strerror(-position) : "it is in another place");
        tables->route_of_flow[flow] = partition_index(config->routes, tuple.destination);
    }
    return true;
}

static bool open_flows(struct tables *tables, const struct stage_site *site)
{
    uint32_t flows = site->config->flows;
    char name[RTE_HASH_NAMESIZE];
    snprintf(name, sizeof name, "down_flows_%d", site->socket);
    struct rte_hash_parameters parameters = {
        .name = name,
        .entries = RTE_MAX(flows, 8U),
        .key_len = sizeof(struct down_key),
        .socket_id = site->socket,
        .extra_flag = RTE_HASH_EXTRA_FLAGS_EXT_TABLE,
    };
    tables->flows = rte_hash_create(&parameters);
    tables->route_of_flow = rte_malloc_socket("route_of_flow", flows * sizeof(uint32_t),
                                              RTE_CACHE_LINE_SIZE, site->socket);
    if (tables->flows == NULL || tables->route_of_flow == NULL)
        return stage_fails(site, "no memory for a flow table of %u entries", flows);
    rte_hash_set_cmp_func(tables->flows, key_differs);
    return add_flows(tables, site);
}

static bool open_next_hops(struct tables *tables, const struct stage_site *site)
{
    uint32_t routes = site->config->routes;
    tables->next_hops = rte_malloc_socket("qinq_hops", routes * sizeof(struct qinq_hop),
                                          RTE_CACHE_LINE_SIZE, site->socket);
    if (tables->next_hops == NULL)
        return stage_fails(site, "no memory for %u next hops", routes);
    for (uint32_t i = 0; i < routes; i++)
        tables->next_hops[i] = make_next_hop(i);
    return true;
}

static void destroy_tables(void *opaque)
{
    struct tables *tables = opaque;
    rte_lpm_free(tables->routes);
    rte_hash_free(tables->flows);
    rte_free(tables->route_of_flow);
    rte_free(tables->next_hops);
    rte_free(tables);
}

static void *create_tables(const struct stage_site *site)
{
    const struct config *config = site->config;
    struct tables *tables = rte_zmalloc_socket("downroute", sizeof *tables, 0, site->socket);
    if (tables == NULL)
        return stage_fails(site, "no memory for %u routes", config->routes);
    tables->checks = config_has_rx_port(config);
    if (open_next_hops(tables, site) &&
        (config->down_lookup == LOOKUP_HASH ? open_flows(tables, site) : open_routes(tables, site)))
        return tables;
    destroy_tables(tables);
    return NULL;
}

/* Next hops; the first 24 bits and the groups, or the buckets, keys and routes of flows. */
static uint64_t table_bytes(const struct config *config)
{
    return config->routes * sizeof(struct qinq_hop) +
           (config->down_lookup == LOOKUP_HASH ? config->flows * UINT64_C(96)
                                               : (64ULL << 20) + config->tbl8_groups * 1024ULL);
}

/* Ten words, the checksum among them, are all ones when nothing was spoilt (RFC 1071). */
static bool checksum_is_right(const uint8_t *ip)
{
    uint32_t sum = 0;
    for (int i = 0; i < IP_BYTES; i += 2)
        sum += load16(ip + i);
    return checksum_fold(sum) == 0;
}

#define TYPE_IPV4                                                                                  \
    RTE_BE32(0x08004500U) /* EtherType, then version 4 with a header of five words                 \
                           */
#define TYPE_MASK RTE_BE32(0xFFFFFF00U)

/* With a look-up by hash there have to be ports. */
static bool is_bad(const struct rte_mbuf *mbuf, const uint8_t *frame, uint32_t least_ip_bytes)
{
    if (mbuf->data_len < PLAIN_L2_BYTES + least_ip_bytes)
        return true; /* what lies behind is not the packet's: it is not looked at */
    uint32_t ip_bytes = big16(load16(frame + IN_LENGTH));
    return (load32(frame + PLAIN_L2_BYTES - 2) & TYPE_MASK) != TYPE_IPV4 ||
           ip_bytes < least_ip_bytes || PLAIN_L2_BYTES + ip_bytes > mbuf->pkt_len ||
           !checksum_is_right(frame + DOWN_IP_IN);
}

static __attribute__((noinline)) void check_headers(const struct tables *tables,
                                                    struct burst *burst)
{
    uint8_t verdict[BURST_MAX];
    uint32_t least = tables->flows != NULL ? IP_BYTES + sizeof(uint32_t) : IP_BYTES;
    uint32_t bad = 0;
    for (uint16_t i = 0; i < burst->count; i++) {
        bool is = is_bad(burst->packet[i], burst->frame[i], least);
        verdict[i] = is ? DROP_HEADER : DROP_NONE;
        bad += is;
    }
    if (unlikely(bad > 0))
        burst_drop(burst, verdict);
}

static SLOW_PATH drop_refused(const struct tables *tables, struct burst *burst)
{
    const struct qinq_hop *const *next_hop = downstream_columns(burst)->next_hop;
    uint8_t verdict[BURST_MAX];
    for (uint16_t i = 0; i < burst->count; i++)
        verdict[i] = next_hop[i] == NULL               ? DROP_ROUTE_MISS
                     : next_hop[i] == &tables->expired ? DROP_TTL
                                                       : DROP_NONE;
    burst_drop(burst, verdict);
}

/* Leaves the routes' numbers in `route`, UINT32_MAX for a miss. */
static __rte_always_inline void look_up_prefixes(struct rte_lpm *routes, const struct burst *burst,
                                                 uint32_t *route)
{
    uint32_t destination[BURST_MAX];
    uint32_t count = burst->count;
    BURST_UNROLL
    for (uint32_t i = 0; i < count; i++) {
        destination[i] = big32(load32(burst->frame[i] + IN_DESTINATION));
        __builtin_prefetch(&routes->tbl24[destination[i] >> 8]);
    }
    BURST_UNROLL
    for (uint32_t i = 0; i < count; i++) {
        uint32_t next = 0;
        route[i] = rte_lpm_lookup(routes, destination[i], &next) == 0 ? next : UINT32_MAX;
    }
}

static __attribute__((noinline)) void look_up_flows(const struct tables *tables,
                                                    const struct burst *burst, uint32_t *route)
{
    struct down_key key[BURST_MAX];
    const void *key_at[BURST_MAX];
    hash_sig_t signature[BURST_MAX];
    int32_t flow[BURST_MAX];
    uint32_t count = burst->count;
    for (uint32_t i = 0; i < count; i++) {
        const uint8_t *from_ttl = burst->frame[i] + IN_TTL;
        key[i] = (struct down_key){load64(from_ttl) & PROTOCOL_AND_SOURCE, load64(from_ttl + 8)};
        key_at[i] = &key[i];
        signature[i] = signature_of(&key[i]);
    }
    for (uint32_t first = 0; first < count; first += RTE_HASH_LOOKUP_BULK_MAX)
        rte_hash_lookup_with_hash_bulk(tables->flows, &key_at[first], &signature[first],
                                       RTE_MIN(count - first, RTE_HASH_LOOKUP_BULK_MAX),
                                       &flow[first]);
    for (uint32_t i = 0; i < count; i++) {
        if (flow[i] >= 0)
            __builtin_prefetch(&tables->route_of_flow[flow[i]]);
    }
    for (uint32_t i = 0; i < count; i++)
        route[i] = flow[i] >= 0 ? tables->route_of_flow[flow[i]] : UINT32_MAX;
}

STAGE_FUNCTION(downroute)
{
    const struct tables *tables = context;
    uint32_t route[BURST_MAX];
    const struct qinq_hop **next_hop = downstream_columns(burst)->next_hop;
    const struct qinq_hop *next_hops = tables->next_hops, *expired_hop = &tables->expired;
    if (tables->checks)
        check_headers(tables, burst);
    if (tables->routes != NULL)
        look_up_prefixes(tables->routes, burst, route);
    else
        look_up_flows(tables, burst, route);
    uint32_t missed = 0, expired = 0;
    uint32_t count = burst->count;
    BURST_UNROLL
    for (uint32_t i = 0; i < count; i++) {
        uint8_t *frame = burst->frame[i];
        uint8_t ttl = frame[IN_TTL];
        if (unlikely(route[i] == UINT32_MAX)) {
            next_hop[i] = NULL;
            missed++;
            continue;
        }
        if (unlikely(ttl <= 1)) {
            next_hop[i] = expired_hop;
            expired++;
            continue;
        }
        next_hop[i] = &next_hops[route[i]];
        __builtin_prefetch(&next_hops[route[i]]);
        frame[IN_TTL] = (uint8_t)(ttl - 1);
        store16(frame + IN_CHECKSUM, checksum_after_hop(load16(frame + IN_CHECKSUM)));
    }
    if (unlikely(missed + expired > 0))
        drop_refused(tables, burst);
}

static const struct stage downroute = {.name = "downroute",
                                       .run = stage_downroute,
                                       .create = create_tables,
                                       .destroy = destroy_tables,
                                       .table_bytes = table_bytes};
STAGE_REGISTER(downroute)
