/* SPDX-License-Identifier: Apache-2.0
 *
 * A working set as a cycle of pointers, a line each, in random order: what hardware prefetches
 * nothing of. `width` walkers follow it from places that are evenly apart, so that many misses are
 * in flight, and every line is touched once in a round.
 */
#ifndef PLANECAST_NEIGHBOUR_WALK_H
#define PLANECAST_NEIGHBOUR_WALK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "work.h"

struct walk {
    char *base;
    uint64_t mapped; /* bytes of the mapping */
    uint64_t lines;  /* of the set that the pointers make a cycle of; 0: none yet */
    unsigned width;  /* that `at` was placed for */
    void **at[MAX_WIDTH];
};

/* Memory for `bytes`, in 2 MiB pages where the kernel gives them; keeps what is large enough.
 * False without memory. */
bool walk_map(struct walk *walk, uint64_t bytes);

/* Makes the cycle over the first `bytes`, and places the walkers. False without memory. */
bool walk_build(struct walk *walk, uint64_t bytes, unsigned width);

/* So many steps of every walker. */
void walk_steps(struct walk *walk, unsigned steps);

void walk_unmap(struct walk *walk);

#endif
