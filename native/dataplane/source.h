/* SPDX-License-Identifier: Apache-2.0
 *
 * Where packets come from: the in-process source, which behaves as a NIC at line rate does, or a
 * DPDK port.
 *
 * The in-process source cycles packets through `rx_ring` buffers, as descriptors do, and writes
 * real headers into each: uniformly random flows, destinations `destination_step` apart, random
 * ports, a right IPv4 checksum. A later stage thus reads bytes that vary, in buffers that left the
 * L1 cache.
 */
#ifndef PLANECAST_SOURCE_H
#define PLANECAST_SOURCE_H

#include <rte_mbuf.h>
#include <stdint.h>

#include "burst.h"
#include "config.h"
#include "ring.h"

enum { TEMPLATE_BYTES = 64, DSCP_SLOTS = 64 };

/* The first bytes of a frame; as two vectors they stay in registers while a burst is written. */
typedef uint8_t half_template __attribute__((vector_size(TEMPLATE_BYTES / 2)));
union header_template {
    uint8_t bytes[TEMPLATE_BYTES];
    half_template half[2];
};

struct source {
    int32_t port; /* PORT_INTERNAL or a DPDK port */
    uint16_t queue;
    uint16_t burst;
    struct rte_mempool *pool;
    struct ring ring;    /* buffers that wait for a packet */
    uint64_t mbuf_rearm; /* data_off, refcnt, nb_segs, port: one store makes a buffer fresh */
    uint32_t sequence;   /* of the random numbers */
    uint32_t destination, destination_step;
    uint32_t flow_first, flow_count;
    uint16_t frame_bytes;     /* in memory: without FCS */
    uint32_t tos[DSCP_SLOTS]; /* a flow has the one of its number, modulo */
    uint32_t checksum_base;   /* sum of the template's IPv4 words that never change */
    union header_template template;
};

/* What may change from trial to trial. */
struct traffic {
    uint32_t frame_bytes; /* with FCS */
    uint32_t flows;
    uint32_t lcores; /* that share the flows: each has its own, as RSS would have it */
};

/* Gives the source its buffers; false when the pool has not enough. */
bool source_open(struct source *source, const struct config *config, uint32_t lcore,
                 struct rte_mempool *pool);
void source_set_traffic(struct source *source, const struct config *config,
                        const struct traffic *traffic, uint32_t lcore);
void source_close(struct source *source);

/* Fills the burst with up to source->burst packets whose headers are checked. */
__attribute__((noinline)) void stage_source(struct source *source, struct burst *burst);

#endif
