/* SPDX-License-Identifier: Apache-2.0
 *
 * Splits the IPv4 address space into exactly `count` prefixes: the rules of the ACL and the routes,
 * so that every destination has one. With 2^d >= count, some prefixes have depth d and the rest d
 * - 1.
 */
#ifndef PLANECAST_PARTITION_H
#define PLANECAST_PARTITION_H

#include <stdint.h>

struct prefix {
    uint32_t address; /* host order */
    uint8_t depth;    /* 0 … 32 */
};

static inline struct prefix partition_prefix(uint32_t count, uint32_t index)
{
    uint8_t depth = 0;
    while ((1ULL << depth) < count)
        depth++;
    uint64_t wide = (1ULL << depth) - count; /* prefixes that are one bit shorter */
    if (index < wide) {
        return (struct prefix){(uint32_t)((uint64_t)index << (33 - depth)), (uint8_t)(depth - 1)};
    }
    uint64_t position = 2 * wide + (index - wide);
    return (struct prefix){(uint32_t)(position << (32 - depth)), depth};
}

/* Which of the `count` prefixes an address is in. */
static inline uint32_t partition_index(uint32_t count, uint32_t address)
{
    uint8_t depth = 0;
    while ((1ULL << depth) < count)
        depth++;
    uint32_t position = (uint32_t)((uint64_t)address >> (32 - depth));
    uint32_t wide = (uint32_t)((1ULL << depth) - count);
    return position < 2 * wide ? position / 2 : position - wide;
}

#endif
