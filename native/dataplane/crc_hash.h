/* SPDX-License-Identifier: Apache-2.0
 *
 * A hash of eight bytes: their CRC32C, by the processor's own instruction.
 */
#ifndef PLANECAST_CRC_HASH_H
#define PLANECAST_CRC_HASH_H

#include <nmmintrin.h>
#include <stdint.h>

static inline uint32_t crc_hash(uint64_t key)
{
    return (uint32_t)_mm_crc32_u64(0, key);
}

#endif
