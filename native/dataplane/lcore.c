/* SPDX-License-Identifier: Apache-2.0 */
#include "lcore.h"

#include <rte_cycles.h>
#include <stdlib.h>

const char *clock_name(uint32_t clock)
{
    if (clock == CLOCK_SOURCE)
        return "source";
    return clock == CLOCK_TX ? "tx" : stages[clock - CLOCK_OF(0)].name;
}

/* Counts what ran between two readings on `packets` packets; the cost of a reading is taken off. */
static void count_clock(struct lcore *lcore, uint32_t clock, uint64_t cycles, uint16_t packets)
{
    lcore->stage_cycles[clock] += cycles - RTE_MIN(cycles, lcore->clock_cost);
    lcore->stage_packets[clock] += packets;
    lcore->stage_bursts[clock]++;
}

/* The clock is read between stages in one burst of `stage_clock` only: eight readings cost as much
 * as a stage does, and a sample tells the shares as well. */
static void forward_clocked(struct lcore *lcore, uint64_t started)
{
    struct burst *burst = &lcore->burst;
    uint64_t reading[CLOCKS + 1] = {started, rte_rdtsc()};
    uint16_t packets[CLOCKS] = {burst->received};
    uint32_t steps = lcore->steps;
    for (uint32_t i = 0; i < steps; i++) {
        packets[i + 1] = burst->count;
        lcore->step[i].run(lcore->step[i].tables, burst);
        reading[i + 2] = rte_rdtsc();
    }
    packets[steps + 1] = burst->count;
    stage_tx(&lcore->sink, burst);
    reading[steps + 2] = rte_rdtsc();
    count_clock(lcore, CLOCK_SOURCE, reading[1] - reading[0], packets[0]);
    for (uint32_t i = 0; i < steps; i++) {
        count_clock(lcore, lcore->step[i].clock, reading[i + 2] - reading[i + 1], packets[i + 1]);
    }
    count_clock(lcore, CLOCK_TX, reading[steps + 2] - reading[steps + 1], packets[steps + 1]);
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
        lcore->step[i] = (struct step){stages[id].run, tables[id], CLOCK_OF(id)};
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
