/* SPDX-License-Identifier: Apache-2.0
 *
 * The packet as the next hop gets it: TTL one less, the checksum changed by as much (RFC 1624), the
 * two MAC addresses; and where it leaves. A TTL that ends here drops. Packets and bytes are counted
 * by next hop.
 *
 * TTL, protocol and checksum are one word, which the check stage has read already: here it is
 * computed for eight packets and stored once for each, lanes without a packet among them.
 */
#include "ip4_rewrite.h"

#include <rte_malloc.h>

#include "../config.h"
#include "../headers.h"
#include "../simd.h"
#include "../stage.h"
#include "ip4.h"

/* Next hop n has the address 02:01:00:00:NN:NN, and ours is 02:02:00:00:00:PP on port P. */
static void *create_tables(const struct stage_site *site)
{
    const struct config *config = site->config;
    struct ip4_next_hop *next_hops = rte_zmalloc_socket(
        "next_hops", config->next_hops * sizeof *next_hops, RTE_CACHE_LINE_SIZE, site->socket);
    if (next_hops == NULL)
        return stage_fails(site, "no memory for %u next hops", config->next_hops);
    for (uint32_t i = 0; i < config->next_hops; i++) {
        uint8_t out = (uint8_t)(i % config->tx.count);
        uint8_t addresses[12] = {2, 1, 0, 0, (uint8_t)(i >> 8), (uint8_t)i, 2, 2, 0, 0, 0, out};
        memcpy(next_hops[i].ethernet, addresses, sizeof addresses);
        next_hops[i].out = out;
    }
    return next_hops;
}

static uint64_t table_bytes(const struct config *config)
{
    return config->next_hops * sizeof(struct ip4_next_hop);
}

static void *open_context(const struct stage_site *site)
{
    uint32_t count = site->config->next_hops;
    struct ip4_rewrite *rewrite = rte_zmalloc_socket(
        "rewrite", sizeof *rewrite + count * sizeof(struct ip4_count), 0, site->socket);
    if (rewrite == NULL)
        return stage_fails(site, "no memory for counters of %u next hops", count);
    rewrite->next_hops = site->tables;
    return rewrite;
}

static uint64_t context_bytes(const struct config *config)
{
    return sizeof(struct ip4_rewrite) + config->next_hops * sizeof(struct ip4_count);
}

/* As checksum_after_hop does, in the upper half: one more, and another one for what is carried out,
 * or for the 0xFFFF that no header has. */
static inline lanes word_after_hop(lanes word)
{
    lanes carried = (lanes)(word >= 0xFFFE0000U);
    return word + 0x0000FFFFU + (carried & 0x00010000U);
}

/* The words after the hop; false when a TTL ends here. */
static inline bool count_down(const uint32_t *hop_word, uint32_t count, uint32_t *word)
{
    lanes least = all_lanes(0xFF);
    lanes ended = {0};
    for (uint32_t i = 0; i < count; i += LANES) {
        lanes before = load_lanes(&hop_word[i]);
        ended |= (before & least) - 2;
        store_lanes(&word[i], word_after_hop(before));
    }
    return !any_lane(ended >> 31);
}

static SLOW_PATH drop_ended(struct burst *burst)
{
    const uint32_t *hop_word = ip4_columns(burst)->hop_word;
    uint8_t verdict[BURST_MAX];
    for (uint16_t i = 0; i < burst->count; i++)
        verdict[i] = (hop_word[i] & 0xFF) <= 1 ? DROP_TTL : DROP_NONE;
    burst_drop(burst, verdict);
}

STAGE_FUNCTION(rewrite)
{
    struct ip4_rewrite *rewrite = context;
    struct ip4_columns *columns = ip4_columns(burst);
    uint32_t word[BURST_MAX];
    if (unlikely(!count_down(columns->hop_word, burst->count, word))) {
        drop_ended(burst);
        count_down(columns->hop_word, burst->count, word);
    }
    const struct ip4_next_hop *next_hops = rewrite->next_hops;
    struct ip4_count *counts = rewrite->count;
    uint32_t count = burst->count;
    BURST_UNROLL
    for (uint32_t i = 0; i < count; i++) {
        uint8_t *frame = burst->frame[i];
        uint64_t number = columns->next_hop[i];
        const struct ip4_next_hop *hop = &next_hops[number];
        store64(frame, load64(hop->ethernet));
        store32(frame + 8, load32(hop->ethernet + 8));
        store32(frame + IP4_AT_TTL, word[i]);
        burst->out[i] = hop->out;
        counts[number].packets++;
        counts[number].bytes += burst->packet[i]->pkt_len;
    }
}

static const struct stage rewrite = {.name = "rewrite",
                                     .run = stage_rewrite,
                                     .needs = "next_hop",
                                     .create = create_tables,
                                     .destroy = rte_free,
                                     .table_bytes = table_bytes,
                                     .open = open_context,
                                     .close = rte_free,
                                     .context_bytes = context_bytes};
STAGE_REGISTER(rewrite)
