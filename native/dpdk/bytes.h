/* SPDX-License-Identifier: Apache-2.0
 *
 * Loads and stores at any address, and byte order, as functions of which the compiler makes one
 * instruction each. DPDK's macros for byte order are inline assembly here, which no compiler turns
 * into vector code.
 */
#ifndef PLANECAST_BYTES_H
#define PLANECAST_BYTES_H

#include <stdint.h>
#include <string.h>

static inline uint16_t big16(uint16_t v)
{
    return __builtin_bswap16(v);
}
static inline uint32_t big32(uint32_t v)
{
    return __builtin_bswap32(v);
}
static inline uint64_t big64(uint64_t v)
{
    return __builtin_bswap64(v);
}
static inline uint16_t load16(const void *p)
{
    uint16_t v;
    memcpy(&v, p, sizeof v);
    return v;
}
static inline uint32_t load32(const void *p)
{
    uint32_t v;
    memcpy(&v, p, sizeof v);
    return v;
}
static inline uint64_t load64(const void *p)
{
    uint64_t v;
    memcpy(&v, p, sizeof v);
    return v;
}
static inline void store16(void *p, uint16_t v)
{
    memcpy(p, &v, sizeof v);
}
static inline void store32(void *p, uint32_t v)
{
    memcpy(p, &v, sizeof v);
}
static inline void store64(void *p, uint64_t v)
{
    memcpy(p, &v, sizeof v);
}

#endif
