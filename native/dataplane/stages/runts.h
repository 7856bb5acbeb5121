/* SPDX-License-Identifier: Apache-2.0
 *
 * Frames that end before their Ethernet header does: from a port anything may come.
 */
#ifndef PLANECAST_STAGES_RUNTS_H
#define PLANECAST_STAGES_RUNTS_H

#include "../burst.h"

enum { ETHERNET_BYTES = 14 };

/* Whether a frame's first segment has fewer bytes. An OR of differences: only its sign is asked
 * for. */
static inline bool any_shorter(const struct burst *burst, int32_t bytes)
{
    int32_t difference = 0;
    uint32_t count = burst->count;
    BURST_UNROLL
    for (uint32_t i = 0; i < count; i++)
        difference |= (int32_t)burst->packet[i]->data_len - bytes;
    return difference < 0;
}

/* Drops what has fewer than ETHERNET_BYTES in its first segment. */
SLOW_PATH drop_runts(struct burst *burst);

#endif
