/* SPDX-License-Identifier: Apache-2.0
 *
 * What the stages of the vPE downstream pipeline show each other.
 *
 *   in   Ethernet 12 | 0x0800 2 | IPv4 20 | UDP 8 ...
 *   out  Ethernet 12 | 0x88A8 S-VLAN 4 | 0x8100 C-VLAN 4 | 0x0800 2 | IPv4 20 | UDP 8 ...
 */
#ifndef PLANECAST_STAGES_DOWNSTREAM_H
#define PLANECAST_STAGES_DOWNSTREAM_H

#include <rte_common.h>
#include <stdint.h>

#include "../burst.h"
#include "../headers.h"
#include "../pktgen_plain.h"

/* Where the IPv4 header of a plain frame is, before and after its encapsulation. */
enum {
    DOWN_IP_IN = PLAIN_L2_BYTES,
    DOWN_IP_OUT = L2_BYTES,
    QINQ_BYTES = L2_BYTES - PLAIN_L2_BYTES
};

/* What a next hop puts before the IPv4 header: 22 bytes, kept in two pieces that two stores write.
 */
struct qinq_hop {
    uint8_t ethernet[16]; /* MAC addresses 12, 0x88A8, outer tag */
    uint8_t inner[6];     /* 0x8100, inner tag, 0x0800 */
    uint8_t unused[10];
};
_Static_assert(sizeof(struct qinq_hop) == 32, "two next hops share a cache line");

#define DOWNSTREAM_COLUMNS(COLUMN) COLUMN(const struct qinq_hop *, next_hop) /* downroute */

BURST_COLUMNS(downstream, DOWNSTREAM_COLUMNS)

/* A VLAN id is neither 0 (a mere priority) nor 4095 (reserved). */
enum { VLAN_IDS = 4094 };

#endif
