/* SPDX-License-Identifier: Apache-2.0
 *
 * How many buffers each lcore's cache has is read from what DPDK prints of a pool, which all
 * releases do alike; what a cache looks like inside they do not have alike. Which of them is this
 * lcore's shows when a buffer is taken.
 */
#include "fresh_cache.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "dpdk.h"

enum { LCORES = 1024 };

struct cache_counts {
    unsigned size, of[LCORES];
};

/* False when DPDK prints something else. */
static bool read_counts(const struct rte_mempool *pool, struct cache_counts *counts)
{
    void (*dump)(FILE *, struct rte_mempool *) = DPDK(rte_mempool_dump);
    char *text = NULL;
    size_t bytes = 0;
    unsigned lcore, count;
    FILE *out = dump == NULL ? NULL : open_memstream(&text, &bytes);
    *counts = (struct cache_counts){0};
    if (out == NULL)
        return false;
    dump(out, (struct rte_mempool *)(uintptr_t)pool);
    fclose(out);
    for (char *rest = text, *line; (line = strsep(&rest, "\n")) != NULL;) {
        if (sscanf(line, " cache_count[%u]=%u", &lcore, &count) == 2 && lcore < LCORES)
            counts->of[lcore] = count;
        else if (sscanf(line, " cache_size=%u", &count) == 1)
            counts->size = count;
    }
    free(text);
    return counts->size > 0;
}

static bool take(struct held_buffers *held, eth_rx_burst_t receive, void *queue)
{
    bool taken =
        held->count < RTE_DIM(held->buffers) && receive(queue, held->buffers + held->count, 1) == 1;
    held->count += taken;
    return taken;
}

static void give_back(struct held_buffers *held)
{
    void (*free_bulk)(struct rte_mbuf **, unsigned) = DPDK(rte_pktmbuf_free_bulk);
    if (held->count > 0 && free_bulk != NULL)
        free_bulk(held->buffers, held->count);
    held->count = 0;
}

/* Buffers in the cache that the last of the held ones came out of; 0: it is no small one, or
 * nothing is known of it. */
static unsigned left_in_cache(struct held_buffers *held, eth_rx_burst_t receive, void *queue)
{
    static __thread struct cache_counts before, after; /* 8 KiB are much of some stacks */
    const struct rte_mempool *pool = held->buffers[held->count - 1]->pool;
    if (!read_counts(pool, &before) || before.size > SMALL_CACHE || !take(held, receive, queue) ||
        !read_counts(pool, &after))
        return 0;
    for (unsigned lcore = 0; lcore < LCORES; lcore++)
        if (before.of[lcore] != after.of[lcore])
            return after.of[lcore];
    return 0;
}

void fresh_cache(struct held_buffers *held, eth_rx_burst_t receive, void *queue)
{
    give_back(held);
    if (!take(held, receive, queue))
        return;
    for (unsigned left = left_in_cache(held, receive, queue); left > 0; left--)
        take(held, receive, queue);
}
