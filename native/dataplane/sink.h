/* SPDX-License-Identifier: Apache-2.0
 *
 * Where packets go: the outputs of one lcore, each in-process or a DPDK port.
 *
 * The in-process output keeps a packet's buffer until `tx_ring` others have followed, as the
 * descriptors of a NIC do, and then gives it back to its pool.
 */
#ifndef PLANECAST_SINK_H
#define PLANECAST_SINK_H

#include "burst.h"
#include "config.h"
#include "ring.h"

struct output {
    int32_t port;
    uint16_t queue;
    struct ring ring;
};

struct sink {
    struct output output[PORTS_MAX]; /* as ports.tx lists them */
    uint32_t outputs;
    bool
        chooses; /* a stage says where each packet goes, in burst->out; or else burst->input does */
    bool own_buffers; /* every packet is from `pool`, in one segment: freed without a look at it */
    struct rte_mempool *pool;
    uint64_t packets_out;
};

bool sink_open(struct sink *sink, const struct config *config, uint32_t lcore,
               struct rte_mempool *pool);
void sink_close(struct sink *sink);

__attribute__((noinline)) void stage_tx(struct sink *sink, struct burst *burst);

#endif
