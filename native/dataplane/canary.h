/* SPDX-License-Identifier: Apache-2.0
 *
 * Two fixed pieces of work whose cost shows what state the machine is in, next to every window.
 *
 * The compute canary is throughput-bound (six independent chains of add and xor), because that is
 * what a busy hyper-thread sibling halves; a dependent chain is blind to it. It reads the same
 * number of cycles a round to three digits as long as the core is ours. The chase follows pointers
 * at random through 8 MB, so it shows the latency beyond the private caches; it takes 64 hops, too
 * few to disturb what is cached.
 */
#ifndef PLANECAST_CANARY_H
#define PLANECAST_CANARY_H

#include <stdbool.h>
#include <stdint.h>

enum { CANARY_ROUNDS = 6000, CHASE_HOPS = 64, CHASE_BYTES = 8 << 20 };

struct canary {
    uint32_t *next; /* [CHASE_BYTES / 64 * 16]: a random cycle over cache lines */
    uint32_t position;
};

bool canary_open(struct canary *canary, uint64_t seed);
void canary_close(struct canary *canary);

/* TSC cycles a round, and a hop. */
double canary_compute(void);
double canary_chase(struct canary *canary);

#endif
