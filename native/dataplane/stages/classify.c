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
#include <errno.h>
#include <rte_errno.h>
#include <rte_hash.h>
#include <rte_lcore.h>

#include "../config.h"
#include "../headers.h"
#include "../signature.h"
#include "classify.h"
#include "stages.h"

struct classify_tables classify_tables;

static int key_differs(const void *a, const void *b, size_t bytes)
{
    (void)bytes;
    return load64(a) != load64(b);
}

static bool open_hash(uint32_t flows)
{
    struct rte_hash_parameters parameters = {
        .name = "flow_table",
        .entries = RTE_MAX(flows, 8U), /* rte_hash's smallest table is one bucket */
        .key_len = sizeof(uint64_t),
        .hash_func = NULL, /* every call brings its own signature */
        .socket_id = (int)rte_socket_id(),
        /* Buckets chain when full: every configured flow has an entry, whatever its signature. */
        .extra_flag = RTE_HASH_EXTRA_FLAGS_EXT_TABLE,
    };
    classify_tables.hash = rte_hash_create(&parameters);
    if (classify_tables.hash != NULL)
        rte_hash_set_cmp_func(classify_tables.hash, key_differs);
    return classify_tables.hash != NULL;
}

static bool add_flow(uint32_t flow)
{
    uint64_t key = flow_key_of(flow);
    uint32_t signature = flow_signature(key);
    if (classify_tables.hash == NULL)
        return flow_table_add(&classify_tables.buckets, (uint32_t)flow_id_of(key), signature,
                              (int32_t)flow);
    /* The position of a key is its flow id: the table counts its keys from 0, as we do. */
    return rte_hash_add_key_with_hash(classify_tables.hash, &key, signature) == (int32_t)flow;
}

void *classify_create(const struct config *config, char *error, size_t error_bytes)
{
    bool open = config->flow_table == FLOW_TABLE_BUCKETS
                    ? flow_table_open(&classify_tables.buckets, config->flows)
                    : open_hash(config->flows);
    if (!open) {
        snprintf(error, error_bytes, "no memory for a flow table of %u entries", config->flows);
        return NULL;
    }
    for (uint32_t flow = 0; flow < config->flows; flow++) {
        if (!add_flow(flow)) {
            snprintf(error, error_bytes, "flow %u does not fit into the flow table", flow);
            classify_destroy(&classify_tables);
            return NULL;
        }
    }
    return &classify_tables;
}

void classify_destroy(void *tables)
{
    (void)tables;
    rte_hash_free(classify_tables.hash);
    classify_tables.hash = NULL;
    flow_table_close(&classify_tables.buckets);
}

static SLOW_PATH drop_missed(struct burst *burst)
{
    uint8_t verdict[BURST_MAX];
    for (uint16_t i = 0; i < burst->count; i++)
        verdict[i] = burst->flow[i] < 0 ? DROP_FLOW_MISS : DROP_NONE;
    burst_drop(burst, verdict);
}

static void find_in_hash(struct burst *burst)
{
    const void *key_at[BURST_MAX]; /* rte_hash takes addresses */
    uint32_t count = burst->count;
    for (uint32_t i = 0; i < count; i++)
        key_at[i] = &burst->flow_key[i];
    for (uint32_t first = 0; first < count; first += RTE_HASH_LOOKUP_BULK_MAX) {
        rte_hash_lookup_with_hash_bulk(
            classify_tables.hash, &key_at[first], &burst->flow_signature[first],
            RTE_MIN(count - first, RTE_HASH_LOOKUP_BULK_MAX), &burst->flow[first]);
    }
}

static inline void find_in_buckets(struct burst *burst)
{
    const struct flow_table table = classify_tables.buckets; /* no store below can change it */
    uint32_t count = burst->count;
    BURST_UNROLL
    for (uint32_t i = 0; i < count; i++)
        burst->flow[i] = flow_table_find(&table, (uint32_t)flow_id_of(burst->flow_key[i]),
                                         burst->flow_signature[i]);
}

STAGE_FUNCTION stage_classify(void *tables, struct burst *burst)
{
    (void)tables;
    if (classify_tables.hash == NULL)
        find_in_buckets(burst);
    else
        find_in_hash(burst);
    int32_t any = 0; /* below zero as soon as one is */
    for (uint32_t i = 0; i < burst->count; i++)
        any |= burst->flow[i];
    if (unlikely(any < 0))
        drop_missed(burst);
}
