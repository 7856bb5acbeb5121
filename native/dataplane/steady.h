/* SPDX-License-Identifier: Apache-2.0
 *
 * Whether a pipeline's cost is steady: blocks of packets that follow each other cost the same.
 *
 * A block is a whole round of the largest table's cycle, so all blocks do the same work. Caches
 * fill over many rounds where the last level is shared: a cost still fell by 2 % a round after
 * eight of them (docs/explanation/measuring.md). Medians, because a block that was interrupted says
 * nothing.
 */
#ifndef PLANECAST_STEADY_H
#define PLANECAST_STEADY_H

#include <stdbool.h>
#include <stdint.h>

/* The medians of so many blocks and of as many before them differ by no more than the tolerance. */
enum { STEADY_BLOCKS = 4, STEADY_PARTS = 8 /* of a block, whose median is its cost */ };
#define STEADY_TOLERANCE 0.005

struct steady {
    double cost[2 * STEADY_BLOCKS]; /* of the last blocks: block i is at i % (2 * STEADY_BLOCKS) */
    double first;                   /* the first block's cost */
    uint32_t blocks;                /* so far */
    bool steady;
};

/* Median of so many values, at least one; sorts them. */
double steady_median(double *cost, uint32_t count);

/* Adds a block's cost, in any unit; true when it is steady with it. */
bool steady_add(struct steady *steady, double cost);

/* Median cost of the last blocks, STEADY_BLOCKS at the most; 0 when there are none. */
double steady_cost(const struct steady *steady);

#endif
