/* SPDX-License-Identifier: Apache-2.0 */
#include "pktgen_tuple.h"

#include <rte_mbuf_ptype.h>

#define PACKET_TYPE (RTE_PTYPE_L2_ETHER | RTE_PTYPE_L3_IPV4 | RTE_PTYPE_L4_UDP)

/* Where things are in a plain frame. */
enum {
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
    frame[2] = 1;
    store16(frame + AT_TYPE, RTE_BE16(ETHER_TYPE_IPV4));
    frame[AT_IP] = 0x45;
    store16(frame + AT_IP + 2, big16(ip_bytes));
    frame[AT_IP + 8] = TTL;
    frame[AT_IP + 9] = PROTOCOL_UDP;
    store16(frame + AT_PORTS + 4, big16((uint16_t)(ip_bytes - IP_BYTES)));
}

void pktgen_tuple_set(struct pktgen_tuple *maker, const struct packet_profile *profile)
{
    *maker = (struct pktgen_tuple){
        .fresh = {.rearm = profile->mbuf_rearm,
                  .packet_type = PACKET_TYPE,
                  .packet_bytes = profile->frame_bytes,
                  .data_bytes = profile->frame_bytes},
        .flow_first = profile->flow_first,
        .flow_count = profile->flow_count,
        .destination_step = profile->destination_step,
    };
    make_header(maker->header, profile->frame_bytes);
    for (int i = 0; i < IP_BYTES; i += 2)
        maker->checksum_base += load16(maker->header + AT_IP + i);
}

static inline void make_one(const struct pktgen_tuple *maker, uint32_t number,
                            struct rte_mbuf *mbuf)
{
    uint8_t *frame = (uint8_t *)mbuf + MBUF_TO_FRAME;
    uint32_t random = MIX(number, MIX_A, MIX_B);
    uint32_t flow = maker->flow_first + (uint32_t)((uint64_t)random * maker->flow_count >> 32);
    struct tuple tuple = tuple_of(flow, maker->destination_step);
    uint32_t from = big32(tuple.source), to = big32(tuple.destination);
    uint32_t sum =
        maker->checksum_base + (from >> 16) + (from & 0xFFFF) + (to >> 16) + (to & 0xFFFF);
    memcpy(&mbuf->rearm_data, &maker->fresh, sizeof maker->fresh);
    memcpy(frame, maker->header, TEMPLATE_BYTES);
    store16(frame + AT_CHECKSUM, checksum_fold(sum));
    store32(frame + AT_SOURCE, from);
    store32(frame + AT_DESTINATION, to);
    store32(frame + AT_PORTS, tuple.ports);
}

void make_tuples(const struct pktgen_tuple *maker, uint32_t sequence, struct rte_mbuf *const *mbufs,
                 uint32_t count)
{
    const struct pktgen_tuple here = *maker; /* no store below can change it */
    for (uint32_t i = 0; i < count; i++)
        make_one(&here, sequence + i, mbufs[i]);
}
