/* SPDX-License-Identifier: Apache-2.0
 *
 * Makes the packets of the profile, eight at a time: uniformly random flows, destinations a step
 * apart, random ports, a right IPv4 checksum.
 *
 * Seven words of four bytes vary in a frame, from the S-VLAN to the ports:
 *
 *   12 0x88A8, S-VLAN | 16 0x8100, C-VLAN | 20 0x0800, 0x45, TOS | 24 never | 28 never
 *   32 checksum, source | 36 source, destination | 40 destination, port | 44 port, UDP length
 *
 * Each word is computed for eight packets at once; then the words of a packet are brought together
 * and stored as two whole halves of its first cache line. A store across the middle of a line takes
 * twice as long: it made the source slower than all the rest of this file.
 */
#ifndef PLANECAST_PKTGEN_QINQ_H
#define PLANECAST_PKTGEN_QINQ_H

#include <rte_mbuf.h>
#include <string.h>

#include "fresh_mbuf.h"
#include "headers.h"
#include "simd.h"

enum { TEMPLATE_BYTES = 64, DSCP_SLOTS = 64 };

/* Bytes from the start of an mbuf to its packet: the pool has no private area. */
enum { MBUF_TO_FRAME = sizeof(struct rte_mbuf) + RTE_PKTMBUF_HEADROOM };

typedef uint64_t fresh_words __attribute__((vector_size(sizeof(struct fresh_mbuf))));

/* What the packets of a trial have in common. */
struct packet_profile {
    uint16_t frame_bytes; /* in memory: without FCS */
    uint32_t flow_first, flow_count;
    uint32_t destination_step;
    uint64_t mbuf_rearm;
    uint8_t tos[DSCP_SLOTS]; /* a flow has the one of its number, modulo */
};

/* The same, lane by lane in memory, where an instruction takes it as it is: to fill so many
 * registers again took a burst of 32 packets longer than to make its headers. */
struct pktgen_qinq {
    fresh_words fresh;
    lanes step; /* eight destinations further */
    lanes flow_first;
    wide_lanes flow_count;
    lane_bytes tos[DSCP_SLOTS / 16];       /* sixteen entries, twice each */
    lanes checksum_base;                   /* sum of the template's IPv4 words */
    lanes of_template[TEMPLATE_BYTES / 4]; /* each word; zero where something varies */
    lanes first_two, last_two;             /* of the template's first eight words, in pairs */
    lanes mix[2], index_mask, index_rest, vlan_mask, port_mask, port_base, lower_half;
} __rte_cache_aligned;

void pktgen_qinq_set(struct pktgen_qinq *pktgen, const struct packet_profile *profile);

/* A permutation of 32 bits, Wellons' lowbias32, with its two factors. Spoils x. */
#define MIX(x, a, b) ((x) ^= (x) >> 16, (x) *= (a), (x) ^= (x) >> 15, (x) *= (b), (x) ^ (x) >> 16)
#define MIX_A        0x7FEB352DU
#define MIX_B        0x846CA68BU

/* The TOS of flow % 64. The processor looks sixteen entries up at once: four times that, and bits 4
 * and 5 choose. */
static inline lanes tos_of(const struct pktgen_qinq *pktgen, lanes flow)
{
#ifdef __AVX2__
    /* With its upper bit set, an index gives 0: the other three bytes of a lane do. */
    __m256i index = (__m256i)((flow & pktgen->index_mask) | pktgen->index_rest);
    __m256 of[DSCP_SLOTS / 16];
    for (int i = 0; i < DSCP_SLOTS / 16; i++)
        of[i] = (__m256)_mm256_shuffle_epi8((__m256i)pktgen->tos[i], index);
    __m256 bit4 = (__m256)(flow << 27), bit5 = (__m256)(flow << 26);
    __m256 low = _mm256_blendv_ps(of[0], of[1], bit4), high = _mm256_blendv_ps(of[2], of[3], bit4);
    return (lanes)_mm256_blendv_ps(low, high, bit5);
#else
    for (int i = 0; i < LANES; i++)
        flow[i] = pktgen->tos[flow[i] % DSCP_SLOTS / 16][flow[i] % 16];
    return flow;
#endif
}

enum {
    WORD_S_VLAN,
    WORD_C_VLAN,
    WORD_TOS,
    WORD_CHECKSUM,
    WORD_FROM_TO,
    WORD_TO_PORT,
    WORD_PORT,
    WORDS
};

static inline void choose_words(const struct pktgen_qinq *pktgen, lanes sequence, lanes destination,
                                lanes *word)
{
    const lanes *of_template = pktgen->of_template;
    lanes random = MIX(sequence, pktgen->mix[0], pktgen->mix[1]);
    lanes flow = pktgen->flow_first + scale_lanes(random, &pktgen->flow_count);
    lanes tos = tos_of(pktgen, flow);
    lanes from = big32_lanes(flow); /* in 0.0.0.0/8: a flow id has 24 bits */
    lanes to = big32_lanes(destination);
    lanes ports = (random & pktgen->port_mask) | pktgen->port_base;
    lanes from_high = from >> 16, to_high = to >> 16;
    lanes sum = pktgen->checksum_base + (tos << 8) + from_high + (from & pktgen->lower_half) +
                to_high + (to & pktgen->lower_half);
    sum = ~(sum + (sum << 16 | sum >> 16)); /* as checksum_fold does: in the upper half */
    word[WORD_S_VLAN] = big16_lanes(flow >> VLAN_ID_BITS) << 16 | of_template[12 / 4];
    word[WORD_C_VLAN] = big16_lanes(flow & pktgen->vlan_mask) << 16 | of_template[16 / 4];
    word[WORD_TOS] = tos << 24 | of_template[20 / 4];
    word[WORD_CHECKSUM] = sum >> 16 | from << 16;
    word[WORD_FROM_TO] = from_high | to << 16;
    word[WORD_TO_PORT] = to_high | ports << 16;
    word[WORD_PORT] = ports >> 16 | of_template[44 / 4];
}

/* What a NIC would have written: the descriptor's part of the mbuf, then the headers. */
static inline void write_packet(struct rte_mbuf *mbuf, fresh_words fresh, lanes first, lanes second)
{
    uint8_t *frame = (uint8_t *)mbuf + MBUF_TO_FRAME;
    memcpy(&mbuf->rearm_data, &fresh, sizeof fresh);
    memcpy(frame, &first, sizeof first);
    memcpy(frame + sizeof first, &second, sizeof second);
}

/* Writes the packets of these numbers and destinations into eight buffers. */
static __rte_always_inline void make_eight(const struct pktgen_qinq *pktgen, lanes sequence,
                                           lanes destination, struct rte_mbuf *const *mbufs)
{
    const lanes zero = {0}; /* no UDP checksum, then the payload */
    lanes w[WORDS], first[4], second[4], third[4];
    fresh_words fresh = pktgen->fresh;
    choose_words(pktgen, sequence, destination, w);
    make_fours(pktgen->first_two, pktgen->first_two,
               PAIR_LOW(pktgen->of_template[2], w[WORD_S_VLAN]),
               PAIR_HIGH(pktgen->of_template[2], w[WORD_S_VLAN]), first);
    make_fours(PAIR_LOW(w[WORD_C_VLAN], w[WORD_TOS]), PAIR_HIGH(w[WORD_C_VLAN], w[WORD_TOS]),
               pktgen->last_two, pktgen->last_two, second);
    make_fours(
        PAIR_LOW(w[WORD_CHECKSUM], w[WORD_FROM_TO]), PAIR_HIGH(w[WORD_CHECKSUM], w[WORD_FROM_TO]),
        PAIR_LOW(w[WORD_TO_PORT], w[WORD_PORT]), PAIR_HIGH(w[WORD_TO_PORT], w[WORD_PORT]), third);
    for (int i = 0; i < LANES / 2; i++) {
        write_packet(mbufs[i], fresh, HALF_LOW(first[i], second[i]), HALF_LOW(third[i], zero));
        write_packet(mbufs[i + 4], fresh, HALF_HIGH(first[i], second[i]),
                     HALF_HIGH(third[i], zero));
    }
}

#endif
