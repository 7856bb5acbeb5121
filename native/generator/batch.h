/* SPDX-License-Identifier: Apache-2.0
 *
 * Packets that were made and not yet taken by the port, in columns. They get their time and check
 * at the send call itself (batch_stamp), so what the port refused is stamped again.
 */
#ifndef PLANECAST_GENERATOR_BATCH_H
#define PLANECAST_GENERATOR_BATCH_H

#include <rte_mbuf.h>

#include "config.h"
#include "shape.h"
#include "signature.h"

/* Bytes from the start of an mbuf to its packet: the pool has no private area. */
enum { MBUF_TO_FRAME = sizeof(struct rte_mbuf) + RTE_PKTMBUF_HEADROOM };

struct batch {
    uint32_t first, count; /* those at [first, count) are still to be sent */
    bool alone;            /* there is one stream */
    /* When all packets are of one stream and one size, this is it, and their sequence numbers
     * follow each other: the columns from `payload` on are not written. NULL: they are. */
    const struct shape *shape;
    uint64_t first_sequence;
    struct rte_mbuf *mbuf[BATCH_MAX];
    uint64_t due[BATCH_MAX];
    uint32_t crc[BATCH_MAX]; /* signature_of_packet */
    uint8_t *payload[BATCH_MAX];
    uint64_t sequence[BATCH_MAX];
    uint16_t frame_bytes[BATCH_MAX]; /* in memory */
    uint8_t stream[BATCH_MAX];
    uint8_t full[BATCH_MAX]; /* which signature */
};

static inline uint8_t *batch_frame(const struct batch *batch, uint32_t i)
{
    return (uint8_t *)batch->mbuf[i] + MBUF_TO_FRAME;
}

static inline void batch_stamp_alike(const struct batch *batch, uint64_t tsc)
{
    const struct shape *shape = batch->shape;
    uint64_t sequence = batch->first_sequence;
    uint32_t offset = shape->payload_offset;
    if (shape->full) {
        for (uint32_t i = batch->first; i < batch->count; i++)
            signature_write_full(batch_frame(batch, i) + offset, batch->crc[i], shape->stream,
                                 sequence + i, tsc);
        return;
    }
    for (uint32_t i = batch->first; i < batch->count; i++)
        signature_write_compact(batch_frame(batch, i) + offset, batch->crc[i], sequence + i, tsc);
}

static inline void batch_stamp(const struct batch *batch, uint64_t tsc)
{
    if (batch->shape != NULL) {
        batch_stamp_alike(batch, tsc);
        return;
    }
    for (uint32_t i = batch->first; i < batch->count; i++) {
        if (batch->full[i])
            signature_write_full(batch->payload[i], batch->crc[i], batch->stream[i],
                                 batch->sequence[i], tsc);
        else
            signature_write_compact(batch->payload[i], batch->crc[i], batch->sequence[i], tsc);
    }
}

#endif
