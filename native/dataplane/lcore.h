/* SPDX-License-Identifier: Apache-2.0
 *
 * One forwarding lcore: its source, its sink, its pipeline, its counters. `forward_burst` is the
 * loop's body.
 */
#ifndef PLANECAST_LCORE_H
#define PLANECAST_LCORE_H

#include "burst.h"
#include "canary.h"
#include "handoff.h"
#include "instance.h"
#include "sink.h"
#include "source.h"
#include "stage.h"
#include "steady.h"

/* What the clock is read around: the source, each stage, the sink; where the pipeline is cut,
 * dequeuing and enqueuing in their place. A stage is known by its position in the function. */
#define CLOCK_OF(position) ((uint32_t)(position) + 1)
enum { CLOCK_SOURCE = 0, CLOCK_TX = STAGES_MAX + 1, CLOCK_DEQUEUE, CLOCK_ENQUEUE, CLOCKS };

/* "source", "acl", …, "tx", "dequeue", "enqueue". */
const char *clock_name(const struct function *function, uint32_t clock);

struct step {
    stage_run run;
    void *context;
    uint32_t clock;
    const struct stage *stage;
};

struct lcore {
    /* What the loop reads. */
    struct step step[STAGES_MAX];
    uint32_t steps;
    bool timed;                        /* a stage wants to know when the burst came */
    bool holds;                        /* a stage of them may hold packets back */
    uint32_t stage_clock, until_clock; /* bursts between two with clocks; 0: never */
    uint64_t clock_cost;               /* cycles that one reading takes */
    /* What it counts, since the start. */
    uint64_t packets_in, bursts, empty_polls;
    uint64_t sampled_packets, sampled_bursts;
    uint64_t ring_packets; /* that waited in the ring taken from, when sampled */
    uint64_t stage_cycles[CLOCKS], stage_packets[CLOCKS], stage_bursts[CLOCKS]; /* when sampled */
    struct burst burst;
    struct source *source; /* [sources]: asked one after the other */
    uint32_t sources, next_source;
    struct handoff *in;  /* in the sources' place; NULL: none */
    struct handoff out;  /* in the sink's place, when it has rings */
    uint16_t burst_most; /* that is taken from `in` */
    uint32_t waited;     /* packets in the ring that was taken from last */
    struct sink sink;
    struct canary canary;
    struct steady settled; /* before the last trial's windows */
    uint64_t began_tsc;    /* when those began */
    uint32_t index, cpu, lcore_id;
    int socket;               /* of the CPU; what the lcore works with is in this socket's memory */
    uint32_t chain, segment;  /* lcore_map.h */
    struct rte_mempool *pool; /* the chain's, on the socket of its first lcore */
} __rte_cache_aligned;

/* Pool, inputs, outputs, canary of lcore `index`, which follows `before` in its chain (NULL: it is
 * the first); false when there is no memory for them. What was made goes with lcore_close. */
bool lcore_open(struct lcore *lcore, const struct config *config, uint32_t index,
                struct lcore *before);
void lcore_close(struct lcore *lcore);

/* Takes one burst from the source through the pipeline to the sink. */
__attribute__((noinline)) void forward_burst(struct lcore *lcore);

/* Sends on what stages hold back. (Nothing comes in.) */
void flush_held(struct lcore *lcore);

/* What the next bursts pass: of the pipeline this lcore's segment. */
void lcore_set_pipeline(struct lcore *lcore, const struct config *config,
                        const struct stage_use *use);

/* What its bursts begin and end with. */
static inline uint32_t lcore_first_clock(const struct lcore *lcore)
{
    return lcore->in != NULL ? CLOCK_DEQUEUE : CLOCK_SOURCE;
}
static inline uint32_t lcore_last_clock(const struct lcore *lcore)
{
    return lcore->out.rings > 0 ? CLOCK_ENQUEUE : CLOCK_TX;
}

/* Cycles that reading the clock costs: the low quartile of many readings in a row. */
uint64_t clock_cost_cycles(void);

#endif
