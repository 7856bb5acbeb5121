/* SPDX-License-Identifier: Apache-2.0
 *
 * Holds a loop back to a rate. What it is late by is made up for, but not more than a millisecond's
 * worth: a neighbour that was preempted shall not come back as a burst.
 */
#ifndef PLANECAST_NEIGHBOUR_PACE_H
#define PLANECAST_NEIGHBOUR_PACE_H

#include <stdbool.h>
#include <stdint.h>

struct pace {
    double ns_per_line; /* 0: no limit */
    double due_ns;      /* when the next lines may be touched */
};

/* Nanoseconds of the clock that NTP does not slew. */
uint64_t pace_now_ns(void);

void pace_begin(struct pace *pace, double lines_per_s, uint64_t now_ns);

/* Whether lines are due; if so, so many are taken. */
bool pace_take(struct pace *pace, uint64_t lines, uint64_t now_ns);

#endif
