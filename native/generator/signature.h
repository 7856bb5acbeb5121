/* SPDX-License-Identifier: Apache-2.0
 *
 * What every packet carries to be known again: the first bytes behind its headers, little-endian.
 *
 *   full     magic 2 | stream 2 | check 4 | sequence 8 | TSC 8     where 24 bytes or more are there
 *   compact  sequence 4 | TSC / 8, lowest bits 4 | check 2         in the 10 that a 64-byte frame
 *                                                                  has after QinQ, IPv4 and UDP
 *
 * It stands behind the headers and not at the end of the frame, because a switch pads a frame whose
 * tags it takes off, and because a long frame's end is a cache line more to touch. Which of the two
 * it is follows from the UDP length. IPv4's identification has the magic and the stream's number:
 * the compact one needs them.
 *
 * The check is a CRC-32C over what no network function on the way may change: stream, UDP ports and
 * length, addresses, sequence and time; the compact one has its two halves, one upon the other. MAC
 * addresses, tags, labels, TTL, DSCP and the header's checksum are not in it: a bridge, an edge
 * router, any router writes them. For the bytes behind the signature there is payload.h.
 */
#ifndef PLANECAST_GENERATOR_SIGNATURE_H
#define PLANECAST_GENERATOR_SIGNATURE_H

#include <immintrin.h>
#include <stdbool.h>

#include "bytes.h"

enum {
    SIGNATURE_MAGIC = 0x9C, /* upper byte of IPv4's identification */
    SIGNATURE_FULL_MAGIC = 0x9CA5,
    SIGNATURE_FULL_BYTES = 24,
    SIGNATURE_COMPACT_BYTES = 10,
    SIGNATURE_TIME_SHIFT = 3, /* of the compact time: 32 bits of it last 13 s at 2.6 GHz */
};

/* The UDP header's ports and length: its checksum may be filled in on the way. */
#define SIGNATURE_PORTS_MASK UINT64_C(0x0000FFFFFFFFFFFF)

static inline uint32_t signature_add(uint32_t crc, uint64_t word)
{
    return (uint32_t)_mm_crc32_u64(crc, word);
}

/* The part that a stream's packets share. `ports` are the first 8 bytes of UDP's header, masked, or
 * 0 with Ethernet alone; so is `addresses`, IPv4's two as they were loaded. */
static inline uint32_t signature_begin(uint32_t stream, uint64_t ports)
{
    return signature_add(signature_add(SIGNATURE_FULL_MAGIC, stream), ports);
}

static inline uint32_t signature_of_packet(uint32_t begun, uint64_t addresses, uint64_t sequence)
{
    return signature_add(signature_add(begun, addresses), sequence);
}

static inline uint16_t signature_fold(uint32_t crc)
{
    return (uint16_t)(crc ^ crc >> 16);
}

static inline uint32_t signature_compact_time(uint64_t tsc)
{
    return (uint32_t)(tsc >> SIGNATURE_TIME_SHIFT);
}

/* `crc` is signature_of_packet of the whole sequence number. */
static inline void signature_write_full(uint8_t *payload, uint32_t crc, uint32_t stream,
                                        uint64_t sequence, uint64_t tsc)
{
    uint64_t check = signature_add(crc, tsc);
    store64(payload, SIGNATURE_FULL_MAGIC | (uint64_t)stream << 16 | check << 32);
    store64(payload + 8, sequence);
    store64(payload + 16, tsc);
}

/* `crc` is signature_of_packet of the sequence number's lower 32 bits. */
static inline void signature_write_compact(uint8_t *payload, uint32_t crc, uint64_t sequence,
                                           uint64_t tsc)
{
    uint64_t time = signature_compact_time(tsc);
    store64(payload, (uint32_t)sequence | time << 32);
    store16(payload + 8, signature_fold(signature_add(crc, time)));
}

#endif
