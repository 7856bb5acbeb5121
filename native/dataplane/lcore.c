/* SPDX-License-Identifier: Apache-2.0 */
#include "lcore.h"

#include <rte_cycles.h>
#include <stdlib.h>

/* The clock is read between stages in one burst of `stage_clock` only: eight readings cost as much
 * as a stage does, and a sample tells the shares as well. */
static void forward_clocked(struct lcore *lcore, uint64_t started)
{
    struct burst *burst = &lcore->burst;
    uint64_t before = started;
    uint64_t now = rte_rdtsc();
    uint64_t elapsed[CLOCKS];
    elapsed[CLOCK_SOURCE] = now - before;
    uint32_t clock = 1;
    for (uint32_t i = 0; i < lcore->steps; i++) {
        before = now;
        lcore->step[i].run(lcore->step[i].tables, burst);
        now = rte_rdtsc();
        elapsed[clock++] = now - before;
    }
    before = now;
    stage_tx(&lcore->sink, burst);
    elapsed[clock++] = rte_rdtsc() - before;
    for (uint32_t i = 0; i < clock; i++) {
        lcore->stage_cycles[i] += elapsed[i] - RTE_MIN(elapsed[i], lcore->clock_cost);
    }
    lcore->sampled_packets += burst->received;
    lcore->sampled_bursts++;
}

void forward_burst(struct lcore *lcore)
{
    struct burst *burst = &lcore->burst;
    burst->now_tsc = rte_rdtsc();
    stage_source(&lcore->source, burst);
    lcore->packets_in += burst->received;
    if (unlikely(burst->received == 0)) {
        lcore->empty_polls++;
        return;
    }
    lcore->bursts++;
    if (unlikely(--lcore->until_clock == 0)) {
        lcore->until_clock = lcore->stage_clock;
        forward_clocked(lcore, burst->now_tsc);
        return;
    }
    for (uint32_t i = 0; i < lcore->steps; i++)
        lcore->step[i].run(lcore->step[i].tables, burst);
    stage_tx(&lcore->sink, burst);
}

void lcore_set_pipeline(struct lcore *lcore, const struct pipeline *pipeline, void *const *tables)
{
    lcore->steps = pipeline->length;
    lcore->burst.stages = 0;
    for (uint32_t i = 0; i < pipeline->length; i++) {
        uint8_t id = pipeline->order[i];
        lcore->step[i] = (struct step){stages[id].run, tables[id]};
        lcore->burst.stages |= 1U << id;
    }
}

static int by_value(const void *a, const void *b)
{
    uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
    return (x > y) - (x < y);
}

uint64_t clock_cost_cycles(void)
{
    enum { READINGS = 1000 };
    uint64_t cost[READINGS];
    for (int i = 0; i < READINGS; i++) {
        uint64_t before = rte_rdtsc();
        cost[i] = rte_rdtsc() - before;
    }
    qsort(cost, READINGS, sizeof *cost, by_value);
    return cost[READINGS / 4];
}
