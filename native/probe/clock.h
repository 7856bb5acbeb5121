/* The time-stamp counter, read so that what is timed lies between the two readings. */
#ifndef PLANECAST_PROBE_CLOCK_H
#define PLANECAST_PROBE_CLOCK_H

#include <stdint.h>
#include <time.h>
#include <x86intrin.h>

/* TSC cycles; everything before has finished, nothing after has begun. */
static inline uint64_t clock_cycles(void)
{
    unsigned int core;
    _mm_lfence();
    uint64_t cycles = __rdtscp(&core);
    _mm_lfence();
    return cycles;
}

/* Nanoseconds of the clock that NTP does not slew. */
static inline uint64_t clock_ns(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC_RAW, &now);
    return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
}

struct clock_pair {
    uint64_t cycles;
    uint64_t ns;
};

/* Both clocks at one instant: of many tries the one with the shortest time between the readings. */
static inline struct clock_pair clock_both(void)
{
    struct clock_pair best = {0, 0};
    uint64_t shortest = UINT64_MAX;
    for (int i = 0; i < 100; i++) {
        uint64_t before = clock_cycles();
        uint64_t ns = clock_ns();
        uint64_t after = clock_cycles();
        if (after - before < shortest) {
            shortest = after - before;
            best = (struct clock_pair){before + (after - before) / 2, ns};
        }
    }
    return best;
}

static inline double clock_tsc_hz(struct clock_pair start, struct clock_pair end)
{
    return (double)(end.cycles - start.cycles) * 1e9 / (double)(end.ns - start.ns);
}

/* Over two milliseconds: near enough to choose a deadline. */
static inline double clock_about_tsc_hz(void)
{
    struct clock_pair start = clock_both(), end;
    do
        end = clock_both();
    while (end.ns - start.ns < 2000000);
    return clock_tsc_hz(start, end);
}

#endif
