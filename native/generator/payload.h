/* SPDX-License-Identifier: Apache-2.0
 *
 * What stands behind the signature, up to the end of the payload: at each place of a frame as it is
 * sent the place times 37, modulo 256. Buffers are filled with it once; sending writes none of it.
 *
 * The receiver finds the place in the first byte of it, because tags may have been put on or taken
 * off on the way, and compares the rest. 37 is odd, so that 256 places differ, and the places where
 * it can begin (with no, one or two tags) differ in more than one bit: no damaged bit goes unseen.
 */
#ifndef PLANECAST_GENERATOR_PAYLOAD_H
#define PLANECAST_GENERATOR_PAYLOAD_H

#include <stdbool.h>

#include "bytes.h"

enum {
    PAYLOAD_PERIOD = 256,
    PAYLOAD_INVERSE = 173, /* of 37, modulo 256 */
    TAG_BYTES = 4,
    TAGS_MAX = 2,
};

extern const uint8_t payload_row[2 * PAYLOAD_PERIOD];

/* Writes it to the frame's bytes [from, to). */
void payload_fill(uint8_t *frame, uint32_t from, uint32_t to);

/* Whether it stands in `bytes`, whose first one was sent at the place `first` or one or two tags
 * behind it. */
static inline bool payload_is_whole(const uint8_t *at, uint32_t bytes, uint32_t first)
{
    if (bytes == 0)
        return true;
    uint8_t place = (uint8_t)(at[0] * PAYLOAD_INVERSE), tags = (uint8_t)(place - first);
    if (tags % TAG_BYTES != 0 || tags > TAGS_MAX * TAG_BYTES)
        return false;
    const uint8_t *row = payload_row + place;
    if (bytes == sizeof(uint64_t)) /* a 64-byte frame of IPv4 */
        return load64(at) == load64(row);
    for (; bytes > PAYLOAD_PERIOD; bytes -= PAYLOAD_PERIOD, at += PAYLOAD_PERIOD) {
        if (memcmp(at, row, PAYLOAD_PERIOD) != 0)
            return false;
    }
    return memcmp(at, row, bytes) == 0;
}

#endif
