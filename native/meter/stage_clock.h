/* SPDX-License-Identifier: Apache-2.0
 *
 * Sampled polls whose parts are timed: the driver's receive function, the frames that are made, the
 * other port's send function, and the rest, which is the program's. One poll in `every`, at random
 * distances: a program may send only every so many polls. What a reading of the clock takes is
 * taken off.
 */
#ifndef PLANECAST_METER_STAGE_CLOCK_H
#define PLANECAST_METER_STAGE_CLOCK_H

#include <rte_branch_prediction.h>
#include <rte_cycles.h>
#include <stdbool.h>
#include <stdint.h>

struct stage_cycles {
    uint64_t packets, bursts; /* of the sampled polls */
    uint64_t rx, source, program, tx;
};

struct stage_clock {
    struct stage_cycles sums, now; /* of the trial; of the poll that runs */
    uint64_t left;                 /* when the program was given the packets */
    uint32_t every, waits;         /* 0: none is timed; polls until the next one */
    uint32_t random;               /* state of the distances */
    bool running;                  /* the program has the packets of a sampled poll */
    uint32_t cost, readings;       /* TSC cycles of a reading; those of this poll in the program */
};

/* Forgets all but the distances' state; measures the clock. */
void stage_clock_open(struct stage_clock *clock, uint32_t every);

/* The program is back from a sampled poll. */
void stage_clock_back(struct stage_clock *clock);

/* A poll was timed: how many polls the next one is away, 1 to 2 * every - 1. */
void stage_clock_wait(struct stage_clock *clock);

/* At a poll: whether this one is to be timed. */
static inline bool stage_clock_due(struct stage_clock *clock)
{
    if (unlikely(clock->running))
        stage_clock_back(clock);
    return clock->every > 0 && unlikely(--clock->waits == 0);
}

/* The time between two readings without what a reading takes. */
static inline uint64_t stage_clock_part(const struct stage_clock *clock, uint64_t from, uint64_t to)
{
    uint64_t whole = to - from;
    return whole > clock->cost ? whole - clock->cost : 0;
}

#endif
