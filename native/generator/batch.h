/* SPDX-License-Identifier: Apache-2.0
 *
 * Packets that were made and not yet taken by the port, in columns. They get their time and check
 * at the send call itself (batch_stamp), so what the port refused is stamped anew.
 */
#ifndef PLANECAST_GENERATOR_BATCH_H
#define PLANECAST_GENERATOR_BATCH_H

#include <rte_mbuf.h>

#include "config.h"
#include "signature.h"

struct batch {
    uint32_t first, count; /* those at [first, count) are still to be sent */
    struct rte_mbuf *mbuf[BATCH_MAX];
    uint8_t *payload[BATCH_MAX];
    uint32_t crc[BATCH_MAX]; /* signature_of_packet */
    uint64_t sequence[BATCH_MAX];
    uint64_t due[BATCH_MAX];
    uint16_t frame_bytes[BATCH_MAX]; /* in memory */
    uint8_t stream[BATCH_MAX];
    uint8_t full[BATCH_MAX]; /* which signature */
};

static inline void batch_stamp(const struct batch *batch, uint64_t tsc)
{
    for (uint32_t i = batch->first; i < batch->count; i++) {
        if (batch->full[i])
            signature_write_full(batch->payload[i], batch->crc[i], batch->stream[i],
                                 batch->sequence[i], tsc);
        else
            signature_write_compact(batch->payload[i], batch->crc[i], batch->sequence[i], tsc);
    }
}

#endif
