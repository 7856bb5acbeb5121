/* SPDX-License-Identifier: Apache-2.0
 *
 * A hash table of flow keys, made for bulk look-ups of keys whose signature is known.
 *
 * A key is kept as what can differ in it, the two VLAN ids: 24 bits. So a bucket is one cache line:
 * seven keys, seven flow ids, and the number of the bucket that continues where this one is full. A
 * key is in the bucket that its signature names, or in those that follow it, so a look-up touches
 * one line for most packets, and which one is known as soon as the signature is: key extraction
 * asks for it. One writer, before the first look-up.
 */
#ifndef PLANECAST_FLOW_TABLE_H
#define PLANECAST_FLOW_TABLE_H

#include <immintrin.h>
#include <rte_branch_prediction.h>
#include <rte_common.h>
#include <stdbool.h>
#include <stdint.h>

#include "crc_hash.h"

enum { FLOW_BUCKET_KEYS = 7, FLOW_NONE = -1 };

/* No VLAN ids are that. */
#define FLOW_KEY_EMPTY UINT32_MAX

struct flow_bucket {
    uint32_t key[FLOW_BUCKET_KEYS]; /* FLOW_KEY_EMPTY where there is none */
    uint32_t next; /* bucket that continues; 0: none, for the first bucket never does */
    int32_t flow[FLOW_BUCKET_KEYS];
} __rte_cache_aligned;

_Static_assert(sizeof(struct flow_bucket) == RTE_CACHE_LINE_SIZE, "a bucket is one cache line");

struct flow_table {
    struct flow_bucket *buckets; /* [2^(32 - shift)], then those that continue */
    uint32_t shift;
    uint32_t used, size; /* buckets, of all */
};

/* Room for `flows` keys in a socket's memory; false when there is not enough. */
bool flow_table_open(struct flow_table *table, uint32_t flows, int socket);
void flow_table_close(struct flow_table *table);

/* False when the table has no room any more. The key is not in it yet. */
bool flow_table_add(struct flow_table *table, uint32_t key, uint32_t signature, int32_t flow);

/* What a bucket is named by, of a flow key (headers.h). A CRC is linear: of keys that count up, its
 * low bits name a fourth of the buckets only, and half of the keys would stand in a bucket that
 * continues. Multiplied by 2^32 over the golden ratio (Knuth, The Art of Computer Programming
 * 3, 6.4), its high bits fall as if by chance. */
static inline uint32_t flow_table_signature(uint64_t flow_key)
{
    return crc_hash(flow_key) * UINT32_C(0x9E3779B1);
}

static inline struct flow_bucket *flow_table_bucket(const struct flow_table *table,
                                                    uint32_t signature)
{
    return &table->buckets[signature >> table->shift];
}

/* The flow id of a key in a bucket; FLOW_NONE when it is not in this one. */
static inline int32_t flow_bucket_find(const struct flow_bucket *bucket, uint32_t key)
{
#ifdef __AVX2__
    /* The eighth lane is `next`. */
    __m256i equal = _mm256_cmpeq_epi32(_mm256_load_si256((const __m256i *)bucket->key),
                                       _mm256_set1_epi32((int)key));
    uint32_t found = (uint32_t)_mm256_movemask_ps((__m256)equal) & ((1U << FLOW_BUCKET_KEYS) - 1);
    return likely(found != 0) ? bucket->flow[__builtin_ctz(found)] : FLOW_NONE;
#else
    for (int i = 0; i < FLOW_BUCKET_KEYS; i++) {
        if (bucket->key[i] == key)
            return bucket->flow[i];
    }
    return FLOW_NONE;
#endif
}

/* Continues where a bucket doesn't have the key. */
int32_t flow_table_find_further(const struct flow_table *table, const struct flow_bucket *bucket,
                                uint32_t key);

static inline int32_t flow_table_find(const struct flow_table *table, uint32_t key,
                                      uint32_t signature)
{
    const struct flow_bucket *bucket = flow_table_bucket(table, signature);
    int32_t flow = flow_bucket_find(bucket, key);
    return likely(flow != FLOW_NONE) ? flow : flow_table_find_further(table, bucket, key);
}

#endif
