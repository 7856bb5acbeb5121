/* SPDX-License-Identifier: Apache-2.0
 *
 * The flow table's signature of a flow key: its CRC32C, by the processor's own instruction.
 */
#ifndef PLANECAST_SIGNATURE_H
#define PLANECAST_SIGNATURE_H

#include <nmmintrin.h>
#include <stdint.h>

static inline uint32_t flow_signature(uint64_t key)
{
    return (uint32_t)_mm_crc32_u64(0, key);
}

#endif
