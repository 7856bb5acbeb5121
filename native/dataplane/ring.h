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

#include "pktgen_qinq.h"

struct ring {
    struct rte_mbuf **slot; /* [size], a power of two */
    uint32_t size, next;
};

/* Fills it from the pool, on whose socket it is; false when that has not enough. */
static inline bool ring_open(struct ring *ring, uint32_t size, struct rte_mempool *pool)
{
    *ring = (struct ring){.size = size};
    ring->slot =
        rte_malloc_socket("ring", size * sizeof(*ring->slot), RTE_CACHE_LINE_SIZE, pool->socket_id);
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

/* Neither goes through an array of its own: what was stored in pieces of one size and is at once
 * loaded in pieces of another waits until the stores are in the cache. For bursts that are no
 * multiple of four that was 30 to 200 cycles a burst (docs/explanation/dataplane.md, "Bursts"). */

/* Buffers from the ring's next place on that lie side by side. */
static inline uint32_t ring_run(const struct ring *ring, uint32_t count)
{
    return RTE_MIN(count, ring->size - ring->next);
}

/* The `count` oldest into `out`, the first byte of each one's packet into `frame`; the pool's stand
 * in their place. Fewer when the pool runs out. */
static inline uint32_t ring_take(struct ring *ring, struct rte_mempool *pool,
                                 struct rte_mbuf **restrict out, uint8_t **restrict frame,
                                 uint32_t count)
{
    uint32_t left = count;
    while (left > 0) {
        uint32_t run = ring_run(ring, left);
        struct rte_mbuf **restrict slot = &ring->slot[ring->next];
        for (uint32_t i = 0; i < run; i++) {
            out[i] = slot[i];
            frame[i] = (uint8_t *)slot[i] + MBUF_TO_FRAME;
        }
        if (unlikely(rte_mempool_get_bulk(pool, (void **)slot, run) != 0)) {
            for (uint32_t i = 0; i < run; i++)
                slot[i] = out[i]; /* some of the pool's may have been written there */
            break;
        }
        ring->next = (ring->next + run) & (ring->size - 1);
        out += run;
        frame += run;
        left -= run;
    }
    return count - left;
}

/* `in` replaces the `count` oldest, which the pool gets. */
static inline void ring_give(struct ring *ring, struct rte_mempool *pool,
                             struct rte_mbuf *const *restrict in, uint32_t count)
{
    while (count > 0) {
        uint32_t run = ring_run(ring, count);
        struct rte_mbuf **slot = &ring->slot[ring->next];
        rte_mempool_put_bulk(pool, (void **)slot, run);
        for (uint32_t i = 0; i < run; i++)
            slot[i] = in[i];
        ring->next = (ring->next + run) & (ring->size - 1);
        in += run;
        count -= run;
    }
}

#endif
