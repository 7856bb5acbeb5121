/* SPDX-License-Identifier: Apache-2.0
 *
 * Turns of a loop that took longer than any work of theirs: its CPU was away, for another thread,
 * an interrupt, or another guest.
 */
#ifndef PLANECAST_GENERATOR_STALLS_H
#define PLANECAST_GENERATOR_STALLS_H

#include <stdbool.h>
#include <stdint.h>

struct stalls {
    uint64_t longer_than; /* cycles */
    uint64_t from, until; /* of the run: what of a stall lies in it counts */
    uint64_t last;        /* when the turn before began; 0: there was none */
    uint64_t count, cycles, longest;
    uint64_t unsent; /* packets that were due during that time, and are given up */
} __attribute__((aligned(64)));

/* At the beginning of a turn: whether there was a stall before it. */
static inline bool stalls_notice(struct stalls *stalls, uint64_t now)
{
    uint64_t last = stalls->last, cycles = now > last ? now - last : 0;
    stalls->last = now;
    if (__builtin_expect(cycles <= stalls->longer_than || last == 0, 1) || now <= stalls->from ||
        last >= stalls->until)
        return false;
    last = last < stalls->from ? stalls->from : last;
    cycles = (now < stalls->until ? now : stalls->until) - last;
    stalls->count++;
    stalls->cycles += cycles;
    stalls->longest = cycles > stalls->longest ? cycles : stalls->longest;
    return true;
}

#endif
