/* SPDX-License-Identifier: Apache-2.0
 *
 * What a neighbour can be asked to do.
 */
#ifndef PLANECAST_NEIGHBOUR_WORK_H
#define PLANECAST_NEIGHBOUR_WORK_H

#include <stdbool.h>
#include <stdint.h>

#define LINE_BYTES 64u
#define MIN_BYTES  4096u
#define MAX_BYTES  (4ull << 30)
#define MAX_WIDTH  16u

enum work_mode {
    WORK_IDLE,   /* sleeps */
    WORK_WALK,   /* chases pointers through a working set, each line once a round */
    WORK_STREAM, /* reads (and writes) memory in order */
    WORK_SPIN,   /* computes: takes execution units from a sibling, nothing else */
};

extern const char *const work_names[];

struct work {
    enum work_mode mode;
    uint64_t bytes;     /* working set; a multiple of LINE_BYTES */
    unsigned width;     /* chases at once: misses in flight */
    bool write;         /* stream: writes what it read */
    double lines_per_s; /* at most; 0: as fast as it goes */
};

#endif
