/* SPDX-License-Identifier: Apache-2.0
 *
 * A frame of one stream and one size before its varying fields: its headers' bytes, where they
 * stand, and what is known of its checksums.
 */
#ifndef PLANECAST_GENERATOR_SHAPE_H
#define PLANECAST_GENERATOR_SHAPE_H

#include "config.h"
#include "fresh_mbuf.h"

enum {
    FCS_BYTES = 4,
    WIRE_GAP_BYTES = 20, /* preamble, start of frame and gap between frames */
    IP_BYTES = 20,
    UDP_BYTES = 8,
    TEMPLATE_BYTES = 64, /* the longest headers take 50 */
    OFFSET_TAGS = 14,    /* outer TCI 2, inner type 2, inner TCI 2 */
};

enum {
    TYPE_IPV4 = 0x0800,
    TYPE_VLAN = 0x8100,
    TYPE_QINQ = 0x88A8,
    TYPE_MPLS = 0x8847,
    TYPE_OURS = 0x88B5, /* IEEE 802's first type for local experiments */
    PROTOCOL_UDP = 17,
};

struct shape {
    uint8_t headers[TEMPLATE_BYTES];
    struct fresh_mbuf fresh;
    uint32_t frame_bytes;    /* in memory: without FCS */
    uint32_t ip_offset;      /* 0: there is none */
    uint32_t payload_offset; /* of the signature */
    uint32_t checksum_base;  /* sum of the IPv4 words but for addresses and DSCP */
    uint32_t begun;          /* signature_begin with the first flow's ports */
    uint32_t stream;         /* its number */
    bool full;               /* the signature is the full one */
} __attribute__((aligned(64)));

/* `stream` is the stream's number; frame_bytes has the FCS. */
void shape_set(struct shape *shape, const struct stream_config *config, uint32_t stream,
               uint32_t frame_bytes);

/* The Internet checksum (RFC 1071) of a sum of up to 2^16 words. */
static inline uint16_t checksum_fold(uint32_t sum)
{
    return (uint16_t) ~((sum + (sum << 16 | sum >> 16)) >> 16);
}

#endif
