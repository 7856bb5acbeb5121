/* SPDX-License-Identifier: Apache-2.0
 *
 * The checks that a router owes to an IPv4 header (RFC 1812, 5.2.2 and 5.3): length, version,
 * header length, total length, checksum over the whole header; and the addresses that must not be
 * forwarded. What can't be forwarded here is dropped with its cause: there is no host stack to hand
 * it to.
 *
 * Eight packets at a time: their headers are brought into columns, a word of eight packets in each,
 * and every test is a few instructions for all eight. A burst with a packet that fails is looked at
 * once more, packet by packet, for the causes.
 *
 * Ports are promiscuous and the source's MAC addresses are its flows': a frame is taken whatever
 * its destination address is, but for group addresses, whose packets must not be forwarded (5.3.4).
 */
#include <rte_lpm.h>
#include <rte_malloc.h>

#include "../headers.h"
#include "../simd.h"
#include "../stage.h"
#include "ip4.h"

enum { VERSION_4_FIVE_WORDS = 0x45, NET_LOOPBACK = 127, NET_LAST = 223 };

static bool is_unicast(uint32_t first_byte)
{
    return first_byte != 0 && first_byte != NET_LOOPBACK && first_byte <= NET_LAST;
}

static bool is_checksum_right(const uint8_t *header)
{
    uint32_t sum = 0;
    for (int i = 0; i < IP_BYTES; i += 2)
        sum += load16(header + i);
    return checksum_fold(sum) == 0;
}

enum drop_cause ip4_verdict(const struct rte_mbuf *mbuf, const uint8_t *frame)
{
    if (mbuf->data_len < IP4_END)
        return DROP_HEADER; /* what lies behind is not the packet's: it is not looked at */
    const uint8_t *header = frame + IP4_AT_IP;
    uint32_t words = header[0] & 0xF, ip_bytes = big16(load16(header + 2));
    if (load16(frame + IP4_AT_TYPE) != RTE_BE16(ETHER_TYPE_IPV4) || header[0] >> 4 != 4 ||
        4 * words < IP_BYTES || ip_bytes < 4 * words || IP4_AT_IP + ip_bytes > mbuf->pkt_len)
        return DROP_HEADER;
    if (4 * words > IP_BYTES)
        return DROP_OPTIONS;
    if (!is_checksum_right(header))
        return DROP_CHECKSUM;
    if ((frame[0] & 1) != 0 || !is_unicast(frame[IP4_AT_SOURCE]) ||
        !is_unicast(frame[IP4_AT_DESTINATION]))
        return DROP_MARTIAN;
    return DROP_NONE;
}

/* Every second word of two vectors: from the even places, or from the odd ones in another order. */
#define EVENS(a, b)          __builtin_shufflevector(a, b, 0, 2, 4, 6, 8, 10, 12, 14)
#define ODDS_REORDERED(a, b) __builtin_shufflevector(a, b, 1, 3, 9, 11, 5, 7, 13, 15)

typedef uint16_t lane_halves __attribute__((vector_size(4 * LANES)));

/* pkt_len, and next to it data_len below vlan_tci, of four packets. */
static inline lanes lengths_of(struct rte_mbuf *const *mbufs)
{
#ifdef __AVX2__
    __m256i at = _mm256_loadu_si256((const __m256i *)mbufs) +
                 _mm256_set1_epi64x(offsetof(struct rte_mbuf, pkt_len));
    return (lanes)_mm256_i64gather_epi64((const long long *)NULL, at, 1);
#else
    wide_lanes lengths = {0};
    for (int i = 0; i < LANES / 2; i++)
        lengths[i] = load64(&mbufs[i]->pkt_len);
    return (lanes)lengths;
#endif
}
_Static_assert(offsetof(struct rte_mbuf, data_len) == offsetof(struct rte_mbuf, pkt_len) + 4,
               "the mbuf's lengths are next to each other");

/* The columns of eight headers that have any meaning. */
struct columns {
    lanes type;    /* EtherType in the upper half */
    lanes length;  /* version, TOS, total length */
    lanes id, ttl; /* ttl: TTL, protocol, checksum */
    lanes source, destination;
};

static inline struct columns load_columns(uint8_t *const *frame)
{
    lanes low[4], high[4];
    for (int i = 0; i < LANES / 2; i++) {
        low[i] = load_halves(frame[i] + IP4_AT_ID - 16, frame[i + 4] + IP4_AT_ID - 16);
        high[i] = load_halves(frame[i] + IP4_AT_ID, frame[i + 4] + IP4_AT_ID);
    }
    lanes types_01 = PAIR_HIGH(low[0], low[1]), types_23 = PAIR_HIGH(low[2], low[3]);
    lanes ids_01 = PAIR_LOW(high[0], high[1]), ids_23 = PAIR_LOW(high[2], high[3]);
    lanes to_01 = PAIR_HIGH(high[0], high[1]), to_23 = PAIR_HIGH(high[2], high[3]);
    return (struct columns){
        .type = FOUR_LOW(types_01, types_23),
        .length = FOUR_HIGH(types_01, types_23),
        .id = FOUR_LOW(ids_01, ids_23),
        .ttl = FOUR_HIGH(ids_01, ids_23),
        .source = FOUR_LOW(to_01, to_23),
        .destination = FOUR_HIGH(to_01, to_23),
    };
}

/* Not zero where the sum of a header's ten halves of words is not the one's complement of zero. */
static inline lanes checksum_errors(const struct columns *c)
{
    const lanes lower = all_lanes(0xFFFF);
    lanes sum = (c->length & lower) + (c->id & lower) + (c->ttl & lower) + (c->source & lower) +
                (c->destination & lower) + (c->length >> 16) + (c->id >> 16) + (c->ttl >> 16) +
                (c->source >> 16) + (c->destination >> 16);
    return ((sum & lower) + (sum >> 16)) ^ lower;
}

/* Not zero where the first byte of source or destination is none of a host's. */
static inline lanes address_errors(const struct columns *c)
{
    const lanes byte = all_lanes(0xFF);
    lane_halves first = (lane_halves)((c->source & byte) | (c->destination & byte) << 16);
    return (lanes)((first - 1 >= NET_LAST) | (first == NET_LOOPBACK));
}

/* Not zero where the frame is not IPv4 without options; upper bit: its lengths lie. */
static inline lanes header_errors(const struct columns *c, lanes packet_bytes)
{
    lanes kind = (c->type >> 16 | c->length << 16) & 0x00FFFFFF;
    lanes ip_bytes = big16_lanes(c->length) >> 16;
    lanes lies = (ip_bytes - IP_BYTES) | (packet_bytes - IP4_AT_IP - ip_bytes);
    return (kind ^ (VERSION_4_FIVE_WORDS << 16 | RTE_BE16(ETHER_TYPE_IPV4))) | lies >> 31;
}

/* Fills the columns that the later stages read; false when any packet is to be dropped: then not
 * all of them are filled. */
static inline bool check_columns(struct burst *burst, const struct rte_lpm_tbl_entry *first_table)
{
    struct ip4_columns *columns = ip4_columns(burst);
    uint32_t count = burst->count;
    for (uint32_t i = count; i % LANES != 0; i++) { /* what is computed for no packet */
        burst->packet[i] = burst->packet[0];
        burst->frame[i] = burst->frame[0];
    }
    lanes wrong = {0};
    uint32_t group_address = 0;
    for (uint32_t i = 0; i < count; i += LANES) {
        lanes low = lengths_of(&burst->packet[i]), high = lengths_of(&burst->packet[i + 4]);
        lanes first_segment = ODDS_REORDERED(low, high) & 0xFFFF;
        if (unlikely(any_lane((first_segment - IP4_END) >> 31)))
            return false; /* before a header is read */
        for (uint32_t j = i; j < i + LANES; j++)
            group_address |= burst->frame[j][0];
        struct columns c = load_columns(&burst->frame[i]);
        lanes destination = big32_lanes(c.destination);
        wrong |= header_errors(&c, EVENS(low, high)) | checksum_errors(&c) | address_errors(&c);
        store_lanes(&columns->destination[i], destination);
        store_lanes(&columns->hop_word[i], c.ttl);
        if (first_table == NULL)
            continue;
        for (uint32_t j = i; j < i + LANES; j++)
            __builtin_prefetch(&first_table[columns->destination[j] >> 8]);
    }
    return !any_lane(wrong | (group_address & 1));
}

static SLOW_PATH drop_wrong(struct burst *burst)
{
    uint8_t verdict[BURST_MAX];
    for (uint16_t i = 0; i < burst->count; i++)
        verdict[i] = (uint8_t)ip4_verdict(burst->packet[i], burst->frame[i]);
    burst_drop(burst, verdict);
}

/* Where next_hop begins to look, whose lines are asked for here. */
struct ahead {
    const struct rte_lpm_tbl_entry *first_table;
};

static void *open_context(const struct stage_site *site)
{
    void *ahead = rte_zmalloc_socket("check", sizeof(struct ahead), 0, site->socket);
    return ahead != NULL ? ahead : stage_fails(site, "no memory for the header check");
}

static void prepare(void *context, const struct stage_use *use)
{
    ((struct ahead *)context)->first_table = ip4_first_table(stage_context(use, "next_hop"));
}

STAGE_FUNCTION(check)
{
    const struct rte_lpm_tbl_entry *first_table = ((const struct ahead *)context)->first_table;
    if (likely(check_columns(burst, first_table)))
        return;
    drop_wrong(burst);
    check_columns(burst, first_table);
}

static const struct stage check = {.name = "check",
                                   .run = stage_check,
                                   .open = open_context,
                                   .close = rte_free,
                                   .prepare = prepare};
STAGE_REGISTER(check)
