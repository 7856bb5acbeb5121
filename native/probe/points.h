/*
 * Points: what the probe measures, each in many short slices, all points in turns.
 *
 * Other tenants disturb from milliseconds to minutes at a time. A slice is short enough that most
 * are untouched, has a canary on both sides that shows which, and the turns spread each point's
 * slices over the whole run. What the slices mean is decided by who reads them: nothing is averaged
 * here.
 */
#ifndef PLANECAST_PROBE_POINTS_H
#define PLANECAST_PROBE_POINTS_H

#include <stddef.h>
#include <stdint.h>

#include "chase.h"
#include "kernels.h"

#define POINTS_SLICES_A_TURN 24 /* one after the other */

struct slice {
    float cycles; /* TSC cycles a unit: a hop, a line, an addition */
    float canary_before, canary_after;
};

struct point {
    const char *kind; /* chase, page_chase, prefetch, stream, additions */
    enum page_kind page;
    uint64_t bytes; /* of the working set */
    uint64_t lines;
    unsigned width; /* accesses in flight */
    /* One slice of so many units; TSC cycles in all. */
    uint64_t (*run)(struct point *point, uint64_t units);
    uint64_t granule; /* units are a multiple of this */
    uint64_t units;   /* a slice's; 0 until calibrated */
    /* Where the kernels stand. */
    const struct chase_set *set; /* NULL if it is no chase */
    void **at[KERNEL_MAX_WIDTH];
    const char *base;
    uint64_t offset;
    /* What was seen. */
    struct slice *slices;
    size_t count, capacity;
};

struct points {
    size_t count, capacity;
    struct point *point;
    unsigned rounds; /* turns that were completed */
};

/* All points over the chases of one page kind. */
void points_add(struct points *points, const struct chase_sets *sets, enum page_kind kind);

/* Takes turns until the clock reads `deadline_ns`, at least twice; stops early if *interrupted. */
void points_run(struct points *points, uint64_t deadline_ns, const volatile int *interrupted);

#endif
