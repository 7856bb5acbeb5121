/* SPDX-License-Identifier: Apache-2.0
 *
 * The bytes of the two frame formats of the vPE upstream pipeline.
 *
 *   in   Ethernet 12 | 0x88A8 S-VLAN 4 | 0x8100 C-VLAN 4 | 0x0800 2 | IPv4 20 | UDP 8 ...
 *   out  Ethernet 12 | 0x8847 2 | MPLS label 4 | MPLS label 4       | IPv4 20 | UDP 8 ...
 *
 * Both have 22 bytes before the IPv4 header: encapsulation rewrites in place and moves nothing.
 * UDP, because a 64-byte frame leaves 18 bytes after IPv4 here, two fewer than a TCP header.
 */
#ifndef PLANECAST_HEADERS_H
#define PLANECAST_HEADERS_H

#include <immintrin.h>
#include <rte_byteorder.h>
#include <stdbool.h>
#include <stdint.h>

#include "bytes.h"

enum {
    FCS_BYTES = 4,
    L2_BYTES = 22,
    IP_BYTES = 20,
    UDP_BYTES = 8,
    OFFSET_OUTER_TYPE = 12,
    OFFSET_TAGS = 14, /* outer TCI 2, inner type 2, inner TCI 2, payload type 2 */
    OFFSET_IP = L2_BYTES,
    OFFSET_IP_TOS = OFFSET_IP + 1,
    OFFSET_IP_LENGTH = OFFSET_IP + 2,
    OFFSET_IP_TTL = OFFSET_IP + 8,
    OFFSET_IP_PROTOCOL = OFFSET_IP + 9,
    OFFSET_IP_CHECKSUM = OFFSET_IP + 10,
    OFFSET_IP_SOURCE = OFFSET_IP + 12,
    OFFSET_IP_DESTINATION = OFFSET_IP + 16,
    OFFSET_PORTS = OFFSET_IP + IP_BYTES,
    FRAME_MIN_BYTES = L2_BYTES + IP_BYTES + UDP_BYTES,
};

enum {
    ETHER_TYPE_QINQ = 0x88A8,
    ETHER_TYPE_VLAN = 0x8100,
    ETHER_TYPE_IPV4 = 0x0800,
    ETHER_TYPE_MPLS = 0x8847,
    PROTOCOL_UDP = 17,
    VLAN_ID_BITS = 12,
    FLOW_ID_BITS = 2 * VLAN_ID_BITS,
};

/* The eight bytes at OFFSET_TAGS as the flow table's key: both VLAN ids (host order here) and no
 * more. */
#define VLAN_IDS_MASK UINT64_C(0x0FFF00000FFF0000)
#define FLOW_KEY_MASK RTE_BE64(VLAN_IDS_MASK)

/* The VLAN ids of a flow id, svlan << 12 | cvlan, at their places in the tags, host order. */
static inline uint64_t vlan_ids_of(uint32_t flow)
{
#ifdef __BMI2__
    return _pdep_u64(flow, VLAN_IDS_MASK);
#else
    return (uint64_t)(flow >> VLAN_ID_BITS & 0xFFF) << 48 | (uint64_t)(flow & 0xFFF) << 16;
#endif
}

static inline uint64_t flow_key_of(uint32_t flow)
{
    return big64(vlan_ids_of(flow));
}

/* 64 bits wide, so that an index made of it need not be widened. */
static inline uint64_t flow_id_of(uint64_t key)
{
    uint64_t tags = big64(key);
#ifdef __BMI2__
    return _pext_u64(tags, VLAN_IDS_MASK);
#else
    return (tags >> 48 & 0xFFF) << VLAN_ID_BITS | (tags >> 16 & 0xFFF);
#endif
}

/* Folds a sum of up to 2^16 words of 16 bits into the Internet checksum (RFC 1071). Adding a number
 * to itself with the halves swapped leaves the end-around sum of the halves in the upper one. */
static inline uint16_t checksum_fold(uint32_t sum)
{
    return (uint16_t) ~((sum + (sum << 16 | sum >> 16)) >> 16);
}

/* An IPv4 checksum, as it was loaded, after the TTL went down by one: the sum is 0x0100 lower, so
 * its complement is as much higher (RFC 1624, equation 3), which is 1 for a little-endian load.
 * What is carried out comes in again at the end; so does 0xFFFF, which no header has: it must
 * become 0. */
static inline uint16_t checksum_after_hop(uint16_t checksum)
{
    uint16_t sum = 0;
    bool carried = __builtin_add_overflow(checksum, (uint16_t)2, &sum);
    return (uint16_t)(sum - 1 + carried);
}

#endif
