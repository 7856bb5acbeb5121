/* SPDX-License-Identifier: Apache-2.0
 *
 * The stations of a bridge: which port each MAC address was last seen at.
 *
 * A station is one word of 64 bits: address, port and the time when it was last seen. A bucket of
 * eight is one cache line, and two vector comparisons search it. A word is read and written whole,
 * so any number of lcores may look up while one writes. What a packet usually finds out about its
 * source is that its very word is there already: neither masked nor taken apart, it is compared.
 *
 *   bits 0-47 the address as its bytes lie in a frame | 48 there is one | 49-52 port | 53-63 stamp
 *
 * rte_hash takes three lines for it (bucket, key, what is known of it) and some 130 instructions.
 *
 * A station that finds its bucket full goes to a second one; if that is full too, or `capacity`
 * stations are known, it is not learned, and what is sent to it floods.
 */
#ifndef PLANECAST_STAGES_BRIDGE_H
#define PLANECAST_STAGES_BRIDGE_H

#include <assert.h>
#include <immintrin.h>
#include <rte_spinlock.h>
#include <stdbool.h>
#include <stdint.h>

#include "../burst.h"
#include "../config.h"
#include "../crc_hash.h"

enum {
    SLOTS = 8,
    SWEEP_BUCKETS = 64, /* searched for aged stations at once: 4 KiB, a microsecond */
    AGES = 8,           /* a station is gone after `ageing_s` and up to an eighth of it more */
};

#define ADDRESS_MASK ((UINT64_C(1) << 48) - 1)
#define GROUP_BIT    UINT64_C(1) /* of an address: not one station's */
#define THERE        (UINT64_C(1) << 48)
#define PORT_SHIFT   49
#define PORT_BITS    4
#define STAMP_SHIFT  53
#define STAMPS       (UINT64_C(1) << (64 - STAMP_SHIFT))
static_assert(PORTS_MAX <= 1 << PORT_BITS, "a station's port has its bits");

struct bucket {
    uint64_t slot[SLOTS]; /* 0: free */
} __rte_cache_aligned;

/* What happened at one port, as one lcore saw it. */
struct bridge_counters {
    uint64_t learned; /* stations that were new here */
    uint64_t moved;   /* stations that had been at another port */
    uint64_t aged;    /* stations that were not seen here for long enough */
    uint64_t full;    /* packets whose source found no place */
    uint64_t unknown; /* packets that flooded, for no station was known by their destination */
    uint64_t group;   /* packets that flooded, for they were to a group or to all */
};

struct bridge {
    struct bucket *buckets;
    uint64_t bucket_mask;
    uint64_t epoch;     /* how many eighths of the ageing time went by */
    uint64_t next_tick; /* TSC; the sweep's next step */
    rte_spinlock_t writer;
    /* Of the writer. */
    uint64_t tick_cycles, epoch_cycles, next_epoch;
    uint64_t sweep_bucket, sweep_epoch, swept_epoch; /* when this sweep began, and the last whole */
    uint64_t capacity, stations;
    struct bridge_counters *counters; /* [LCORES_MAX][PORTS_MAX] */
};

#define BRIDGE_COLUMNS(COLUMN)                                                                     \
    COLUMN(uint64_t, destination)         /* learn: the address as its bytes lie in a frame */     \
    COLUMN(const struct bucket *, bucket) /* learn: the destination's first one */

BURST_COLUMNS(bridge, BRIDGE_COLUMNS)

/* A bridge in a socket's memory; NULL when there is not enough. */
struct bridge *bridge_open(const struct config *config, int socket);
void bridge_close(struct bridge *bridge);

/* How many bytes it takes. */
uint64_t bridge_bytes(const struct config *config);

/* Counters of a port, summed over lcores. */
struct bridge_counters bridge_count(const struct bridge *bridge, uint32_t port);

/* The word of a station that is seen at this port now is its address with this. */
static inline uint64_t bridge_mark(const struct bridge *bridge, uint32_t port)
{
    uint64_t epoch = __atomic_load_n(&bridge->epoch, __ATOMIC_RELAXED);
    return THERE | (uint64_t)port << PORT_SHIFT | epoch << STAMP_SHIFT;
}

static inline struct bucket *bridge_bucket(const struct bridge *bridge, uint64_t address)
{
    return &bridge->buckets[crc_hash(address) & bridge->bucket_mask];
}

/* Which slots are this word, under a mask: a bit each. Other lcores may write during that time: a
 * word is then the old or the new one. */
static inline uint32_t bucket_find(const struct bucket *bucket, uint64_t word, uint64_t mask)
{
#if defined(__AVX512F__)
    __m512i slots = _mm512_load_si512(bucket->slot);
    return _mm512_cmpeq_epi64_mask(_mm512_and_si512(slots, _mm512_set1_epi64((int64_t)mask)),
                                   _mm512_set1_epi64((int64_t)word));
#elif defined(__AVX2__)
    __m256i masks = _mm256_set1_epi64x((int64_t)mask), words = _mm256_set1_epi64x((int64_t)word);
    const __m256i *slots = (const __m256i *)bucket->slot;
    __m256i low = _mm256_cmpeq_epi64(_mm256_and_si256(_mm256_load_si256(&slots[0]), masks), words);
    __m256i high = _mm256_cmpeq_epi64(_mm256_and_si256(_mm256_load_si256(&slots[1]), masks), words);
    return (uint32_t)_mm256_movemask_pd((__m256d)low) | (uint32_t)_mm256_movemask_pd((__m256d)high)
                                                            << (SLOTS / 2);
#else
    uint32_t found = 0;
    for (uint32_t i = 0; i < SLOTS; i++)
        found |= (uint32_t)((bucket->slot[i] & mask) == word) << i;
    return found;
#endif
}

/* Whether a slot is exactly this word. */
static inline bool bucket_has(const struct bucket *bucket, uint64_t word)
{
#if defined(__AVX2__) && !defined(__AVX512F__)
    __m256i words = _mm256_set1_epi64x((int64_t)word);
    const __m256i *slots = (const __m256i *)bucket->slot;
    __m256i found = _mm256_or_si256(_mm256_cmpeq_epi64(_mm256_load_si256(&slots[0]), words),
                                    _mm256_cmpeq_epi64(_mm256_load_si256(&slots[1]), words));
    return !_mm256_testz_si256(found, found);
#else
    return bucket_find(bucket, word, UINT64_MAX) != 0;
#endif
}

/* Seen `ageing_s` ago or longer. Stamps are modulo STAMPS, and so is their difference; with all
 * ones below its stamp, the mark lends none of it to what is below the other's. */
static inline bool bridge_aged(uint64_t word, uint64_t mark)
{
    return (mark | ((UINT64_C(1) << STAMP_SHIFT) - 1)) - word >= (AGES + UINT64_C(1))
                                                                     << STAMP_SHIFT;
}

/* The station's word, in whichever bucket it is; 0: not known, or aged. */
uint64_t bridge_find(const struct bridge *bridge, uint64_t address, uint64_t mark);

/* A packet of this station came in, whose word is not in its first bucket. */
void bridge_learn(struct bridge *bridge, uint64_t word, uint32_t lcore);

/* Once a burst: now and then a step of the sweep for aged stations. */
void bridge_step(struct bridge *bridge, uint64_t now_tsc, uint32_t lcore);
static inline void bridge_tick(struct bridge *bridge, uint64_t now_tsc, uint32_t lcore)
{
    if (unlikely(now_tsc >= __atomic_load_n(&bridge->next_tick, __ATOMIC_RELAXED)))
        bridge_step(bridge, now_tsc, lcore);
}

#endif
