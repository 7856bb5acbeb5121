/* SPDX-License-Identifier: Apache-2.0
 *
 * How many buffers a pool and each lcore's cache have is read from what DPDK prints of a pool,
 * which all releases do alike; what a cache looks like inside they do not have alike. Which of them
 * is this lcore's shows when a buffer is taken: it has one less, or had none and was filled.
 */
#include "fresh_cache.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "dpdk.h"

enum { LCORES = 1024, ENOUGH = 4 /* times as many buffers as are held */ };

struct pool_counts {
    unsigned buffers, size, cached[LCORES]; /* of all; of a cache; in each lcore's */
};

/* False when DPDK prints something else. */
static bool read_counts(const struct rte_mempool *pool, struct pool_counts *counts)
{
    char *text = NULL;
    size_t bytes = 0;
    unsigned lcore, count;
    FILE *out = open_memstream(&text, &bytes);
    *counts = (struct pool_counts){0};
    if (out == NULL)
        return false;
    DPDK(rte_mempool_dump)(out, (struct rte_mempool *)(uintptr_t)pool);
    fclose(out);
    for (char *rest = text, *line; (line = strsep(&rest, "\n")) != NULL;) {
        if (sscanf(line, " cache_count[%u]=%u", &lcore, &count) == 2 && lcore < LCORES)
            counts->cached[lcore] = count;
        else if (sscanf(line, " cache_size=%u", &count) == 1)
            counts->size = count;
        else if (sscanf(line, " populated_size=%u", &count) == 1)
            counts->buffers = count;
    }
    free(text);
    return counts->buffers > 0;
}

static bool take(struct held_buffers *held, eth_rx_burst_t receive, void *queue)
{
    bool taken = held->count < HELD_MOST && receive(queue, held->buffers + held->count, 1) == 1;
    held->count += taken;
    return taken;
}

/* The lcore whose cache a buffer was taken out of; LCORES: none that is certain. */
static unsigned taken_from(const struct pool_counts *before, const struct pool_counts *after)
{
    unsigned found = LCORES;
    for (unsigned lcore = 0; lcore < LCORES; lcore++) {
        unsigned had = before->cached[lcore], has = after->cached[lcore];
        if (had == has)
            continue;
        if (found != LCORES || !(has + 1 == had || (had == 0 && has == after->size)))
            return LCORES;
        found = lcore;
    }
    return found;
}

static void empty(struct held_buffers *held, eth_rx_burst_t receive, void *queue,
                  struct pool_counts *before, struct pool_counts *after)
{
    unsigned lcore = LCORES;
    for (int tried = 0; tried < 2 && lcore == LCORES; tried++) {
        const struct rte_mempool *pool = held->buffers[held->count - 1]->pool;
        if (!read_counts(pool, before) || !take(held, receive, queue) || !read_counts(pool, after))
            return;
        lcore = taken_from(before, after);
    }
    if (lcore == LCORES || after->cached[lcore] + held->count > after->buffers / ENOUGH)
        return;
    for (unsigned left = after->cached[lcore]; left > 0; left--)
        take(held, receive, queue);
}

uint32_t fresh_cache(struct held_buffers *held, eth_rx_burst_t receive, void *queue, uint16_t burst)
{
    void (*give_back)(struct rte_mbuf **, unsigned) = DPDK(rte_pktmbuf_free_bulk);
    if (give_back == NULL || DPDK(rte_mempool_dump) == NULL)
        return 0;
    if (held->count > 0)
        give_back(held->buffers, held->count);
    held->count = 0;
    struct pool_counts *counts = calloc(2, sizeof *counts);
    uint32_t buffers = 0;
    if (counts != NULL && take(held, receive, queue) &&
        read_counts(held->buffers[0]->pool, &counts[0])) {
        buffers = counts[0].buffers;
        if (counts[0].size > 0 && counts[0].size < (unsigned)RTE_MAX(SMALL_CACHE, 2 * burst))
            empty(held, receive, queue, &counts[0], &counts[1]);
    }
    free(counts);
    return buffers;
}
