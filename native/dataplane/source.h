/* SPDX-License-Identifier: Apache-2.0
 *
 * Where packets come from: the in-process source, which behaves as a NIC at line rate does, or a
 * DPDK port.
 *
 * The in-process source cycles packets through `rx_ring` buffers, as descriptors do, and writes
 * real headers into each: uniformly random flows, destinations `destination_step` apart, random
 * ports, a right IPv4 checksum (pktgen_qinq.h, pktgen_plain.h). A later stage thus reads bytes that
 * vary, in buffers that left the L1 cache.
 */
#ifndef PLANECAST_SOURCE_H
#define PLANECAST_SOURCE_H

#include <rte_mbuf.h>
#include <stdint.h>

#include "burst.h"
#include "config.h"
#include "pktgen_plain.h"
#include "pktgen_qinq.h"
#include "pktgen_tuple.h"
#include "ring.h"

/* One input of one lcore. */
struct source {
    int32_t port; /* PORT_INTERNAL or a DPDK port */
    uint16_t queue;
    uint8_t input; /* its place in ports.rx */
    uint8_t lcore;
    enum packet_format format;
    bool unread; /* nobody looks into its packets */
    uint16_t burst;
    struct rte_mempool *pool;
    struct ring ring;       /* buffers that wait for a packet */
    struct rte_mbuf *spare; /* takes what was computed for no packet */
    uint32_t sequence;      /* of the random numbers */
    uint32_t destination;
    struct packet_profile profile;
    struct pktgen_qinq qinq;
    struct pktgen_plain plain;
    struct pktgen_frame tuple;
};

/* What may change from trial to trial. */
struct traffic {
    uint32_t frame_bytes; /* with FCS */
    uint32_t flows;
    uint32_t lcores; /* that share the flows: each has its own, as RSS would have it */
};

/* Gives the source of ports.rx[input] its buffers; false when the pool has not enough. */
bool source_open(struct source *source, const struct config *config, uint32_t input, uint32_t lcore,
                 struct rte_mempool *pool);
void source_set_traffic(struct source *source, const struct traffic *traffic, uint32_t lcore);
void source_close(struct source *source);

/* Fills the burst with up to source->burst packets; those of FORMAT_QINQ have sound headers. */
__attribute__((noinline)) void stage_source(struct source *source, struct burst *burst);

#endif
