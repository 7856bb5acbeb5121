/* SPDX-License-Identifier: Apache-2.0 */
#include "sink.h"

#include <rte_ethdev.h>

bool sink_open(struct sink *sink, const struct config *config, uint32_t lcore,
               struct rte_mempool *pool)
{
    sink->port = config->tx_port;
    sink->queue = (uint16_t)lcore;
    sink->pool = pool;
    sink->own_buffers = config->rx_port == PORT_INTERNAL;
    if (sink->port != PORT_INTERNAL || !sink->own_buffers)
        return true;
    return ring_open(&sink->ring, config->tx_ring, pool);
}

void sink_close(struct sink *sink)
{
    ring_close(&sink->ring, sink->pool);
}

static __rte_always_inline void send_internal(struct sink *sink, struct burst *burst)
{
    struct rte_mbuf *done[BURST_MAX] __rte_cache_aligned;
    ring_exchange(&sink->ring, burst->packet, done, burst->count);
    rte_mempool_put_bulk(sink->pool, (void **)done, burst->count);
    sink->packets_out += burst->count;
}

static void send_port(struct sink *sink, struct burst *burst)
{
    uint16_t sent =
        rte_eth_tx_burst((uint16_t)sink->port, sink->queue, burst->packet, burst->count);
    sink->packets_out += sent;
    if (likely(sent == burst->count))
        return;
    burst->drop_count[DROP_TX] += burst->count - sent;
    rte_pktmbuf_free_bulk(&burst->packet[sent], burst->count - sent);
}

void stage_tx(struct sink *sink, struct burst *burst)
{
    if (sink->port != PORT_INTERNAL) {
        send_port(sink, burst);
    } else if (sink->own_buffers) {
        send_internal(sink, burst);
    } else {
        rte_pktmbuf_free_bulk(burst->packet, burst->count);
        sink->packets_out += burst->count;
    }
}
