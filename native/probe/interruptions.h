/* How CPUs are taken from a program that only computes: by interrupts, the kernel, the host. */
#ifndef PLANECAST_PROBE_INTERRUPTIONS_H
#define PLANECAST_PROBE_INTERRUPTIONS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

enum { INTERRUPTIONS_CPUS = 16, INTERRUPTIONS_MOST = 1 << 17 };

struct interruption {
    uint64_t start, cycles; /* since all CPUs began, TSC */
};

struct interruptions {
    int cpu;
    size_t count;
    struct interruption *list; /* room for INTERRUPTIONS_MOST */
};

/* Spins on all these CPUs at once for so long and writes, as one JSON object, when each of them was
 * away from its loop for more than a microsecond. False, with errno, when it can't be there. */
bool interruptions_watch(FILE *out, const int *cpus, size_t count, double seconds,
                         const volatile int *stop);

#endif
