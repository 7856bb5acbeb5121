/* SPDX-License-Identifier: Apache-2.0 */
#include "burst.h"

#include <string.h>

const char *const drop_cause_name[DROP_CAUSES] = {
    [DROP_NONE] = "none",         [DROP_HEADER] = "header",
    [DROP_ACL] = "acl",           [DROP_FLOW_MISS] = "flow_miss",
    [DROP_POLICER] = "policer",   [DROP_ROUTE_MISS] = "route_miss",
    [DROP_TTL] = "ttl",           [DROP_FILTERED] = "filtered",
    [DROP_OVERSIZE] = "oversize", [DROP_TM] = "tm",
    [DROP_COMPUTE] = "compute",   [DROP_RING] = "ring",
    [DROP_OPTIONS] = "options",   [DROP_CHECKSUM] = "checksum",
    [DROP_MARTIAN] = "martian",   [DROP_TX] = "tx",
};

static void move_entries(struct burst *burst, uint32_t to, uint32_t from)
{
    uint8_t *column = burst->of_function;
    for (const uint8_t *bytes = burst->columns; *bytes != 0; bytes++) {
        memmove(column + (size_t)to * *bytes, column + (size_t)from * *bytes, *bytes);
        column += (size_t)*bytes * BURST_MAX;
    }
}

SLOW_PATH burst_drop(struct burst *burst, const uint8_t *verdict)
{
    uint16_t kept = 0;
    for (uint16_t i = 0; i < burst->count; i++) {
        if (verdict[i] != DROP_NONE) {
            rte_pktmbuf_free(burst->packet[i]);
            burst->drop_count[verdict[i]]++;
            continue;
        }
        burst->packet[kept] = burst->packet[i];
        burst->frame[kept] = burst->frame[i];
        burst->out[kept] = burst->out[i];
        move_entries(burst, kept, i);
        kept++;
    }
    burst->count = kept;
}
