/* SPDX-License-Identifier: Apache-2.0
 *
 * Words of eight packets from as many places, brought into one vector: a table's entries, the
 * columns of a header.
 */
#ifndef PLANECAST_GATHER_H
#define PLANECAST_GATHER_H

#include <string.h>

#include "lanes.h"

typedef uint32_t half_lanes __attribute__((vector_size(2 * LANES)));

/* Entries of a table of 32-bit words; an index is below 2^31. */
static inline lanes gather_entries(const uint32_t *table, lanes index)
{
#ifdef __AVX2__
    return (lanes)_mm256_i32gather_epi32((const int *)table, (__m256i)index, 4);
#else
    for (int i = 0; i < LANES; i++)
        index[i] = table[index[i]];
    return index;
#endif
}

/* The same where a lane of `wanted` has its upper bit set; the others stay what they are. */
static inline lanes gather_some(lanes others, const uint32_t *table, lanes index, lanes wanted)
{
#ifdef __AVX2__
    return (lanes)_mm256_mask_i32gather_epi32((__m256i)others, (const int *)table, (__m256i)index,
                                              (__m256i)wanted, 4);
#else
    for (int i = 0; i < LANES; i++)
        others[i] = (int32_t)wanted[i] < 0 ? table[index[i]] : others[i];
    return others;
#endif
}

/* Any bit of any lane. */
static inline int any_lane(lanes x)
{
#ifdef __AVX2__
    return !_mm256_testz_si256((__m256i)x, (__m256i)x);
#else
    uint32_t any = 0;
    for (int i = 0; i < LANES; i++)
        any |= x[i];
    return any != 0;
#endif
}

static inline lanes load_lanes(const void *at)
{
    lanes x;
    memcpy(&x, at, sizeof x);
    return x;
}

static inline void store_lanes(void *at, lanes x)
{
    memcpy(at, &x, sizeof x);
}

/* Sixteen bytes of one packet, then of another. */
static inline lanes load_halves(const uint8_t *low, const uint8_t *high)
{
    half_lanes a, b;
    memcpy(&a, low, sizeof a);
    memcpy(&b, high, sizeof b);
    return __builtin_shufflevector(a, b, 0, 1, 2, 3, 4, 5, 6, 7);
}

#endif
