/* SPDX-License-Identifier: Apache-2.0
 *
 * Flow classification: the flow key's entry in a hash of `flows` keys gives the flow id. A miss
 * drops.
 *
 * rte_hash looks a burst up in bulk with the signatures that key extraction left, so the key is
 * hashed once a packet. Its built-in comparison of eight-byte keys goes through memcmp; ours is one
 * compare.
 */
#include <errno.h>
#include <rte_errno.h>
#include <rte_hash.h>
#include <rte_lcore.h>

#include "../config.h"
#include "../headers.h"
#include "../signature.h"
#include "stages.h"

static int key_differs(const void *a, const void *b, size_t bytes)
{
    (void)bytes;
    return load64(a) != load64(b);
}

void *classify_create(const struct config *config, char *error, size_t error_bytes)
{
    struct rte_hash_parameters parameters = {
        .name = "flow_table",
        .entries = RTE_MAX(config->flows, 8U), /* rte_hash's smallest table is one bucket */
        .key_len = sizeof(uint64_t),
        .hash_func = NULL, /* every call brings its own signature */
        .socket_id = (int)rte_socket_id(),
        /* Buckets chain when full: every configured flow has an entry, whatever its signature. */
        .extra_flag = RTE_HASH_EXTRA_FLAGS_EXT_TABLE,
    };
    struct rte_hash *flows = rte_hash_create(&parameters);
    if (flows == NULL) {
        snprintf(error, error_bytes, "no memory for a flow table of %u entries", config->flows);
        return NULL;
    }
    rte_hash_set_cmp_func(flows, key_differs);
    for (uint32_t flow = 0; flow < config->flows; flow++) {
        uint64_t key = flow_key_of(flow);
        /* The position of a key is its flow id: the table counts its keys from 0, as we do. */
        int32_t position = rte_hash_add_key_with_hash(flows, &key, flow_signature(key));
        if (position != (int32_t)flow) {
            snprintf(error, error_bytes, "flow %u does not fit into the flow table: %s", flow,
                     position < 0 ? rte_strerror(-position) : "it is in another place");
            rte_hash_free(flows);
            return NULL;
        }
    }
    return flows;
}

void classify_destroy(void *tables)
{
    rte_hash_free(tables);
}

static SLOW_PATH drop_missed(struct burst *burst)
{
    uint8_t verdict[BURST_MAX];
    for (uint16_t i = 0; i < burst->count; i++)
        verdict[i] = burst->flow[i] < 0 ? DROP_FLOW_MISS : DROP_NONE;
    burst_drop(burst, verdict);
}

STAGE_FUNCTION stage_classify(void *tables, struct burst *burst)
{
    struct rte_hash *flows = tables;
    uint32_t count = burst->count;
    for (uint32_t first = 0; first < count; first += RTE_HASH_LOOKUP_BULK_MAX) {
        rte_hash_lookup_with_hash_bulk(flows, &burst->key_at[first], &burst->flow_signature[first],
                                       RTE_MIN(count - first, RTE_HASH_LOOKUP_BULK_MAX),
                                       &burst->flow[first]);
    }
    int32_t any = 0; /* below zero as soon as one is */
    for (uint32_t i = 0; i < count; i++)
        any |= burst->flow[i];
    if (unlikely(any < 0))
        drop_missed(burst);
}
