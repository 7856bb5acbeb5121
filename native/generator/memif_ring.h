/* SPDX-License-Identifier: Apache-2.0
 *
 * Our end of a memory interface's rings (memif 2.0, the client's side), and how frames go through.
 *
 * A buffer belongs to its slot for good, so a descriptor of the sending ring is written when a
 * frame's length differs from that of the frame before in the slot, and the peer's copy of its
 * cache line stays valid. Frames are copied into the ring line by line (each byte is written again,
 * as a NIC does), and are read where they lie.
 */
#ifndef PLANECAST_GENERATOR_MEMIF_RING_H
#define PLANECAST_GENERATOR_MEMIF_RING_H

#include <immintrin.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <rte_mbuf.h>

enum {
    MEMIF_LINE = 64,
    MEMIF_BUFFER_BYTES = 2048,
    /* A line more: buffers 2,048 bytes apart begin in two of an L1's 64 sets, and in as few of an
     * L2's, so that a ring's lines would drive out each other. */
    MEMIF_STRIDE_BYTES = MEMIF_BUFFER_BYTES + MEMIF_LINE,
    MEMIF_COOKIE = 0x3E31F20,
    MEMIF_POLLED = 1,    /* flag of a ring: who consumes polls, and wants no interrupt */
    MEMIF_CONTINUES = 1, /* flag of a descriptor: the frame continues in the next slot */
};

/* What both sides see. */
struct memif_descriptor {
    uint16_t flags, region;
    uint32_t length, offset, metadata;
};
struct memif_shared {
    uint32_t cookie;
    uint16_t flags;
    uint16_t head;
    uint8_t line0[MEMIF_LINE - 8];
    uint16_t tail;
    uint8_t line1[MEMIF_LINE - 2];
    struct memif_descriptor descriptor[];
};
_Static_assert(offsetof(struct memif_shared, tail) == MEMIF_LINE &&
                   offsetof(struct memif_shared, descriptor) == 2 * MEMIF_LINE &&
                   sizeof(struct memif_descriptor) == 16,
               "memif 2.0's layout");

struct memif_ring {
    struct memif_shared *shared;
    uint8_t *buffers;  /* of slot 0 */
    uint32_t mask;     /* slots - 1 */
    uint16_t at;       /* the slot that is next, of all that ever were */
    uint16_t peers_at; /* where the peer was when we last looked */
    int interrupt;     /* event descriptor: wakes a peer that does not poll */
} __attribute__((aligned(MEMIF_LINE)));

static inline uint8_t *memif_buffer(const struct memif_ring *ring, uint32_t slot)
{
    return ring->buffers + (size_t)(slot & ring->mask) * MEMIF_STRIDE_BYTES;
}

static inline struct memif_descriptor *memif_descriptor(const struct memif_ring *ring,
                                                        uint32_t slot)
{
    return &ring->shared->descriptor[slot & ring->mask];
}

/* Wakes the peer if it waits for an interrupt. (memif_client.c) */
void memif_client_wake(const struct memif_ring *ring);

/* ---- sending: we move the head, the peer the tail */

static inline uint32_t memif_free_slots(const struct memif_ring *ring)
{
    return ring->mask + 1 - (uint16_t)(ring->at - ring->peers_at);
}

/* The lines that are written next come here before they are. */
static inline void memif_fetch_to_write(const struct memif_ring *ring, uint32_t count)
{
    uint32_t room = memif_free_slots(ring);
    for (uint32_t i = 0; i < count && i < room; i++)
        __asm__ volatile("prefetchw %0" : : "m"(*memif_buffer(ring, ring->at + i)));
}

static inline void memif_put_piece(const struct memif_ring *ring, uint32_t slot,
                                   const uint8_t *bytes, uint32_t length, uint16_t flags)
{
    uint8_t *to = memif_buffer(ring, slot);
    struct memif_descriptor *descriptor = memif_descriptor(ring, slot);
    /* Whole lines: what is behind the frame is the buffer's own in both. */
    memcpy(to, bytes, MEMIF_LINE);
    for (uint32_t done = MEMIF_LINE; done < length; done += MEMIF_LINE)
        memcpy(to + done, bytes + done, MEMIF_LINE);
    if (__builtin_expect(descriptor->length != length, 0))
        descriptor->length = length;
    if (__builtin_expect(descriptor->flags != flags, 0))
        descriptor->flags = flags;
}

/* A frame of more than a buffer; the slots that it took. */
static inline uint32_t memif_put_long(const struct memif_ring *ring, uint32_t slot,
                                      const uint8_t *frame, uint32_t bytes)
{
    uint32_t used = 0;
    for (; bytes > MEMIF_BUFFER_BYTES; bytes -= MEMIF_BUFFER_BYTES, frame += MEMIF_BUFFER_BYTES)
        memif_put_piece(ring, slot + used++, frame, MEMIF_BUFFER_BYTES, MEMIF_CONTINUES);
    memif_put_piece(ring, slot + used++, frame, bytes, 0);
    return used;
}

/* Sends what there is room for; how many. The frames are the first segment of their mbufs, which
 * stay the caller's. */
static inline uint16_t memif_send(struct memif_ring *ring, struct rte_mbuf *const *mbuf,
                                  uint16_t count)
{
    uint16_t sent = 0;
    uint32_t slot = ring->at, free_slots = memif_free_slots(ring);
    if (free_slots < count) {
        ring->peers_at = __atomic_load_n(&ring->shared->tail, __ATOMIC_ACQUIRE);
        free_slots = memif_free_slots(ring);
    }
    for (; sent < count; sent++) {
        const uint8_t *frame = rte_pktmbuf_mtod(mbuf[sent], const uint8_t *);
        uint32_t bytes = rte_pktmbuf_data_len(mbuf[sent]), needed = 1;
        if (__builtin_expect(bytes > MEMIF_BUFFER_BYTES, 0))
            needed = (bytes + MEMIF_BUFFER_BYTES - 1) / MEMIF_BUFFER_BYTES;
        if (free_slots < needed)
            break;
        if (__builtin_expect(needed == 1, 1))
            memif_put_piece(ring, slot, frame, bytes, 0);
        else
            memif_put_long(ring, slot, frame, bytes);
        slot += needed;
        free_slots -= needed;
    }
    if (sent == 0)
        return 0;
    ring->at = (uint16_t)slot;
    __atomic_store_n(&ring->shared->head, ring->at, __ATOMIC_RELEASE);
    if (__builtin_expect((ring->shared->flags & MEMIF_POLLED) == 0, 0))
        memif_client_wake(ring);
    memif_fetch_to_write(ring, count);
    return sent;
}

/* ---- receiving: the peer moves the tail, we give slots back by the head */

static inline uint32_t memif_waiting(struct memif_ring *ring, uint32_t wanted)
{
    uint32_t waiting = (uint16_t)(ring->peers_at - ring->at);
    if (waiting >= wanted)
        return waiting;
    ring->peers_at = __atomic_load_n(&ring->shared->tail, __ATOMIC_ACQUIRE);
    return (uint16_t)(ring->peers_at - ring->at);
}

/* Gives `slots` back to the peer, the ones from `at` on: each takes a whole buffer again. */
static inline void memif_give_back(struct memif_ring *ring, uint32_t slots)
{
    for (uint32_t i = 0; i < slots; i++) {
        struct memif_descriptor *descriptor = memif_descriptor(ring, ring->at + i);
        descriptor->flags = 0;
        descriptor->length = MEMIF_BUFFER_BYTES;
    }
    ring->at = (uint16_t)(ring->at + slots);
    __atomic_store_n(&ring->shared->head, (uint16_t)(ring->at + ring->mask + 1), __ATOMIC_RELEASE);
}

#endif
