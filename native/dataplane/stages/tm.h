/* SPDX-License-Identifier: Apache-2.0
 *
 * The traffic manager's fixed numbers: the profile of DPDK's edge router.
 */
#ifndef PLANECAST_STAGES_TM_H
#define PLANECAST_STAGES_TM_H

#include <stddef.h>
#include <stdint.h>

enum {
    TM_MTU_BYTES = 1522, /* an Ethernet frame of 1,518 with FCS, and two VLAN tags, without FCS */
    TM_OVERHEAD_BYTES = 24, /* preamble, start, FCS, gap */
    TM_QUEUE_PACKETS = 64,
    TM_PIPE_PERIOD_MS = 40,
};

/* What one scheduler takes: 65,536 queues of 64 pointers, their counters, the pipes. */
#define TM_BYTES (UINT64_C(56) << 20)

struct config;

/* Longest frame that is let through, without FCS: a longer one may need more credits than a class
 * ever has, and would stand in the way for ever. */
uint32_t tm_mtu(const struct config *config);

#endif
