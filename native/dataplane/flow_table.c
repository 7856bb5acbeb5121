/* SPDX-License-Identifier: Apache-2.0 */
#include "flow_table.h"

#include <rte_common.h>
#include <rte_malloc.h>
#include <string.h>

/* On average. With signatures that fall by chance, two keys of a hundred stand in a bucket that
 * continues. */
enum { KEYS_PER_BUCKET = 4, BUCKETS_MIN = 8 };

bool flow_table_open(struct flow_table *table, uint32_t flows, int socket)
{
    uint32_t buckets = rte_align32pow2(RTE_MAX(flows / KEYS_PER_BUCKET, (uint32_t)BUCKETS_MIN));
    /* Every key has room even when all of them have one signature. */
    uint64_t size = (uint64_t)buckets + flows / FLOW_BUCKET_KEYS + 1;
    *table = (struct flow_table){
        .shift = 32 - rte_log2_u32(buckets), .used = buckets, .size = (uint32_t)size};
    table->buckets = rte_malloc_socket("flow_table", size * sizeof(struct flow_bucket),
                                       RTE_CACHE_LINE_SIZE, socket);
    if (table->buckets == NULL)
        return false;
    for (uint64_t i = 0; i < size; i++) {
        struct flow_bucket *bucket = &table->buckets[i];
        memset(bucket->key, 0xFF, sizeof bucket->key);
        bucket->next = 0;
    }
    return true;
}

void flow_table_close(struct flow_table *table)
{
    rte_free(table->buckets);
    *table = (struct flow_table){0};
}

bool flow_table_add(struct flow_table *table, uint32_t key, uint32_t signature, int32_t flow)
{
    struct flow_bucket *bucket = flow_table_bucket(table, signature);
    while (bucket->next != 0)
        bucket = &table->buckets[bucket->next];
    int place = 0;
    while (place < FLOW_BUCKET_KEYS && bucket->key[place] != FLOW_KEY_EMPTY)
        place++;
    if (place == FLOW_BUCKET_KEYS) {
        if (table->used == table->size)
            return false;
        bucket->next = table->used++;
        bucket = &table->buckets[bucket->next];
        place = 0;
    }
    bucket->key[place] = key;
    bucket->flow[place] = flow;
    return true;
}

int32_t flow_table_find_further(const struct flow_table *table, const struct flow_bucket *bucket,
                                uint32_t key)
{
    while (bucket->next != 0) {
        bucket = &table->buckets[bucket->next];
        int32_t flow = flow_bucket_find(bucket, key);
        if (flow != FLOW_NONE)
            return flow;
    }
    return FLOW_NONE;
}
