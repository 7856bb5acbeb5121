/* SPDX-License-Identifier: Apache-2.0 */
#include "pace.h"

#include <time.h>

#define CATCH_UP_NS 1e6

uint64_t pace_now_ns(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC_RAW, &now);
    return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
}

void pace_begin(struct pace *pace, double lines_per_s, uint64_t now_ns)
{
    pace->ns_per_line = lines_per_s > 0 ? 1e9 / lines_per_s : 0;
    pace->due_ns = (double)now_ns;
}

bool pace_take(struct pace *pace, uint64_t lines, uint64_t now_ns)
{
    double now = (double)now_ns;
    if (pace->ns_per_line <= 0)
        return true;
    if (now < pace->due_ns)
        return false;
    if (now - pace->due_ns > CATCH_UP_NS)
        pace->due_ns = now - CATCH_UP_NS;
    pace->due_ns += pace->ns_per_line * (double)lines;
    return true;
}
