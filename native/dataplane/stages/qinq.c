/* SPDX-License-Identifier: Apache-2.0
 *
 * Encapsulation: the next hop's MAC addresses and its two VLAN tags come before the IPv4 header,
 * eight bytes more than stood there. They go into the buffer's headroom, so nothing moves.
 *
 * A port may leave too little headroom: such a packet is copied into a buffer that has some.
 */
#include <rte_mbuf.h>

#include "../asan.h"
#include "../config.h"
#include "../stage.h"
#include "downstream.h"

static SLOW_PATH make_headroom(struct burst *burst)
{
    uint8_t verdict[BURST_MAX];
    uint32_t dropped = 0;
    for (uint16_t i = 0; i < burst->count; i++) {
        struct rte_mbuf *packet = burst->packet[i];
        verdict[i] = DROP_NONE;
        if (packet->data_off >= QINQ_BYTES)
            continue;
        struct rte_mbuf *copy = rte_pktmbuf_copy(packet, packet->pool, 0, UINT32_MAX);
        if (copy == NULL) {
            verdict[i] = DROP_TX;
            dropped++;
            continue;
        }
        for (struct rte_mbuf *piece = copy; piece != NULL; piece = piece->next)
            poison_lift(rte_pktmbuf_mtod(piece, void *), piece->data_len);
        rte_pktmbuf_free(packet);
        burst->packet[i] = copy;
        burst->frame[i] = rte_pktmbuf_mtod(copy, uint8_t *);
    }
    if (dropped > 0)
        burst_drop(burst, verdict);
}

STAGE_FUNCTION(qinq)
{
    const struct qinq_hop *const *next_hop = downstream_columns(burst)->next_hop;
    (void)context;
    uint32_t count = burst->count;
    uint32_t tight = 0;
    BURST_UNROLL
    for (uint32_t i = 0; i < count; i++)
        tight += burst->packet[i]->data_off < QINQ_BYTES;
    if (unlikely(tight > 0)) {
        make_headroom(burst);
        count = burst->count;
    }
    BURST_UNROLL
    for (uint32_t i = 0; i < count; i++) {
        struct rte_mbuf *packet = burst->packet[i];
        const struct qinq_hop *hop = next_hop[i];
        uint8_t *frame = burst->frame[i] - QINQ_BYTES;
        packet->data_off -= QINQ_BYTES;
        packet->data_len += QINQ_BYTES;
        packet->pkt_len += QINQ_BYTES;
        poison_lift(frame, QINQ_BYTES);
        memcpy(frame, hop->ethernet, sizeof hop->ethernet);
        memcpy(frame + sizeof hop->ethernet, hop->inner, sizeof hop->inner);
        burst->frame[i] = frame;
    }
}

static const struct stage qinq = {.name = "qinq", .run = stage_qinq, .needs = "downroute"};
STAGE_REGISTER(qinq)
