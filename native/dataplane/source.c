/* SPDX-License-Identifier: Apache-2.0 */
#include "source.h"

#include <rte_ethdev.h>

#include "asan.h"
#include "headers.h"

static uint32_t mix(uint32_t x)
{
    return MIX(x, MIX_A, MIX_B);
}

bool source_open(struct source *source, const struct config *config, uint32_t input, uint32_t lcore,
                 struct rte_mempool *pool)
{
    source->port = config->rx.port[input];
    source->queue = config->rx_by_queue ? (uint16_t)lcore : 0;
    source->input = (uint8_t)input;
    source->lcore = (uint8_t)lcore;
    source->format = config_function(config)->format;
    source->pool = pool;
    source->sequence = mix((config->seed * PORTS_MAX + input) * LCORES_MAX + lcore);
    source->profile.destination_step = config->destination_step;
    source->destination = lcore * 4099 * config->destination_step; /* lcores walk apart */
    for (uint32_t i = 0; i < DSCP_SLOTS; i++) {
        source->profile.tos[i] = (uint8_t)(config->dscp.value[i % config->dscp.count] << 2);
    }
    if (source->port != PORT_INTERNAL)
        return true;
    source->spare = rte_pktmbuf_alloc(pool);
    if (source->spare == NULL)
        return false;
    source->profile.mbuf_rearm = load64(&source->spare->rearm_data);
    return ring_open(&source->ring, config->rx_ring, pool);
}

void source_close(struct source *source)
{
    ring_close(&source->ring, source->pool);
    rte_pktmbuf_free(source->spare); /* NULL is no buffer */
    source->spare = NULL;
}

void source_set_traffic(struct source *source, const struct traffic *traffic, uint32_t lcore)
{
    uint64_t flows = traffic->flows;
    struct packet_profile *profile = &source->profile;
    uint32_t first = (uint32_t)(flows * lcore / traffic->lcores);
    uint32_t count = (uint32_t)(flows * (lcore + 1) / traffic->lcores) - first;
    profile->frame_bytes = (uint16_t)(traffic->frame_bytes - FCS_BYTES);
    profile->flow_first = first;
    profile->flow_count = RTE_MAX(count, 1U); /* fewer flows than lcores: they share */
    pktgen_qinq_set(&source->qinq, profile);
    pktgen_plain_set(&source->plain, profile, source->input);
    pktgen_tuple_set(&source->tuple, profile);
}

static __rte_always_inline void make_packets(struct source *source, struct burst *burst,
                                             uint32_t count)
{
    const lanes from_zero = {0, 1, 2, 3, 4, 5, 6, 7};
    const struct pktgen_qinq *pktgen = &source->qinq;
    uint32_t destination_step = source->profile.destination_step;
    lanes sequence = source->sequence + from_zero;
    lanes destination = source->destination + from_zero * destination_step;
    for (uint32_t i = count; i % LANES != 0; i++)
        burst->packet[i] = source->spare; /* fewer than eight: the others of the eight go nowhere */
    for (uint32_t i = 0; i < count; i += LANES) {
        make_eight(pktgen, sequence, destination, &burst->packet[i]);
        sequence += LANES;
        destination += pktgen->step;
    }
    source->sequence += count;
    source->destination += count * destination_step;
}

static __rte_always_inline void receive_internal(struct source *source, struct burst *burst)
{
    uint16_t count = (uint16_t)ring_take(&source->ring, source->pool, burst->packet, burst->frame,
                                         source->burst);
    if (source->format == FORMAT_QINQ) {
        make_packets(source, burst, count);
    } else if (source->format == FORMAT_TUPLE) {
        make_tuples(&source->tuple, source->sequence, burst->packet, count);
        source->sequence += count;
    } else {
        make_plain(&source->plain, source->sequence, burst->packet, count);
        source->sequence += count;
    }
    burst->count = count;
}

#define TYPES_MASK        RTE_BE64(UINT64_C(0xFFFF0000FFFF0000))
#define TYPES_QINQ        RTE_BE64(UINT64_C(0x88A8000081000000))
#define TYPES_DOUBLE_VLAN RTE_BE64(UINT64_C(0x8100000081000000))
#define PAYLOAD_MASK      RTE_BE32(0xFFFFFF00U)
#define PAYLOAD_IPV4                                                                               \
    RTE_BE32(0x08004500U) /* EtherType, then version 4 with a header of five words */

/* Not ours to forward: other tags than two of VLAN, no IPv4, options, or fewer bytes than the
 * headers say. The bytes are read whatever packet type the port shows: none of DPDK's says all of
 * this. */
static inline bool is_bad(const struct rte_mbuf *mbuf, const uint8_t *frame)
{
    if (unlikely(mbuf->data_len < FRAME_MIN_BYTES))
        return true; /* what lies behind is not the packet's: it is not looked at */
    uint64_t types = load64(frame + OFFSET_OUTER_TYPE) & TYPES_MASK;
    uint32_t payload = load32(frame + OFFSET_IP - 2) & PAYLOAD_MASK;
    uint32_t ip_bytes = big16(load16(frame + OFFSET_IP_LENGTH));
    return (types != TYPES_QINQ && types != TYPES_DOUBLE_VLAN) || payload != PAYLOAD_IPV4 ||
           ip_bytes < IP_BYTES + UDP_BYTES || L2_BYTES + ip_bytes > mbuf->pkt_len;
}

static SLOW_PATH drop_bad(struct burst *burst)
{
    uint8_t verdict[BURST_MAX];
    for (uint16_t i = 0; i < burst->count; i++)
        verdict[i] = is_bad(burst->packet[i], burst->frame[i]) ? DROP_HEADER : DROP_NONE;
    burst_drop(burst, verdict);
}

static void receive_port(struct source *source, struct burst *burst)
{
    uint32_t count =
        rte_eth_rx_burst((uint16_t)source->port, source->queue, burst->packet, source->burst);
    burst->count = burst->received = (uint16_t)count;
    if (source->unread)
        return;
    for (uint32_t i = 0; i < count; i++) {
        burst->frame[i] = rte_pktmbuf_mtod(burst->packet[i], uint8_t *);
        rte_prefetch0(burst->frame[i]);
        poison_around(burst->packet[i]);
    }
    if (source->format != FORMAT_QINQ)
        return;
    uint32_t bad = 0;
    for (uint32_t i = 0; i < count; i++)
        bad += is_bad(burst->packet[i], burst->frame[i]);
    if (unlikely(bad > 0))
        drop_bad(burst);
}

void stage_source(struct source *source, struct burst *burst)
{
    burst->input = source->input;
    if (source->port == PORT_INTERNAL) {
        receive_internal(source, burst); /* our own headers are known to be right */
        burst->received = burst->count;
    } else {
        receive_port(source, burst);
    }
}
