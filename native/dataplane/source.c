/* SPDX-License-Identifier: Apache-2.0 */
#include "source.h"

#include <rte_ethdev.h>
#include <rte_mbuf_ptype.h>
#include <rte_meter.h>

#include "headers.h"
#include "poison.h"
#include "traffic.h"

/* Bytes from the start of an mbuf to its packet: the pool has no private area. */
enum { MBUF_TO_FRAME = sizeof(struct rte_mbuf) + RTE_PKTMBUF_HEADROOM };

/* What a NIC says of the profile's packets. */
#define PACKET_TYPE      (RTE_PTYPE_L2_ETHER_QINQ | RTE_PTYPE_L3_IPV4 | RTE_PTYPE_L4_UDP)
#define TAGS_WITHOUT_IDS RTE_BE64((uint64_t)ETHER_TYPE_VLAN << 32 | ETHER_TYPE_IPV4)

static inline uint32_t mix(uint32_t x)
{ /* a permutation of 32 bits; Wellons' lowbias32 */
    x ^= x >> 16;
    x *= 0x7FEB352DU;
    x ^= x >> 15;
    x *= 0x846CA68BU;
    return x ^ x >> 16;
}

static bool read_rearm_word(struct rte_mempool *pool, uint64_t *word)
{
    struct rte_mbuf *mbuf = rte_pktmbuf_alloc(pool);
    if (mbuf == NULL)
        return false;
    *word = load64(&mbuf->rearm_data);
    rte_pktmbuf_free(mbuf);
    return true;
}

bool source_open(struct source *source, const struct config *config, uint32_t lcore,
                 struct rte_mempool *pool)
{
    source->port = config->rx_port;
    source->queue = (uint16_t)lcore;
    source->pool = pool;
    source->sequence = mix(config->seed * LCORES_MAX + lcore);
    source->destination_step = config->destination_step;
    source->destination = lcore * 4099 * config->destination_step; /* lcores walk apart */
    for (uint32_t i = 0; i < DSCP_SLOTS; i++) {
        source->tos[i] = (uint32_t)config->dscp[i % config->dscp_count] << 2;
    }
    if (source->port != PORT_INTERNAL)
        return true;
    return read_rearm_word(pool, &source->mbuf_rearm) &&
           ring_open(&source->ring, config->rx_ring, pool);
}

void source_close(struct source *source)
{
    ring_close(&source->ring, source->pool);
}

/* The bytes that all packets of a trial share, and their part of the IPv4 checksum. */
static void make_template(struct source *source)
{
    uint8_t *frame = source->template.bytes;
    uint16_t ip_bytes = (uint16_t)(source->frame_bytes - L2_BYTES);
    memset(frame, 0, TEMPLATE_BYTES);
    static const uint8_t addresses[12] = {2, 0, 0, 0, 0, 1, 2, 0, 0, 0, 0, 2};
    memcpy(frame, addresses, sizeof addresses);
    store16(frame + OFFSET_OUTER_TYPE, RTE_BE16(ETHER_TYPE_QINQ));
    store16(frame + OFFSET_TAGS + 2, RTE_BE16(ETHER_TYPE_VLAN));
    store16(frame + OFFSET_TAGS + 6, RTE_BE16(ETHER_TYPE_IPV4));
    frame[OFFSET_IP] = 0x45;
    store16(frame + OFFSET_IP_LENGTH, big16(ip_bytes));
    frame[OFFSET_IP_TTL] = TTL;
    frame[OFFSET_IP_PROTOCOL] = PROTOCOL_UDP;
    store16(frame + OFFSET_PORTS + 4, big16((uint16_t)(ip_bytes - IP_BYTES)));
    source->checksum_base = 0;
    for (int i = 0; i < IP_BYTES; i += 2)
        source->checksum_base += load16(frame + OFFSET_IP + i);
}

void source_set_traffic(struct source *source, const struct config *config,
                        const struct traffic *traffic, uint32_t lcore)
{
    (void)config;
    uint64_t flows = traffic->flows;
    source->flow_first = (uint32_t)(flows * lcore / traffic->lcores);
    source->flow_count = (uint32_t)(flows * (lcore + 1) / traffic->lcores) - source->flow_first;
    if (source->flow_count == 0)
        source->flow_count = 1; /* fewer flows than lcores: they share */
    source->frame_bytes = (uint16_t)(traffic->frame_bytes - FCS_BYTES);
    make_template(source);
}

/* The varying header fields of a burst, in columns: the compiler computes several packets at once.
 */
struct fields {
    uint32_t flow[BURST_MAX];
    uint32_t tos[BURST_MAX];
    uint32_t ports[BURST_MAX], from[BURST_MAX], to[BURST_MAX]; /* network order */
    uint32_t checksum[BURST_MAX];
};

static inline void choose_fields(struct source *source, struct fields *fields, uint16_t count)
{
    uint32_t sequence = source->sequence, to = source->destination, step = source->destination_step;
    uint32_t first = source->flow_first, base = source->checksum_base;
    uint64_t flows = source->flow_count;
    for (uint32_t i = 0; i < count; i++) {
        uint32_t random = mix(sequence + i);
        fields->flow[i] = first + (uint32_t)(random * flows >> 32);
        fields->ports[i] = RTE_BE16(SOURCE_PORT_MIN) | (random & 0xFF03FF7FU);
    }
    for (uint32_t i = 0; i < count; i++)
        fields->tos[i] = source->tos[fields->flow[i] % DSCP_SLOTS];
    for (uint32_t i = 0; i < count; i++) {
        uint32_t from = big32(fields->flow[i]), destination = big32(to + i * step);
        uint32_t sum = base + (fields->tos[i] << 8) + (from >> 16) + (from & 0xFFFF) +
                       (destination >> 16) + (destination & 0xFFFF);
        fields->from[i] = from; /* in 0.0.0.0/8: a flow id has 24 bits */
        fields->to[i] = destination;
        fields->checksum[i] = checksum_fold(sum);
    }
    source->sequence = sequence + count;
    source->destination = to + count * step;
}

/* Template, then what varies: what a NIC would have written. */
static inline void write_headers(uint8_t *frame, half_template first, half_template second,
                                 const struct fields *fields, uint16_t i)
{
    memcpy(frame, &first, sizeof first);
    memcpy(frame + sizeof first, &second, sizeof second);
    store64(frame + OFFSET_TAGS, TAGS_WITHOUT_IDS | flow_key_of(fields->flow[i]));
    frame[OFFSET_IP_TOS] = (uint8_t)fields->tos[i];
    store16(frame + OFFSET_IP_CHECKSUM, (uint16_t)fields->checksum[i]);
    store32(frame + OFFSET_IP_SOURCE, fields->from[i]);
    store32(frame + OFFSET_IP_DESTINATION, fields->to[i]);
    store32(frame + OFFSET_PORTS, fields->ports[i]);
}

/* An mbuf from data_off to data_len, as the descriptor of a received packet sets it: one store. */
struct fresh_mbuf {
    uint64_t rearm, ol_flags;
    uint32_t packet_type, packet_bytes;
    uint16_t data_bytes, vlan_tci;
    uint32_t rss;
};
_Static_assert(offsetof(struct rte_mbuf, ol_flags) - offsetof(struct rte_mbuf, rearm_data) ==
                   offsetof(struct fresh_mbuf, ol_flags),
               "the mbuf's fields are where they were");
_Static_assert(offsetof(struct rte_mbuf, data_len) - offsetof(struct rte_mbuf, rearm_data) ==
                   offsetof(struct fresh_mbuf, data_bytes),
               "the mbuf's fields are where they were");

static void receive_internal(struct source *source, struct burst *burst)
{
    struct rte_mbuf *fresh[BURST_MAX];
    struct fields fields;
    uint16_t count = source->burst;
    if (unlikely(rte_mempool_get_bulk(source->pool, (void **)fresh, count) != 0))
        count = 0;
    choose_fields(source, &fields, count);
    ring_exchange(&source->ring, fresh, burst->packet, count);
    /* Copies: a store into a packet could otherwise change them, as far as the compiler knows. */
    struct fresh_mbuf received = {.rearm = source->mbuf_rearm,
                                  .packet_type = PACKET_TYPE,
                                  .packet_bytes = source->frame_bytes,
                                  .data_bytes = source->frame_bytes};
    half_template first = source->template.half[0], second = source->template.half[1];
    BURST_UNROLL
    for (uint16_t i = 0; i < count; i++) {
        struct rte_mbuf *mbuf = burst->packet[i];
        memcpy(&mbuf->rearm_data, &received, sizeof received);
        burst->frame[i] = (uint8_t *)mbuf + MBUF_TO_FRAME;
        write_headers((uint8_t *)mbuf + MBUF_TO_FRAME, first, second, &fields, i);
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
 * headers say. The bytes are read whatever packet type the port tells: none of DPDK's says all of
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

static void receive_port(struct source *source, struct burst *burst)
{
    uint8_t verdict[BURST_MAX];
    uint32_t any = DROP_NONE;
    burst->count =
        rte_eth_rx_burst((uint16_t)source->port, source->queue, burst->packet, source->burst);
    burst->received = burst->count;
    for (uint16_t i = 0; i < burst->count; i++) {
        burst->frame[i] = rte_pktmbuf_mtod(burst->packet[i], uint8_t *);
        rte_prefetch0(burst->frame[i]);
        poison_around(burst->packet[i]);
    }
    for (uint16_t i = 0; i < burst->count; i++) {
        verdict[i] = is_bad(burst->packet[i], burst->frame[i]) ? DROP_HEADER : DROP_NONE;
        any |= verdict[i];
    }
    if (unlikely(any != DROP_NONE))
        burst_drop(burst, verdict);
}

void stage_source(struct source *source, struct burst *burst)
{
    if (source->port == PORT_INTERNAL) {
        receive_internal(source, burst); /* our own headers are known to be right */
        burst->received = burst->count;
    } else {
        receive_port(source, burst);
    }
    memset(burst->colour, RTE_COLOR_GREEN, burst->count); /* should no meter run */
}
