/* SPDX-License-Identifier: Apache-2.0
 *
 * Makes plain packets whose five-tuple is their flow: what a provider edge router gets from the
 * core, on its way down to the customers.
 *
 *   MAC addresses  02:00:01:00:00:00 and 02:00:00:00:00:00: a router's
 *   source         16.0.0.0/4; the flow's lower 12 bits are the pipe (the address's bits 27 to 16),
 *                  the next four its queue (bits 3 to 0), the rest lies between them: 65,536 flows
 *                  are the queues of 4,096 pipes, each once
 *   destination    the flow times `destination_step`
 *   UDP ports      random ones that belong to the flow, so that a flow table may know them
 */
#ifndef PLANECAST_PKTGEN_TUPLE_H
#define PLANECAST_PKTGEN_TUPLE_H

#include "pktgen_plain.h"
#include "pktgen_qinq.h"
#include "traffic.h"

enum { PIPE_BITS = 12, QUEUE_BITS = 4, TUPLE_SOURCE_NET = 1 << 28 };

/* What shows a flow from another, host order; `ports` as its four bytes lie in memory. */
struct tuple {
    uint32_t source, destination, ports;
};

static inline struct tuple tuple_of(uint32_t flow, uint32_t destination_step)
{
    uint32_t random = flow;
    random = MIX(random, MIX_A, MIX_B);
    uint32_t pipe = flow & ((1U << PIPE_BITS) - 1);
    uint32_t queue = flow >> PIPE_BITS & ((1U << QUEUE_BITS) - 1);
    return (struct tuple){
        .source = (uint32_t)TUPLE_SOURCE_NET | pipe << 16 |
                  flow >> (PIPE_BITS + QUEUE_BITS) << QUEUE_BITS | queue,
        .destination = flow * destination_step,
        /* From 1024 up, and below 1024. */
        .ports = (random & 0xFF03FF7FU) | RTE_BE16(SOURCE_PORT_MIN),
    };
}

void pktgen_tuple_set(struct pktgen_frame *pktgen, const struct packet_profile *profile);

/* Writes packets number `sequence` and on into `count` buffers. */
void make_tuples(const struct pktgen_frame *pktgen, uint32_t sequence,
                 struct rte_mbuf *const *mbufs, uint32_t count);

#endif
