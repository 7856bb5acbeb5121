/* SPDX-License-Identifier: Apache-2.0
 *
 * A port as the loops see it: DPDK's, or a memory interface of our own. Frames are sent from mbufs;
 * what came is looked at where it lies, and given back afterwards.
 */
#ifndef PLANECAST_GENERATOR_PORT_H
#define PLANECAST_GENERATOR_PORT_H

#include <rte_ethdev.h>

#include "config.h"
#include "memif_client.h"

struct port {
    bool open, is_memif;
    uint16_t number; /* DPDK's */
    struct memif memif;
};

/* Frames that came, up to a burst. */
struct frames {
    uint32_t count;
    uint32_t slots; /* of a memory interface, that they lie in */
    const uint8_t *frame[BATCH_MAX];
    uint32_t bytes[BATCH_MAX];     /* of its first segment */
    uint32_t all_bytes[BATCH_MAX]; /* of the frame, without FCS */
    struct rte_mbuf *mbuf[BATCH_MAX];
};

/* Sends the first of them; how many. Their mbufs are no longer the caller's. */
static inline uint16_t port_send(struct port *port, struct rte_mbuf **mbuf, uint16_t count)
{
    if (!port->is_memif)
        return rte_eth_tx_burst(port->number, 0, mbuf, count);
    uint16_t sent = memif_send(&port->memif.send, mbuf, count);
    if (sent > 0)
        rte_mempool_put_bulk(mbuf[0]->pool, (void **)mbuf, sent);
    return sent;
}

static inline void port_take_mbufs(const struct port *port, uint16_t queue, uint16_t burst,
                                   struct frames *frames)
{
    frames->count = rte_eth_rx_burst(port->number, queue, frames->mbuf, burst);
    for (uint32_t i = 0; i < frames->count; i++) {
        const struct rte_mbuf *mbuf = frames->mbuf[i];
        frames->frame[i] = rte_pktmbuf_mtod(mbuf, const uint8_t *);
        frames->bytes[i] = rte_pktmbuf_data_len(mbuf);
        frames->all_bytes[i] = rte_pktmbuf_pkt_len(mbuf);
    }
}

static inline void port_take_slots(struct memif_ring *ring, uint32_t burst, struct frames *frames)
{
    uint32_t waiting = memif_waiting(ring, 2 * burst), slot = ring->at, taken = 0;
    uint32_t fetched = RTE_MIN(waiting, 2 * burst);
    for (uint32_t i = 0; i < fetched; i++)
        rte_prefetch0(memif_buffer(ring, slot + i));
    while (taken < burst && waiting > 0) {
        const struct memif_descriptor *piece = memif_descriptor(ring, slot);
        uint32_t used = 1, bytes = piece->length;
        frames->frame[taken] = memif_buffer(ring, slot);
        frames->bytes[taken] = bytes;
        for (; (piece->flags & MEMIF_CONTINUES) != 0 && used < waiting; used++) {
            piece = memif_descriptor(ring, slot + used);
            bytes += piece->length;
        }
        frames->all_bytes[taken++] = bytes;
        slot += used;
        waiting -= used;
    }
    frames->count = taken;
    frames->slots = slot - ring->at;
}

/* Takes what the queue has, a burst at the most. */
static inline void port_take(struct port *port, uint16_t queue, uint16_t burst,
                             struct frames *frames)
{
    if (port->is_memif)
        port_take_slots(&port->memif.receive[queue], burst, frames);
    else
        port_take_mbufs(port, queue, burst, frames);
}

static inline void port_give_back(struct port *port, uint16_t queue, struct frames *frames)
{
    if (port->is_memif)
        memif_give_back(&port->memif.receive[queue], frames->slots);
    else
        rte_pktmbuf_free_bulk(frames->mbuf, frames->count);
}

#endif
