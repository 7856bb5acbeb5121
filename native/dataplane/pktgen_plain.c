/* SPDX-License-Identifier: Apache-2.0 */
#include "pktgen_plain.h"

#include <rte_mbuf_ptype.h>

#include "traffic.h"

#define PACKET_TYPE (RTE_PTYPE_L2_ETHER | RTE_PTYPE_L3_IPV4 | RTE_PTYPE_L4_UDP)

/* The four bytes of the MAC addresses that differ. */
enum { AT_MAC_TO = 2, AT_MAC_FROM = 8 };

static void make_header(uint8_t *frame, uint16_t frame_bytes)
{
    uint16_t ip_bytes = (uint16_t)(frame_bytes - PLAIN_L2_BYTES);
    uint8_t *ip = frame + PLAIN_L2_BYTES;
    memset(frame, 0, TEMPLATE_BYTES);
    frame[0] = frame[6] = 2; /* locally administered */
    store16(ip - 2, RTE_BE16(ETHER_TYPE_IPV4));
    ip[0] = 0x45;
    store16(ip + 2, big16(ip_bytes));
    ip[8] = TTL;
    ip[9] = PROTOCOL_UDP;
    store16(ip + IP_BYTES + 4, big16((uint16_t)(ip_bytes - IP_BYTES)));
}

void pktgen_frame_set(struct pktgen_frame *common, const struct packet_profile *profile)
{
    *common = (struct pktgen_frame){
        .fresh = {.rearm = profile->mbuf_rearm,
                  .packet_type = PACKET_TYPE,
                  .packet_bytes = profile->frame_bytes,
                  .data_bytes = profile->frame_bytes},
        .flow_first = profile->flow_first,
        .flow_count = profile->flow_count,
        .destination_step = profile->destination_step,
    };
    make_header(common->header, profile->frame_bytes);
    for (int i = 0; i < IP_BYTES; i += 2)
        common->checksum_base += load16(common->header + PLAIN_L2_BYTES + i);
}

void pktgen_plain_set(struct pktgen_plain *pktgen, const struct packet_profile *profile,
                      uint8_t input)
{
    pktgen_frame_set(&pktgen->common, profile);
    pktgen->mac_to = (uint32_t)(input ^ 1) << FLOW_ID_BITS;
    pktgen->mac_from = (uint32_t)input << FLOW_ID_BITS;
}

static inline void make_one(const struct pktgen_plain *pktgen, uint32_t number,
                            struct rte_mbuf *mbuf)
{
    uint32_t random = MIX(number, MIX_A, MIX_B);
    uint32_t flow = pktgen_flow(&pktgen->common, random);
    uint32_t from = big32((uint32_t)PLAIN_SOURCE_NET << 24 | (flow & 0xFFFFFF));
    uint32_t to = big32(plain_destination(flow, pktgen->common.destination_step));
    /* Network order: from 1024 up, and below 1024. */
    uint32_t ports = (random & 0xFF03FF7FU) | RTE_BE16(SOURCE_PORT_MIN);
    uint8_t *frame = pktgen_write(&pktgen->common, mbuf, from, to, ports);
    store32(frame + AT_MAC_TO, big32(pktgen->mac_to | flow));
    store32(frame + AT_MAC_FROM, big32(pktgen->mac_from | flow));
}

void make_plain(const struct pktgen_plain *pktgen, uint32_t sequence, struct rte_mbuf *const *mbufs,
                uint32_t count)
{
    const struct pktgen_plain here = *pktgen; /* no store below can change it */
    for (uint32_t i = 0; i < count; i++)
        make_one(&here, sequence + i, mbufs[i]);
}
