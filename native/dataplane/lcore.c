/* SPDX-License-Identifier: Apache-2.0 */
#include "lcore.h"

#include <rte_cycles.h>
#include <rte_lcore.h>
#include <rte_malloc.h>
#include <stdlib.h>
#include <string.h>

#include "asan.h"
#include "buffers.h"
#include "lcore_map.h"
#include "sockets.h"

enum { MBUF_CACHE = 256 };

static struct rte_mempool *open_pool(const struct config *config, uint32_t index, int socket)
{
    char name[RTE_MEMPOOL_NAMESIZE];
    snprintf(name, sizeof name, "pool_%u", index);
    uint32_t room = RTE_MAX(config->frame_bytes, 2048U) + RTE_PKTMBUF_HEADROOM;
    return buffers_open(name, config->mbufs, MBUF_CACHE, (uint16_t)room, socket);
}

/* Every port's queue of this lcore, or the ports that are its own. */
static bool open_sources(struct lcore *lcore, const struct config *config)
{
    lcore->source = rte_calloc_socket("sources", config->rx.count, sizeof *lcore->source,
                                      RTE_CACHE_LINE_SIZE, lcore->socket);
    if (lcore->source == NULL)
        return false;
    for (uint32_t input = 0; input < config->rx.count; input++) {
        if (!config->rx_by_queue && input % chains_of(config) != lcore->chain)
            continue;
        struct source *source = &lcore->source[lcore->sources++];
        if (!source_open(source, config, input, lcore->chain, lcore->pool))
            return false;
    }
    return true;
}

bool lcore_open(struct lcore *lcore, const struct config *config, uint32_t index,
                struct lcore *before)
{
    uint32_t segments = segments_of(config);
    lcore->index = index;
    lcore->burst.lcore = (uint8_t)index;
    lcore->cpu = config->lcores.cpu[index];
    lcore->socket = socket_of_lcore(config, index);
    lcore->lcore_id = index + 1; /* lcore 0 is the main one */
    lcore->chain = index / segments;
    lcore->segment = index % segments;
    lcore->in = before == NULL ? NULL : &before->out;
    lcore->pool = before == NULL ? open_pool(config, index, lcore->socket) : before->pool;
    bool last = lcore->segment == segments - 1;
    return lcore->pool != NULL && (before != NULL || open_sources(lcore, config)) &&
           (last ? sink_open(&lcore->sink, config, lcore->chain, lcore->pool)
                 : handoff_open(&lcore->out, config, index, lcore->socket)) &&
           canary_open(&lcore->canary, config->seed + index);
}

void lcore_close(struct lcore *lcore)
{
    for (uint32_t i = 0; i < lcore->sources; i++)
        source_close(&lcore->source[i]);
    rte_free(lcore->source);
    sink_close(&lcore->sink);
    handoff_close(&lcore->out);
    canary_close(&lcore->canary);
    if (lcore->in != NULL)
        return; /* the pool is the first one's */
    poison_end(lcore->pool);
    rte_mempool_free(lcore->pool);
}

const char *clock_name(const struct function *function, uint32_t clock)
{
    if (clock == CLOCK_SOURCE)
        return "source";
    if (clock == CLOCK_DEQUEUE)
        return "dequeue";
    if (clock == CLOCK_ENQUEUE)
        return "enqueue";
    return clock == CLOCK_TX ? "tx" : function->stages[clock - CLOCK_OF(0)];
}

/* Counts what ran between two readings on `packets` packets; the cost of a reading is taken off. */
static void count_clock(struct lcore *lcore, uint32_t clock, uint64_t cycles, uint16_t packets)
{
    lcore->stage_cycles[clock] += cycles - RTE_MIN(cycles, lcore->clock_cost);
    lcore->stage_packets[clock] += packets;
    lcore->stage_bursts[clock]++;
}

static inline void receive(struct lcore *lcore, struct burst *burst)
{
    if (lcore->in != NULL) {
        lcore->waited = stage_dequeue(lcore->in, burst, lcore->burst_most);
        return;
    }
    stage_source(&lcore->source[lcore->next_source], burst);
    if (++lcore->next_source == lcore->sources)
        lcore->next_source = 0;
}

static inline void send_on(struct lcore *lcore, struct burst *burst)
{
    if (lcore->out.rings > 0)
        stage_enqueue(&lcore->out, burst);
    else
        stage_tx(&lcore->sink, burst);
}

/* The clock is read between stages in one burst of `stage_clock` only: eight readings cost as much
 * as a stage does, and a sample shows the shares as well. */
static void forward_clocked(struct lcore *lcore, uint64_t started)
{
    struct burst *burst = &lcore->burst;
    uint64_t reading[CLOCKS + 1] = {started, rte_rdtsc()};
    uint16_t packets[CLOCKS] = {burst->received};
    uint32_t steps = lcore->steps;
    for (uint32_t i = 0; i < steps; i++) {
        packets[i + 1] = burst->count;
        lcore->step[i].run(lcore->step[i].context, burst);
        reading[i + 2] = rte_rdtsc();
    }
    packets[steps + 1] = burst->count;
    send_on(lcore, burst);
    reading[steps + 2] = rte_rdtsc();
    count_clock(lcore, lcore_first_clock(lcore), reading[1] - reading[0], packets[0]);
    for (uint32_t i = 0; i < steps; i++) {
        count_clock(lcore, lcore->step[i].clock, reading[i + 2] - reading[i + 1], packets[i + 1]);
    }
    count_clock(lcore, lcore_last_clock(lcore), reading[steps + 2] - reading[steps + 1],
                packets[steps + 1]);
    lcore->sampled_packets += burst->received;
    lcore->ring_packets += lcore->waited;
    lcore->sampled_bursts++;
}

void forward_burst(struct lcore *lcore)
{
    struct burst *burst = &lcore->burst;
    bool clocked = lcore->until_clock == 1;
    if (lcore->timed || clocked) /* a reading costs as much as forwarding a packet does */
        burst->now_tsc = rte_rdtsc();
    receive(lcore, burst);
    lcore->packets_in += burst->received;
    if (unlikely(burst->received == 0)) {
        lcore->empty_polls++;
        if (lcore->holds) /* what a scheduler holds must go when its time comes, packets or none */
            flush_held(lcore);
        return;
    }
    lcore->bursts++;
    lcore->until_clock--; /* from 0: not for a long time */
    if (unlikely(clocked)) {
        lcore->until_clock = lcore->stage_clock;
        forward_clocked(lcore, burst->now_tsc);
        return;
    }
    const struct step *end = &lcore->step[lcore->steps];
    for (const struct step *step = lcore->step; step < end; step++)
        step->run(step->context, burst);
    send_on(lcore, burst);
}

void lcore_set_pipeline(struct lcore *lcore, const struct config *config,
                        const struct stage_use *use)
{
    const struct pipeline *pipeline = use->pipeline;
    lcore->steps = 0;
    lcore->timed = false;
    lcore->holds = false;
    lcore->sink.chooses = pipeline_chooses(pipeline);
    lcore->burst.columns = pipeline->function->columns;
    /* A column that no stage of the pipeline fills is zero. */
    memset(lcore->burst.of_function, 0, sizeof lcore->burst.of_function);
    for (uint32_t i = 0; i < lcore->sources; i++)
        lcore->source[i].unread = pipeline->length == 0;
    for (uint32_t i = 0; i < pipeline->length; i++) {
        uint8_t position = pipeline->order[i];
        const struct stage *stage = use->instances[position].stage;
        void *context = use->instances[position].context[lcore->chain];
        lcore->timed |= stage->timed;
        if (segment_of(config, position) != lcore->segment)
            continue;
        if (stage->prepare != NULL)
            stage->prepare(context, use);
        lcore->step[lcore->steps++] = (struct step){stage->run, context, CLOCK_OF(position), stage};
        lcore->holds |= stage->flush != NULL;
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
        step->stage->flush(step->context, burst);
        for (uint32_t j = i + 1; j < lcore->steps; j++)
            lcore->step[j].run(lcore->step[j].context, burst);
        send_on(lcore, burst);
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
