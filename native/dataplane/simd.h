/* SPDX-License-Identifier: Apache-2.0
 *
 * One number of each of eight packets: whatever varies in a burst is computed for eight packets at
 * once. Where the processor's vectors are shorter, the compiler makes several of one.
 */
#ifndef PLANECAST_SIMD_H
#define PLANECAST_SIMD_H

#include <immintrin.h>
#include <stdint.h>
#include <string.h>

enum { LANES = 8 };
typedef uint32_t lanes __attribute__((vector_size(4 * LANES)));
typedef uint64_t wide_lanes __attribute__((vector_size(4 * LANES)));
typedef uint8_t lane_bytes __attribute__((vector_size(4 * LANES)));
typedef uint32_t half_lanes __attribute__((vector_size(2 * LANES)));

static inline lanes all_lanes(uint32_t x)
{
    return (lanes){x, x, x, x, x, x, x, x};
}

/* In network order: every lane, and every half of a lane. */
static inline lanes big32_lanes(lanes x)
{
    lane_bytes bytes = (lane_bytes)x;
    return (lanes)__builtin_shufflevector(bytes, bytes, 3, 2, 1, 0, 7, 6, 5, 4, 11, 10, 9, 8, 15,
                                          14, 13, 12, 19, 18, 17, 16, 23, 22, 21, 20, 27, 26, 25,
                                          24, 31, 30, 29, 28);
}

static inline lanes big16_lanes(lanes x)
{
    lane_bytes bytes = (lane_bytes)x;
    return (lanes)__builtin_shufflevector(bytes, bytes, 1, 0, 3, 2, 5, 4, 7, 6, 9, 8, 11, 10, 13,
                                          12, 15, 14, 17, 16, 19, 18, 21, 20, 23, 22, 25, 24, 27,
                                          26, 29, 28, 31, 30);
}

/* A random number of 32 bits as one below `end`: the upper half of the product. */
static inline lanes scale_lanes(lanes random, const wide_lanes *end)
{
#ifdef __AVX2__
    __m256i x = (__m256i)random, factor = (__m256i)*end;
    __m256i even = _mm256_srli_epi64(_mm256_mul_epu32(x, factor), 32);
    __m256i odd = _mm256_mul_epu32(_mm256_srli_epi64(x, 32), factor);
    return (lanes)_mm256_blend_epi32(even, odd, 0xAA);
#else
    for (int i = 0; i < LANES; i++)
        random[i] = (uint32_t)(random[i] * (*end)[0] >> 32);
    return random;
#endif
}

/* Words of eight packets become rows of packets by an exchange of lanes in pairs, in fours, and of
 * halves, as in any transposition. */
#define PAIR_LOW(a, b)  __builtin_shufflevector(a, b, 0, 8, 1, 9, 4, 12, 5, 13)
#define PAIR_HIGH(a, b) __builtin_shufflevector(a, b, 2, 10, 3, 11, 6, 14, 7, 15)
#define FOUR_LOW(a, b)  __builtin_shufflevector(a, b, 0, 1, 8, 9, 4, 5, 12, 13)
#define FOUR_HIGH(a, b) __builtin_shufflevector(a, b, 2, 3, 10, 11, 6, 7, 14, 15)
#define HALF_LOW(a, b)  __builtin_shufflevector(a, b, 0, 1, 2, 3, 8, 9, 10, 11)
#define HALF_HIGH(a, b) __builtin_shufflevector(a, b, 4, 5, 6, 7, 12, 13, 14, 15)

/* Pairs of words of eight packets become fours: fours[i] has those of packet i, then those of
 * packet i + 4. */
static inline void make_fours(lanes ab_low, lanes ab_high, lanes cd_low, lanes cd_high,
                              lanes *fours)
{
    fours[0] = FOUR_LOW(ab_low, cd_low);
    fours[1] = FOUR_HIGH(ab_low, cd_low);
    fours[2] = FOUR_LOW(ab_high, cd_high);
    fours[3] = FOUR_HIGH(ab_high, cd_high);
}

/* Words from as many places: entries of a table of 32-bit words; an index is below 2^31. */
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
