/* SPDX-License-Identifier: Apache-2.0
 *
 * A ring of packet buffers, as a NIC's descriptors hold them: it is always full, and whoever puts
 * some in takes as many out, the oldest first. Copied in runs, not one by one: a burst is a few
 * vector moves.
 */
#ifndef PLANECAST_RING_H
#define PLANECAST_RING_H

#include <rte_common.h>
#include <rte_malloc.h>
#include <rte_mbuf.h>
#include <stdbool.h>
#include <stdint.h>
#include <string.h>

struct ring {
    struct rte_mbuf **slot; /* [size], a power of two */
    uint32_t size, next;
};

/* Fills it from the pool; false when that has not enough. */
static inline bool ring_open(struct ring *ring, uint32_t size, struct rte_mempool *pool)
{
    *ring = (struct ring){.size = size};
    ring->slot = rte_malloc("ring", size * sizeof(*ring->slot), RTE_CACHE_LINE_SIZE);
    if (ring->slot != NULL && rte_mempool_get_bulk(pool, (void **)ring->slot, size) == 0)
        return true;
    rte_free(ring->slot);
    ring->slot = NULL; /* nothing in it is the pool's: closing must not give it back */
    return false;
}

static inline void ring_close(struct ring *ring, struct rte_mempool *pool)
{
    if (ring->slot == NULL)
        return;
    rte_mempool_put_bulk(pool, (void **)ring->slot, ring->size);
    rte_free(ring->slot);
    ring->slot = NULL;
}

/* One after the other, as the compiler makes vectors of it: for a burst that is less than two calls
 * of memcpy. */
static inline void ring_exchange_run(struct rte_mbuf **restrict slot,
                                     struct rte_mbuf *const *restrict in,
                                     struct rte_mbuf **restrict out, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++) {
        struct rte_mbuf *oldest = slot[i];
        slot[i] = in[i];
        out[i] = oldest;
    }
}

/* Takes the `count` oldest out into `out` and puts `in` in their place. */
static inline void ring_exchange(struct ring *ring, struct rte_mbuf *const *in,
                                 struct rte_mbuf **out, uint32_t count)
{
    while (count > 0) {
        uint32_t run = RTE_MIN(count, ring->size - ring->next);
        ring_exchange_run(&ring->slot[ring->next], in, out, run);
        ring->next = (ring->next + run) & (ring->size - 1);
        in += run;
        out += run;
        count -= run;
    }
}

#endif
