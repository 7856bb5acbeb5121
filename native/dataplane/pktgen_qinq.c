/* SPDX-License-Identifier: Apache-2.0 */
#include "pktgen_qinq.h"

#include <rte_mbuf_ptype.h>

#include "traffic.h"

/* What a NIC says of the profile's packets. */
#define PACKET_TYPE (RTE_PTYPE_L2_ETHER_QINQ | RTE_PTYPE_L3_IPV4 | RTE_PTYPE_L4_UDP)

/* The bytes that all packets of a trial share; zero where they differ. */
static void make_template(uint8_t *frame, uint16_t frame_bytes)
{
    static const uint8_t addresses[12] = {2, 0, 0, 0, 0, 1, 2, 0, 0, 0, 0, 2};
    uint16_t ip_bytes = (uint16_t)(frame_bytes - L2_BYTES);
    memset(frame, 0, TEMPLATE_BYTES);
    memcpy(frame, addresses, sizeof addresses);
    store16(frame + OFFSET_OUTER_TYPE, RTE_BE16(ETHER_TYPE_QINQ));
    store16(frame + OFFSET_TAGS + 2, RTE_BE16(ETHER_TYPE_VLAN));
    store16(frame + OFFSET_TAGS + 6, RTE_BE16(ETHER_TYPE_IPV4));
    frame[OFFSET_IP] = 0x45;
    store16(frame + OFFSET_IP_LENGTH, big16(ip_bytes));
    frame[OFFSET_IP_TTL] = TTL;
    frame[OFFSET_IP_PROTOCOL] = PROTOCOL_UDP;
    store16(frame + OFFSET_PORTS + 4, big16((uint16_t)(ip_bytes - IP_BYTES)));
}

static uint32_t template_sum(const uint8_t *frame)
{
    uint32_t sum = 0;
    for (int i = 0; i < IP_BYTES; i += 2)
        sum += load16(frame + OFFSET_IP + i);
    return sum;
}

void pktgen_qinq_set(struct pktgen_qinq *pktgen, const struct packet_profile *profile)
{
    uint8_t frame[TEMPLATE_BYTES];
    uint64_t flows = profile->flow_count;
    const struct fresh_mbuf fresh = {.rearm = profile->mbuf_rearm,
                                     .packet_type = PACKET_TYPE,
                                     .packet_bytes = profile->frame_bytes,
                                     .data_bytes = profile->frame_bytes};
    make_template(frame, profile->frame_bytes);
    *pktgen = (struct pktgen_qinq){
        .step = all_lanes(LANES * profile->destination_step),
        .flow_first = all_lanes(profile->flow_first),
        .flow_count = {flows, flows, flows, flows},
        .checksum_base = all_lanes(template_sum(frame)),
        .mix = {all_lanes(MIX_A), all_lanes(MIX_B)},
        .index_mask = all_lanes(0xF),
        .index_rest = all_lanes(0x80808000U),
        .vlan_mask = all_lanes(0xFFF),
        .port_mask = all_lanes(0xFF03FF7FU), /* network order: from up to 0x7FFF, to up to 1023 */
        .port_base = all_lanes(RTE_BE16(SOURCE_PORT_MIN)),
        .lower_half = all_lanes(0xFFFF),
    };
    memcpy(&pktgen->fresh, &fresh, sizeof fresh);
    for (int i = 0; i < TEMPLATE_BYTES / 4; i++)
        pktgen->of_template[i] = all_lanes(load32(frame + 4 * i));
    pktgen->first_two = PAIR_LOW(pktgen->of_template[0], pktgen->of_template[1]);
    pktgen->last_two = PAIR_LOW(pktgen->of_template[6], pktgen->of_template[7]);
    for (int i = 0; i < DSCP_SLOTS; i++) {
        pktgen->tos[i / 16][i % 16] = profile->tos[i];
        pktgen->tos[i / 16][16 + i % 16] = profile->tos[i];
    }
}
