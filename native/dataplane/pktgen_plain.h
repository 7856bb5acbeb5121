/* SPDX-License-Identifier: Apache-2.0
 *
 * Makes plain packets: Ethernet, IPv4, UDP, of uniformly random flows.
 *
 *   MAC addresses  02:00:PP:FF:FF:FF: the source's of this input and flow, the destination's of the
 *                  same flow at the other input of its pair (input 0 and 1, 2 and 3 ...)
 *   source         10.0.0.0/8 plus the flow
 *   destination    128.0.0.0/2 plus the flow times `destination_step`, which wraps there: addresses
 *                  of hosts, all of them; source and destination belong together
 *   UDP ports      random ones, as in pktgen_qinq.h
 */
#ifndef PLANECAST_PKTGEN_PLAIN_H
#define PLANECAST_PKTGEN_PLAIN_H

#include "pktgen_qinq.h"

enum {
    PLAIN_L2_BYTES = 14,
    PLAIN_FRAME_MIN_BYTES = PLAIN_L2_BYTES + IP_BYTES + UDP_BYTES,
    PLAIN_SOURCE_NET = 10,
    PLAIN_DESTINATION_BITS = 30,
};

/* What plain packets of a trial have in common. */
struct pktgen_frame {
    struct fresh_mbuf fresh;
    uint8_t header[TEMPLATE_BYTES]; /* zero where packets differ */
    uint32_t checksum_base;
    uint32_t flow_first, flow_count, destination_step;
};

void pktgen_frame_set(struct pktgen_frame *common, const struct packet_profile *profile);

/* The flow of a random number. */
static inline uint32_t pktgen_flow(const struct pktgen_frame *common, uint32_t random)
{
    return common->flow_first + (uint32_t)((uint64_t)random * common->flow_count >> 32);
}

/* Writes a packet into a buffer: the common bytes, then addresses and ports in network order. */
static inline uint8_t *pktgen_write(const struct pktgen_frame *common, struct rte_mbuf *mbuf,
                                    uint32_t from, uint32_t to, uint32_t ports)
{
    uint8_t *frame = (uint8_t *)mbuf + MBUF_TO_FRAME, *ip = frame + PLAIN_L2_BYTES;
    uint32_t sum =
        common->checksum_base + (from >> 16) + (from & 0xFFFF) + (to >> 16) + (to & 0xFFFF);
    memcpy(&mbuf->rearm_data, &common->fresh, sizeof common->fresh);
    memcpy(frame, common->header, TEMPLATE_BYTES);
    store16(ip + 10, checksum_fold(sum));
    store32(ip + 12, from);
    store32(ip + 16, to);
    store32(ip + IP_BYTES, ports);
    return frame;
}

struct pktgen_plain {
    struct pktgen_frame common;
    uint32_t mac_to, mac_from; /* the third byte of the addresses, in its place */
};

/* The MAC address of an input's side of a flow, as its bytes lie in memory, in the lower 48 bits.
 */
static inline uint64_t plain_station(uint8_t input, uint32_t flow)
{
    return 2 | (uint64_t)big32((uint32_t)input << FLOW_ID_BITS | flow) << 16;
}

static inline uint32_t plain_destination(uint32_t flow, uint32_t destination_step)
{
    const uint32_t net = UINT32_C(2) << PLAIN_DESTINATION_BITS; /* 128.0.0.0 */
    return net | (flow * destination_step & ((1U << PLAIN_DESTINATION_BITS) - 1));
}

static inline bool is_plain_destination(uint32_t address)
{
    return address >> PLAIN_DESTINATION_BITS == 2;
}

void pktgen_plain_set(struct pktgen_plain *pktgen, const struct packet_profile *profile,
                      uint8_t input);

/* Writes packets number `sequence` and on into `count` buffers. */
void make_plain(const struct pktgen_plain *pktgen, uint32_t sequence, struct rte_mbuf *const *mbufs,
                uint32_t count);

#endif
