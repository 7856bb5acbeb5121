/* SPDX-License-Identifier: Apache-2.0 */
#include "stage_clock.h"

enum { READINGS = 64 };

void stage_clock_open(struct stage_clock *clock, uint32_t every)
{
    uint64_t least = UINT64_MAX;
    for (int i = 0; i < READINGS; i++) {
        uint64_t first = rte_rdtsc(), second = rte_rdtsc();
        if (second - first < least)
            least = second - first;
    }
    uint32_t random = clock->random != 0 ? clock->random : (uint32_t)rte_rdtsc() | 1;
    *clock = (struct stage_clock){.every = every, .random = random, .cost = (uint32_t)least};
    stage_clock_wait(clock);
}

/* Marsaglia's xorshift of 32 bits (J. Stat. Software 8, 14, 2003). */
void stage_clock_wait(struct stage_clock *clock)
{
    clock->random ^= clock->random << 13;
    clock->random ^= clock->random >> 17;
    clock->random ^= clock->random << 5;
    clock->waits = clock->every > 0 ? 1 + clock->random % (2 * clock->every - 1) : 0;
}

void stage_clock_back(struct stage_clock *clock)
{
    struct stage_cycles *sums = &clock->sums, *now = &clock->now;
    uint64_t whole = stage_clock_part(clock, clock->left, rte_rdtsc());
    uint64_t others = now->tx + (uint64_t)clock->readings * clock->cost;
    sums->packets += now->packets;
    sums->bursts++;
    sums->rx += now->rx;
    sums->source += now->source;
    sums->tx += now->tx;
    sums->program += whole > others ? whole - others : 0;
    clock->running = false;
}
