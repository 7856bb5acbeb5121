/* SPDX-License-Identifier: Apache-2.0 */
#include "lcore.h"

#include <rte_cycles.h>
#include <rte_lcore.h>
#include <rte_malloc.h>
#include <stdlib.h>

#include "poison.h"

enum { MBUF_CACHE = 256 };

static struct rte_mempool *open_pool(const struct config *config, uint32_t index)
{
    char name[RTE_MEMPOOL_NAMESIZE];
    snprintf(name, sizeof name, "pool_%u", index);
    uint32_t room = RTE_MAX(config->frame_bytes, 2048U) + RTE_PKTMBUF_HEADROOM;
    return rte_pktmbuf_pool_create(name, config->mbufs, MBUF_CACHE, 0, (uint16_t)room,
                                   (int)rte_socket_id());
}

/* Every port's queue of this lcore, or the ports that are its own. */
static bool open_sources(struct lcore *lcore, const struct config *config)
{
    lcore->source =
        rte_calloc("sources", config->rx.count, sizeof *lcore->source, RTE_CACHE_LINE_SIZE);
    if (lcore->source == NULL)
        return false;
    for (uint32_t input = 0; input < config->rx.count; input++) {
        if (!config->rx_by_queue && input % config->lcore_count != lcore->index)
            continue;
        struct source *source = &lcore->source[lcore->sources++];
        if (!source_open(source, config, input, lcore->index, lcore->pool))
            return false;
    }
    return true;
}

bool lcore_open(struct lcore *lcore, const struct config *config, uint32_t index)
{
    burst_open(&lcore->burst);
    lcore->index = index;
    lcore->burst.lcore = (uint8_t)index;
    lcore->cpu = config->lcore_cpu[index];
    lcore->lcore_id = index + 1; /* lcore 0 is the main one */
    lcore->pool = open_pool(config, index);
    return lcore->pool != NULL && open_sources(lcore, config) &&
           sink_open(&lcore->sink, config, index, lcore->pool) &&
           canary_open(&lcore->canary, config->seed + index);
}

void lcore_close(struct lcore *lcore)
{
    for (uint32_t i = 0; i < lcore->sources; i++)
        source_close(&lcore->source[i]);
    rte_free(lcore->source);
    sink_close(&lcore->sink);
    canary_close(&lcore->canary);
    poison_end(lcore->pool);
    rte_mempool_free(lcore->pool);
}

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
    stage_source(&lcore->source[lcore->next_source], burst);
    if (++lcore->next_source == lcore->sources)
        lcore->next_source = 0;
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
        lcore->step[i] = (struct step){stages[id].run, tables[id], CLOCK_OF(id), &stages[id]};
        lcore->burst.stages |= 1U << id;
    }
}

void flush_held(struct lcore *lcore)
{
    struct burst *burst = &lcore->burst;
    for (uint32_t i = 0; i < lcore->steps; i++) {
        const struct step *step = &lcore->step[i];
        if (step->stage->flush == NULL)
            continue;
        burst->now_tsc = rte_rdtsc();
        burst->count = burst->received = 0;
        step->stage->flush(step->tables, burst);
        for (uint32_t j = i + 1; j < lcore->steps; j++)
            lcore->step[j].run(lcore->step[j].tables, burst);
        stage_tx(&lcore->sink, burst);
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
