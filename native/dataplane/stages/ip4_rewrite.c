/* SPDX-License-Identifier: Apache-2.0
 *
 * The packet as the next hop gets it: TTL one less, the checksum changed by as much (RFC 1624), the
 * two MAC addresses; and where it leaves. A TTL that ends here drops. Packets and bytes are counted
 * by next hop.
 *
 * TTL, protocol and checksum are one word, which the check stage has read already: here it is
 * computed for eight packets and stored once for each.
 */
#include "../gather.h"
#include "../headers.h"
#include "ip4.h"
#include "stages.h"

/* As checksum_after_hop does, in the upper half: one more, and another one for what is carried out,
 * or for the 0xFFFF that no header has. */
static inline lanes word_after_hop(lanes word)
{
    lanes carried = (lanes)(word >= 0xFFFE0000U);
    return word + 0x0000FFFFU + (carried & 0x00010000U);
}

/* The words after the hop; false when a TTL ends here. */
static inline bool count_down(const struct burst *burst, uint32_t *word)
{
    lanes least = all_lanes(0xFF);
    uint32_t count = burst->count;
    lanes ended = {0};
    for (uint32_t i = 0; i < count; i += LANES) {
        lanes before = load_lanes(&burst->hop_word[i]);
        ended |= (before & least) - 2;
        store_lanes(&word[i], word_after_hop(before));
    }
    return !any_lane(ended >> 31);
}

static SLOW_PATH drop_ended(struct burst *burst)
{
    uint8_t verdict[BURST_MAX];
    for (uint16_t i = 0; i < burst->count; i++)
        verdict[i] = (burst->hop_word[i] & 0xFF) <= 1 ? DROP_TTL : DROP_NONE;
    burst_drop(burst, verdict);
}

STAGE_FUNCTION stage_rewrite(void *opaque, struct burst *burst)
{
    (void)opaque;
    uint32_t word[BURST_MAX];
    for (uint32_t i = burst->count; i % LANES != 0; i++)
        burst->hop_word[i] = burst->hop_word[0];
    if (unlikely(!count_down(burst, word))) {
        drop_ended(burst);
        count_down(burst, word);
    }
    const struct ip4_next_hop *next_hops = ip4_tables.next_hop;
    struct ip4_count *counts = ip4_tables.count[burst->lcore];
    uint32_t count = burst->count;
    BURST_UNROLL
    for (uint32_t i = 0; i < count; i++) {
        uint8_t *frame = burst->frame[i];
        uint64_t number = burst->next_hop[i];
        const struct ip4_next_hop *hop = &next_hops[number];
        store64(frame, load64(hop->ethernet));
        store32(frame + 8, load32(hop->ethernet + 8));
        store32(frame + IP4_AT_TTL, word[i]);
        burst->out[i] = hop->out;
        counts[number].packets++;
        counts[number].bytes += burst->packet[i]->pkt_len;
    }
}
