/* SPDX-License-Identifier: Apache-2.0 */
#include "stage_clock.h"

enum { READINGS = 64 };

struct stage_clock stage_clock;

void stage_clock_open(uint32_t every)
{
    uint64_t least = UINT64_MAX;
    for (int i = 0; i < READINGS; i++) {
        uint64_t first = rte_rdtsc(), second = rte_rdtsc();
        if (second - first < least)
            least = second - first;
    }
    stage_clock = (struct stage_clock){.every = every, .waits = every, .cost = (uint32_t)least};
}

void stage_clock_back(void)
{
    struct stage_cycles *sums = &stage_clock.sums, *now = &stage_clock.now;
    uint64_t whole = stage_clock_part(stage_clock.left, rte_rdtsc());
    uint64_t others = now->tx + (uint64_t)stage_clock.readings * stage_clock.cost;
    sums->packets += now->packets;
    sums->bursts++;
    sums->rx += now->rx;
    sums->source += now->source;
    sums->tx += now->tx;
    sums->program += whole > others ? whole - others : 0;
    stage_clock.running = false;
}
