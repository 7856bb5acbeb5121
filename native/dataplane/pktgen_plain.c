/* SPDX-License-Identifier: Apache-2.0 */
#include "pktgen_plain.h"

#include <rte_mbuf_ptype.h>

#include "traffic.h"

#define PACKET_TYPE (RTE_PTYPE_L2_ETHER | RTE_PTYPE_L3_IPV4 | RTE_PTYPE_L4_UDP)

/* Where things are in a plain frame. */
enum {
    AT_MAC_TO = 2, /* the four bytes that differ */
    AT_MAC_FROM = 8,
    AT_TYPE = 12,
    AT_IP = PLAIN_L2_BYTES,
    AT_CHECKSUM = AT_IP + 10,
    AT_SOURCE = AT_IP + 12,
    AT_DESTINATION = AT_IP + 16,
    AT_PORTS = AT_IP + IP_BYTES,
};

static void make_header(uint8_t *frame, uint16_t frame_bytes)
{
    uint16_t ip_bytes = (uint16_t)(frame_bytes - PLAIN_L2_BYTES);
    memset(frame, 0, TEMPLATE_BYTES);
    frame[0] = frame[6] = 2; /* locally administered */
    store16(frame + AT_TYPE, RTE_BE16(ETHER_TYPE_IPV4));
    frame[AT_IP] = 0x45;
    store16(frame + AT_IP + 2, big16(ip_bytes));
    frame[AT_IP + 8] = TTL;
    frame[AT_IP + 9] = PROTOCOL_UDP;
    store16(frame + AT_PORTS + 4, big16((uint16_t)(ip_bytes - IP_BYTES)));
}

void pktgen_plain_set(struct pktgen_plain *maker, const struct packet_profile *profile,
                      uint8_t input)
{
    *maker = (struct pktgen_plain){
        .fresh = {.rearm = profile->mbuf_rearm,
                  .packet_type = PACKET_TYPE,
                  .packet_bytes = profile->frame_bytes,
                  .data_bytes = profile->frame_bytes},
        .flow_first = profile->flow_first,
        .flow_count = profile->flow_count,
        .destination_step = profile->destination_step,
        .mac_to = (uint32_t)(input ^ 1) << FLOW_ID_BITS,
        .mac_from = (uint32_t)input << FLOW_ID_BITS,
    };
    make_header(maker->header, profile->frame_bytes);
    for (int i = 0; i < IP_BYTES; i += 2)
        maker->checksum_base += load16(maker->header + AT_IP + i);
}

static inline void make_one(const struct pktgen_plain *maker, uint32_t number,
                            struct rte_mbuf *mbuf)
{
    uint8_t *frame = (uint8_t *)mbuf + MBUF_TO_FRAME;
    uint32_t random = MIX(number, MIX_A, MIX_B);
    uint32_t flow = maker->flow_first + (uint32_t)((uint64_t)random * maker->flow_count >> 32);
    uint32_t from = big32((uint32_t)PLAIN_SOURCE_NET << 24 | (flow & 0xFFFFFF));
    uint32_t to = big32(plain_destination(flow, maker->destination_step));
    /* Network order: from 1024 up, and below 1024. */
    uint32_t ports = (random & 0xFF03FF7FU) | RTE_BE16(SOURCE_PORT_MIN);
    uint32_t sum =
        maker->checksum_base + (from >> 16) + (from & 0xFFFF) + (to >> 16) + (to & 0xFFFF);
    memcpy(&mbuf->rearm_data, &maker->fresh, sizeof maker->fresh);
    memcpy(frame, maker->header, TEMPLATE_BYTES);
    store32(frame + AT_MAC_TO, big32(maker->mac_to | flow));
    store32(frame + AT_MAC_FROM, big32(maker->mac_from | flow));
    store16(frame + AT_CHECKSUM, checksum_fold(sum));
    store32(frame + AT_SOURCE, from);
    store32(frame + AT_DESTINATION, to);
    store32(frame + AT_PORTS, ports);
}

void make_plain(const struct pktgen_plain *maker, uint32_t sequence, struct rte_mbuf *const *mbufs,
                uint32_t count)
{
    const struct pktgen_plain here = *maker; /* no store below can change it */
    for (uint32_t i = 0; i < count; i++)
        make_one(&here, sequence + i, mbufs[i]);
}
