/* SPDX-License-Identifier: Apache-2.0
 *
 * Random numbers: splitmix64 (Steele, Lea, Flood 2014), whose state is a counter, so one number
 * doesn't wait for the one before.
 */
#ifndef PLANECAST_GENERATOR_RANDOM_H
#define PLANECAST_GENERATOR_RANDOM_H

#include <stdint.h>

static inline uint64_t random_next(uint64_t *state)
{
    uint64_t z = *state += UINT64_C(0x9E3779B97F4A7C15);
    z = (z ^ z >> 30) * UINT64_C(0xBF58476D1CE4E5B9);
    z = (z ^ z >> 27) * UINT64_C(0x94D049BB133111EB);
    return z ^ z >> 31;
}

/* In (0, 1]. */
static inline double random_unit(uint64_t *state)
{
    return (double)((random_next(state) >> 11) + 1) * 0x1p-53;
}

#endif
