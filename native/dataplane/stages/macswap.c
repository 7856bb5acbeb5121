/* SPDX-License-Identifier: Apache-2.0
 *
 * Swaps the two MAC addresses of every packet: whoever sent it gets it back.
 *
 * The first sixteen bytes are one vector: the addresses and, left as they are, the type and two
 * bytes of payload. A load, a shuffle and a store a packet, of four packets at once, so that no
 * load waits for the store before it.
 */
#include <immintrin.h>

#include "../headers.h"
#include "../stage.h"
#include "runts.h"

enum { VECTOR_BYTES = 16, AT_ONCE = 4 };

static inline __m128i load_head(const uint8_t *frame)
{
    return _mm_loadu_si128((const __m128i *)frame);
}

static inline void store_head(uint8_t *frame, __m128i head)
{
    _mm_storeu_si128((__m128i *)frame, head);
}

/* Of fourteen or fifteen bytes: a vector would reach beyond them. */
static void swap_bytes(uint8_t *frame)
{
    for (int i = 0; i < 6; i++) {
        uint8_t byte = frame[i];
        frame[i] = frame[i + 6];
        frame[i + 6] = byte;
    }
}

static SLOW_PATH swap_short(struct burst *burst)
{
    drop_runts(burst);
    for (uint32_t i = 0; i < burst->count; i++)
        swap_bytes(burst->frame[i]);
}

STAGE_FUNCTION(macswap)
{
    (void)context;
    if (unlikely(any_shorter(burst, VECTOR_BYTES))) {
        swap_short(burst);
        return;
    }
    const __m128i swapped = _mm_setr_epi8(6, 7, 8, 9, 10, 11, 0, 1, 2, 3, 4, 5, 12, 13, 14, 15);
    uint8_t *const *frame = burst->frame;
    uint32_t count = burst->count;
    uint32_t i = 0;
    for (; i + AT_ONCE <= count; i += AT_ONCE) {
        __m128i head[AT_ONCE];
        for (uint32_t j = 0; j < AT_ONCE; j++)
            head[j] = load_head(frame[i + j]);
        for (uint32_t j = 0; j < AT_ONCE; j++)
            store_head(frame[i + j], _mm_shuffle_epi8(head[j], swapped));
    }
    for (; i < count; i++)
        store_head(frame[i], _mm_shuffle_epi8(load_head(frame[i]), swapped));
}

static const struct stage macswap = {.name = "macswap", .run = stage_macswap};
STAGE_REGISTER(macswap)
