/* SPDX-License-Identifier: Apache-2.0
 *
 * Flow classification: the flow key's entry in a hash of `flows` keys gives the flow id. A miss
 * drops.
 *
 * Either our own table (flow_table.h), or rte_hash, which looks a burst up in bulk with the
 * signatures that key extraction left. The library's takes 114 instructions a packet more and three
 * lines instead of one: it has to be for any key and for writers at any time. Its built-in
 * comparison of eight-byte keys goes through memcmp; ours is one compare.
 */
#include <rte_hash.h>
#include <rte_malloc.h>

#include "../config.h"
#include "../headers.h"
#include "../stage.h"
#include "classify.h"
#include "upstream.h"

/* One of the two, as tables.flow_table says. */
struct tables {
    struct flow_table buckets;
    struct rte_hash *hash;
};

static int key_differs(const void *a, const void *b, size_t bytes)
{
    (void)bytes;
    return load64(a) != load64(b);
}

static struct rte_hash *open_hash(uint32_t flows, int socket)
{
    char name[RTE_HASH_NAMESIZE];
    snprintf(name, sizeof name, "flow_table_%d", socket);
    struct rte_hash_parameters parameters = {
        .name = name,
        .entries = RTE_MAX(flows, 8U), /* rte_hash's smallest table is one bucket */
        .key_len = sizeof(uint64_t),
        .hash_func = NULL, /* every call brings its own signature */
        .socket_id = socket,
        /* Buckets chain when full: every configured flow has an entry, whatever its signature. */
        .extra_flag = RTE_HASH_EXTRA_FLAGS_EXT_TABLE,
    };
    struct rte_hash *hash = rte_hash_create(&parameters);
    if (hash != NULL)
        rte_hash_set_cmp_func(hash, key_differs);
    return hash;
}

static bool add_flow(struct tables *tables, uint32_t flow)
{
    const uint64_t key = flow_key_of(flow);
    uint32_t signature = flow_table_signature(key);
    if (tables->hash == NULL)
        return flow_table_add(&tables->buckets, flow, signature, (int32_t)flow);
    /* The position of a key is its flow id: the table counts its keys from 0, as we do. */
    return rte_hash_add_key_with_hash(tables->hash, &key, signature) == (int32_t)flow;
}

static void destroy_tables(void *opaque)
{
    struct tables *tables = opaque;
    rte_hash_free(tables->hash);
    flow_table_close(&tables->buckets);
    rte_free(tables);
}

static void *create_tables(const struct stage_site *site)
{
    uint32_t flows = site->config->flows;
    struct tables *tables = rte_zmalloc_socket("classify", sizeof *tables, 0, site->socket);
    bool open = tables != NULL;
    if (open && site->config->flow_table == FLOW_TABLE_BUCKETS)
        open = flow_table_open(&tables->buckets, flows, site->socket);
    else if (open)
        open = (tables->hash = open_hash(flows, site->socket)) != NULL;
    if (!open) {
        rte_free(tables);
        return stage_fails(site, "no memory for a flow table of %u entries", flows);
    }
    for (uint32_t flow = 0; flow < flows; flow++) {
        if (!add_flow(tables, flow)) {
            destroy_tables(tables);
            return stage_fails(site, "flow %u does not fit into the flow table", flow);
        }
    }
    return tables;
}

/* Buckets, keys, free slots. */
static uint64_t table_bytes(const struct config *config)
{
    return config->flows * UINT64_C(96);
}

static SLOW_PATH drop_missed(struct burst *burst)
{
    const struct upstream_columns *columns = upstream_columns(burst);
    uint8_t verdict[BURST_MAX];
    for (uint16_t i = 0; i < burst->count; i++)
        verdict[i] = columns->flow[i] < 0 ? DROP_FLOW_MISS : DROP_NONE;
    burst_drop(burst, verdict);
}

static void find_in_hash(const struct rte_hash *hash, struct burst *burst)
{
    struct upstream_columns *columns = upstream_columns(burst);
    uint64_t key[BURST_MAX];
    const void *key_at[BURST_MAX]; /* rte_hash takes addresses */
    uint32_t count = burst->count;
    for (uint32_t i = 0; i < count; i++) {
        key[i] = flow_key_of(columns->flow_id[i]);
        key_at[i] = &key[i];
    }
    for (uint32_t first = 0; first < count; first += RTE_HASH_LOOKUP_BULK_MAX) {
        rte_hash_lookup_with_hash_bulk(hash, &key_at[first], &columns->signature[first],
                                       RTE_MIN(count - first, RTE_HASH_LOOKUP_BULK_MAX),
                                       &columns->flow[first]);
    }
}

static inline void find_in_buckets(const struct tables *tables, struct burst *burst)
{
    const struct flow_table table = tables->buckets; /* no store below can change it */
    struct upstream_columns *columns = upstream_columns(burst);
    uint32_t count = burst->count;
    BURST_UNROLL
    for (uint32_t i = 0; i < count; i++)
        columns->flow[i] = flow_table_find(&table, columns->flow_id[i], columns->signature[i]);
}

const struct flow_table *classify_buckets(const void *opaque)
{
    const struct tables *tables = opaque;
    return tables == NULL || tables->hash != NULL ? NULL : &tables->buckets;
}

STAGE_FUNCTION(classify)
{
    const struct tables *tables = context;
    if (tables->hash == NULL)
        find_in_buckets(tables, burst);
    else
        find_in_hash(tables->hash, burst);
    const int32_t *flow = upstream_columns(burst)->flow;
    int32_t any = 0; /* below zero as soon as one is */
    for (uint32_t i = 0; i < burst->count; i++)
        any |= flow[i];
    if (unlikely(any < 0))
        drop_missed(burst);
}

static const struct stage classify = {.name = "classify",
                                      .run = stage_classify,
                                      .needs = "key",
                                      .create = create_tables,
                                      .destroy = destroy_tables,
                                      .table_bytes = table_bytes};
STAGE_REGISTER(classify)
