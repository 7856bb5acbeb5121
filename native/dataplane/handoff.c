/* SPDX-License-Identifier: Apache-2.0 */
#include "handoff.h"

#include <rte_errno.h>
#include <rte_mbuf_dyn.h>
#include <rte_pause.h>
#include <string.h>

/* Where in an mbuf one packet's entries of the function's columns travel, and where it goes. */
static int carried_at;

static uint8_t *carried_in(struct rte_mbuf *mbuf)
{
    return RTE_MBUF_DYNFIELD(mbuf, carried_at, uint8_t *);
}

bool handoff_reserve(const struct config *config, char *error, size_t error_bytes)
{
    struct rte_mbuf_dynfield field = {.size = sizeof(uint8_t), .align = 1};
    if (config->cuts == 0)
        return true;
    for (const uint8_t *bytes = config_function(config)->columns; *bytes != 0; bytes++)
        field.size += *bytes;
    snprintf(field.name, sizeof field.name, "planecast_carried_%zu", field.size);
    carried_at = rte_mbuf_dynfield_register(&field);
    if (carried_at >= 0)
        return true;
    snprintf(
        error, error_bytes,
        "no room in packet buffers for the %zu bytes that go from lcore to lcore, next to what "
        "drivers keep there: %s",
        field.size, rte_strerror(rte_errno));
    return false;
}

bool handoff_open(struct handoff *handoff, const struct config *config, uint32_t index, int socket)
{
    handoff->wait = config->ring_wait;
    for (uint32_t input = 0; input < config->rx.count; input++) {
        char name[RTE_RING_NAMESIZE];
        snprintf(name, sizeof name, "handoff_%u_%u", index, input);
        handoff->ring[input] = rte_ring_create(name, config->handoff_ring, socket,
                                               RING_F_SP_ENQ | RING_F_SC_DEQ | RING_F_EXACT_SZ);
        if (handoff->ring[input] == NULL)
            return false;
        handoff->rings = input + 1;
    }
    return true;
}

void handoff_close(struct handoff *handoff)
{
    for (uint32_t i = 0; i < handoff->rings; i++) {
        struct rte_mbuf *packet = NULL;
        while (rte_ring_sc_dequeue(handoff->ring[i], (void **)&packet) == 0)
            rte_pktmbuf_free(packet);
        rte_ring_free(handoff->ring[i]);
    }
    handoff->rings = 0;
}

uint32_t handoff_count(const struct handoff *handoff)
{
    uint32_t count = 0;
    for (uint32_t i = 0; i < handoff->rings; i++)
        count += rte_ring_count(handoff->ring[i]);
    return count;
}

static SLOW_PATH drop_rest(struct burst *burst, uint32_t sent)
{
    uint32_t rest = burst->count - sent;
    rte_pktmbuf_free_bulk(&burst->packet[sent], rest);
    burst->drop_count[DROP_RING] += rest;
}

/* Entries of a column, `bytes` each, to or from the packets' fields at `at`. */
static __rte_always_inline void carry(struct burst *burst, uint8_t *column, uint32_t at,
                                      size_t bytes, bool in)
{
    uint32_t count = burst->count;
    for (uint32_t i = 0; i < count; i++) {
        uint8_t *carried = carried_in(burst->packet[i]) + at, *entry = column + i * bytes;
        memcpy(in ? carried : entry, in ? entry : carried, bytes);
    }
}

/* The same for all columns. */
static __rte_always_inline void carry_columns(struct burst *burst, bool in)
{
    uint8_t *column = burst->of_function;
    uint32_t at = 0;
    for (const uint8_t *bytes = burst->columns; *bytes != 0; bytes++) {
        if (*bytes == sizeof(uint64_t))
            carry(burst, column, at, sizeof(uint64_t), in);
        else if (*bytes == sizeof(uint32_t))
            carry(burst, column, at, sizeof(uint32_t), in);
        else
            carry(burst, column, at, *bytes, in);
        column += (size_t)*bytes * BURST_MAX;
        at += *bytes;
    }
    carry(burst, burst->out, at, sizeof(uint8_t), in);
}

void stage_enqueue(struct handoff *handoff, struct burst *burst)
{
    struct rte_ring *ring = handoff->ring[burst->input];
    uint32_t count = burst->count;
    carry_columns(burst, true);
    uint32_t sent = rte_ring_sp_enqueue_burst(ring, (void **)burst->packet, count, NULL);
    while (unlikely(sent < count)) {
        if (!handoff->wait || atomic_load_explicit(handoff->abandoned, memory_order_relaxed)) {
            drop_rest(burst, sent);
            return;
        }
        rte_pause();
        sent += rte_ring_sp_enqueue_burst(ring, (void **)&burst->packet[sent], count - sent, NULL);
    }
}

uint32_t stage_dequeue(struct handoff *handoff, struct burst *burst, uint16_t most)
{
    uint32_t left = 0;
    burst->input = (uint8_t)handoff->next;
    struct rte_ring *ring = handoff->ring[handoff->next];
    if (++handoff->next == handoff->rings)
        handoff->next = 0;
    uint32_t count = rte_ring_sc_dequeue_burst(ring, (void **)burst->packet, most, &left);
    burst->count = burst->received = (uint16_t)count;
    for (uint32_t i = 0; i < count; i++) {
        rte_prefetch0(burst->packet[i]);
        rte_prefetch0(carried_in(burst->packet[i]));
    }
    for (uint32_t i = 0; i < count; i++) {
        burst->frame[i] = rte_pktmbuf_mtod(burst->packet[i], uint8_t *);
        rte_prefetch0(burst->frame[i]);
    }
    carry_columns(burst, false);
    return count + left;
}
