/* Whether two CPUs share a physical core: measured, because a hypervisor may hide it. */
#ifndef PLANECAST_PROBE_SIBLINGS_H
#define PLANECAST_PROBE_SIBLINGS_H

#include <stdbool.h>
#include <stddef.h>

#define SIBLING_PHASES  20
#define SIBLING_CHUNKS  40 /* canaries a phase */
#define SIBLING_SAMPLES (SIBLING_PHASES * SIBLING_CHUNKS)

struct sibling_test {
    int cpu, other;
    bool listed; /* the kernel says they are siblings */
    size_t count;
    float alone[SIBLING_SAMPLES]; /* canaries of `cpu`, TSC cycles a round, while `other` is idle */
    float both[SIBLING_SAMPLES];  /* while `other` runs the same */
};

/* Takes about 50 ms; the caller runs on `cpu`. False if no thread could be put on `other`. */
bool siblings_measure(struct sibling_test *test, int cpu, int other);

#endif
