/* SPDX-License-Identifier: Apache-2.0
 *
 * What routing looks up, and what it puts before a packet.
 */
#ifndef PLANECAST_STAGES_ROUTE_H
#define PLANECAST_STAGES_ROUTE_H

#include <rte_common.h>
#include <rte_lpm.h>
#include <stdint.h>

#include "../headers.h"

/* What a next hop puts before the IPv4 header: 22 bytes, kept in two halves of one line. */
struct next_hop {
    uint8_t ethernet[16]; /* MAC addresses 12, type 2, and two bytes that the labels overwrite */
    uint64_t labels; /* network order, EXP and TTL zero, bottom-of-stack set on the inner one */
} __rte_aligned(32);

static inline uint32_t route_destination(const uint8_t *frame)
{
    return big32(load32(frame + OFFSET_IP_DESTINATION));
}

/* The table that a look-up begins in; NULL: of no tables. */
const struct rte_lpm_tbl_entry *route_first_table(const void *tables);

#endif
