/* SPDX-License-Identifier: Apache-2.0
 *
 * What the three stages of ip4 share: where things are in a frame, the tables, and what a packet
 * must be to be forwarded.
 */
#ifndef PLANECAST_STAGES_IP4_H
#define PLANECAST_STAGES_IP4_H

#include <assert.h>
#include <rte_fib.h>
#include <rte_lpm.h>
#include <rte_mbuf.h>

#include "../config.h"
#include "../drops.h"

enum {
    IP4_AT_TYPE = 12,
    IP4_AT_IP = 14,
    IP4_AT_ID = IP4_AT_IP + 4,
    IP4_AT_TTL = IP4_AT_IP + 8, /* then protocol, and checksum: a word that a hop changes */
    IP4_AT_SOURCE = IP4_AT_IP + 12,
    IP4_AT_DESTINATION = IP4_AT_IP + 16,
    IP4_END = IP4_AT_IP + 20,
};

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

struct ip4_tables {
    struct rte_lpm *lpm; /* either of them */
    struct rte_fib *fib;
    uint32_t next_hop_count;
    struct ip4_next_hop *next_hop;
    struct ip4_count *count[LCORES_MAX]; /* [next hop], of each lcore its own */
};

extern struct ip4_tables ip4_tables;

/* No next hop has so large a number: there is no route. */
#define IP4_NO_ROUTE (1U << 24)

/* Why a packet is not to be forwarded, one packet and one test after the other: what the check
 * stage means. `frame` has data_len bytes. */
enum drop_cause ip4_verdict(const struct rte_mbuf *mbuf, const uint8_t *frame);

#endif
