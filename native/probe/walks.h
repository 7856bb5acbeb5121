/*
 * Page walks: chases with one line in each 4 KiB, over pages of both sizes.
 *
 * What 4 KiB pages cost over the same lines in 2 MiB pages is the walks' cost. A processor may keep
 * neighbouring pages in one entry of its TLB when they also lie side by side in memory (AMD's since
 * Zen do), and memory that was touched in order lies so: walks then seem to cost nothing up to
 * several times the TLB's entries. So there are pages touched in order, and pages scattered.
 */
#ifndef PLANECAST_PROBE_WALKS_H
#define PLANECAST_PROBE_WALKS_H

#include <stddef.h>
#include <stdint.h>

#define WALKS_SLICES 7
#define WALKS_POINTS 24

enum walks_kind { WALKS_IN_ORDER, WALKS_SCATTERED, WALKS_HUGE, WALKS_KINDS };

struct walks_point {
    enum walks_kind kind;
    uint32_t pages;             /* and lines */
    unsigned width;             /* chases at once */
    float cycles[WALKS_SLICES]; /* TSC cycles a line, by slice */
};

/* `huge` holds at least `bytes` in 2 MiB pages. Returns how many points. */
size_t walks_measure(char *huge, uint64_t bytes, struct walks_point point[WALKS_POINTS],
                     const volatile int *stop);

#endif
