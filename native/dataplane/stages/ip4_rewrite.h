/* SPDX-License-Identifier: Apache-2.0
 *
 * The neighbours that ip4's routes lead to.
 */
#ifndef PLANECAST_STAGES_IP4_REWRITE_H
#define PLANECAST_STAGES_IP4_REWRITE_H

#include <assert.h>
#include <rte_common.h>
#include <stdint.h>

/* A neighbour: what its packets get, and where they leave. */
struct ip4_next_hop {
    uint8_t ethernet[12]; /* its MAC address, then ours */
    uint8_t out;          /* which of ports.tx */
    uint8_t unused[3];
};
static_assert(sizeof(struct ip4_next_hop) == 16, "four of them are a cache line");

struct ip4_count {
    uint64_t packets, bytes; /* sent to a next hop; bytes of frames, without FCS */
};

/* Of one chain. */
struct ip4_rewrite {
    const struct ip4_next_hop *next_hops;
    struct ip4_count count[] __rte_cache_aligned; /* of each next hop */
};

#endif
