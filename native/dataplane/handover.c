/* SPDX-License-Identifier: Apache-2.0 */
#include "handover.h"

#include <rte_lcore.h>
#include <rte_pause.h>

#include "poison.h"

/* The columns of one packet. */
struct carried {
    uint64_t flow_key;
    void *action;
    uint32_t flow_signature;
    int32_t flow;
    uint32_t destination;
    uint8_t colour, out;
};
_Static_assert(sizeof(struct carried) <= RTE_CACHE_LINE_SIZE, "one line of the headroom");
_Static_assert(2 * sizeof(struct carried) <= RTE_PKTMBUF_HEADROOM, "and room to encapsulate");

static struct carried *carried_in(const struct rte_mbuf *mbuf)
{
    return mbuf->buf_addr;
}

bool handover_open(struct handover *handover, const struct config *config, uint32_t index)
{
    handover->wait = config->ring_wait;
    for (uint32_t input = 0; input < config->rx.count; input++) {
        char name[RTE_RING_NAMESIZE];
        snprintf(name, sizeof name, "handover_%u_%u", index, input);
        handover->ring[input] = rte_ring_create(name, config->handover_ring, (int)rte_socket_id(),
                                                RING_F_SP_ENQ | RING_F_SC_DEQ | RING_F_EXACT_SZ);
        if (handover->ring[input] == NULL)
            return false;
        handover->rings = input + 1;
    }
    return true;
}

void handover_close(struct handover *handover)
{
    for (uint32_t i = 0; i < handover->rings; i++) {
        struct rte_mbuf *packet = NULL;
        while (rte_ring_sc_dequeue(handover->ring[i], (void **)&packet) == 0)
            rte_pktmbuf_free(packet);
        rte_ring_free(handover->ring[i]);
    }
    handover->rings = 0;
}

uint32_t handover_count(const struct handover *handover)
{
    uint32_t count = 0;
    for (uint32_t i = 0; i < handover->rings; i++)
        count += rte_ring_count(handover->ring[i]);
    return count;
}

static SLOW_PATH drop_rest(struct burst *burst, uint32_t sent)
{
    uint32_t rest = burst->count - sent;
    rte_pktmbuf_free_bulk(&burst->packet[sent], rest);
    burst->drop_count[DROP_RING] += rest;
}

void stage_hand(struct handover *handover, struct burst *burst)
{
    struct rte_ring *ring = handover->ring[burst->input];
    uint32_t count = burst->count;
    for (uint32_t i = 0; i < count; i++) {
        struct carried *carried = carried_in(burst->packet[i]);
        poison_lift(carried, sizeof *carried);
        *carried = (struct carried){.flow_key = burst->flow_key[i],
                                    .action = burst->action[i],
                                    .flow_signature = burst->flow_signature[i],
                                    .flow = burst->flow[i],
                                    .destination = burst->destination[i],
                                    .colour = burst->colour[i],
                                    .out = burst->out[i]};
    }
    uint32_t sent = rte_ring_sp_enqueue_burst(ring, (void **)burst->packet, count, NULL);
    while (unlikely(sent < count)) {
        if (!handover->wait || atomic_load_explicit(handover->abandoned, memory_order_relaxed)) {
            drop_rest(burst, sent);
            return;
        }
        rte_pause();
        sent += rte_ring_sp_enqueue_burst(ring, (void **)&burst->packet[sent], count - sent, NULL);
    }
}

uint32_t stage_take(struct handover *handover, struct burst *burst, uint16_t most)
{
    uint32_t left = 0;
    burst->input = (uint8_t)handover->next;
    struct rte_ring *ring = handover->ring[handover->next];
    if (++handover->next == handover->rings)
        handover->next = 0;
    uint32_t count = rte_ring_sc_dequeue_burst(ring, (void **)burst->packet, most, &left);
    burst->count = burst->received = (uint16_t)count;
    for (uint32_t i = 0; i < count; i++)
        rte_prefetch0(burst->packet[i]);
    for (uint32_t i = 0; i < count; i++) /* its place is the mbuf's own: nothing is read yet */
        rte_prefetch0((uint8_t *)burst->packet[i] + sizeof(struct rte_mbuf));
    for (uint32_t i = 0; i < count; i++) {
        const struct carried *carried = carried_in(burst->packet[i]);
        burst->frame[i] = rte_pktmbuf_mtod(burst->packet[i], uint8_t *);
        rte_prefetch0(burst->frame[i]);
        burst->flow_key[i] = carried->flow_key;
        burst->action[i] = carried->action;
        burst->flow_signature[i] = carried->flow_signature;
        burst->flow[i] = carried->flow;
        burst->destination[i] = carried->destination;
        burst->colour[i] = carried->colour;
        burst->out[i] = carried->out;
    }
    return count + left;
}
