/*
 * The throughput canary: six independent chains of add and xor, twelve operations a round.
 *
 * It fills every integer port of a core, so it slows down as soon as somebody else runs on the same
 * physical core (a hyper-thread sibling that a guest can't see), and it touches no memory. A chain
 * of dependent operations would be blind to that: it leaves most ports empty.
 */
#ifndef PLANECAST_PROBE_CANARY_H
#define PLANECAST_PROBE_CANARY_H

#include <stdint.h>

#include "clock.h"

/* About 14 microseconds: long compared with the clock reading, short compared with what disturbs.
 */
#define CANARY_ROUNDS 15000

/* TSC cycles a round. */
static inline double canary_run(void)
{
    uint64_t a = 1, b = 2, c = 3, d = 4, e = 5, f = 6;
    uint64_t step = 0x9e3779b97f4a7c15u;
    uint64_t before = clock_cycles();
    for (uint32_t i = 0; i < CANARY_ROUNDS; i++) {
        /* One asm block a round: the compiler can neither fold nor vectorise it. */
        __asm__ volatile("addq %6, %0\n\taddq %6, %1\n\taddq %6, %2\n\t"
                         "addq %6, %3\n\taddq %6, %4\n\taddq %6, %5\n\t"
                         "xorq %6, %0\n\txorq %6, %1\n\txorq %6, %2\n\t"
                         "xorq %6, %3\n\txorq %6, %4\n\txorq %6, %5"
                         : "+r"(a), "+r"(b), "+r"(c), "+r"(d), "+r"(e), "+r"(f)
                         : "r"(step)
                         : "cc");
    }
    return (double)(clock_cycles() - before) / CANARY_ROUNDS;
}

#endif
