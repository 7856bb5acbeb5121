/* SPDX-License-Identifier: Apache-2.0 */
#include "frames.h"

#include <rte_byteorder.h>
#include <rte_ip.h>
#include <rte_memcpy.h>
#include <stdalign.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "words.h"

enum { IP_AT = 14, FRAME_MOST = 9600, BLOCK = 64 };

/* As a NIC reports it, that parses headers at no cost to the core. */
enum { PACKET_TYPE = RTE_PTYPE_L2_ETHER | RTE_PTYPE_L3_IPV4_EXT_UNKNOWN | RTE_PTYPE_L4_UDP };

static struct {
    uint16_t length; /* bytes, without FCS */
    uint32_t flows, source_step, destination_step;
    uint64_t seed;
    alignas(BLOCK) uint8_t frame[FRAME_MOST];
    uint32_t source, destination; /* of the first flow, host order */
    uint32_t sum;                 /* of the IPv4 header's other words */
} frames;

static uint32_t next_flow(struct flow_stream *stream)
{
    uint64_t z = stream->random += 0x9e3779b97f4a7c15u;
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
    z ^= z >> 31;
    uint32_t group = (uint32_t)(((z >> 32) * stream->groups) >> 32);
    if (likely(stream->lcores == 1))
        return stream->first + group;
    uint32_t place = group * 0x9e3779b1u + stream->turn; /* Fibonacci hashing (Knuth) */
    return group * stream->lcores + (uint32_t)(((uint64_t)place * stream->lcores) >> 32);
}

struct flow_stream frames_stream(uint32_t number, uint32_t lcores)
{
    struct flow_stream found = {.random = frames.seed + number, .lcores = 1, .groups = 1};
    if (frames.flows < lcores) {
        found.first = number % frames.flows;
        return found;
    }
    found.lcores = lcores;
    found.groups = frames.flows / lcores;
    found.turn = (uint32_t)(((uint64_t)number << 32) / lcores);
    return found;
}

bool frames_open(const char *text)
{
    struct rte_ipv4_hdr ip;
    char hex[2 * FRAME_HEADERS + 1];
    double length = word_number(text, "length", 60), flows = word_number(text, "flows", 1);
    if (!word_value(text, "frame", hex, sizeof hex) || flows < 1 || length < FRAME_HEADERS ||
        length > FRAME_MOST)
        return false;
    for (unsigned i = 0; i < FRAME_HEADERS; i++) {
        unsigned byte;
        if (sscanf(hex + 2 * i, "%2x", &byte) != 1)
            return false;
        frames.frame[i] = (uint8_t)byte;
    }
    memcpy(&ip, frames.frame + IP_AT, sizeof ip);
    frames.length = (uint16_t)length;
    frames.flows = (uint32_t)flows;
    frames.source_step = (uint32_t)word_number(text, "source_step", 1);
    frames.destination_step = (uint32_t)word_number(text, "destination_step", 1);
    frames.seed = (uint64_t)word_number(text, "seed", 1);
    frames.source = rte_be_to_cpu_32(ip.src_addr);
    frames.destination = rte_be_to_cpu_32(ip.dst_addr);
    ip.src_addr = ip.dst_addr = 0;
    ip.hdr_checksum = 0;
    frames.sum = (uint16_t)~rte_ipv4_cksum(&ip);
    return true;
}

/* What is written is not read back, for such a load would wait until the stores have drained. */
static uint16_t checksum(uint32_t source, uint32_t destination)
{
    uint32_t sum = frames.sum;
    sum += (source >> 16) + (source & 0xffff) + (destination >> 16) + (destination & 0xffff);
    sum = (sum >> 16) + (sum & 0xffff);
    return (uint16_t) ~((sum >> 16) + sum);
}

/* Each line costs the same: rte_memcpy changes its method above 512 bytes, which took 11 cycles
 * more on a Granite Rapids, and with what is left of a line, where a few bytes took 2 cycles more
 * than a whole line on a Zen 4. So the last line is written to its end where a buffer has room for
 * it. */
static uint16_t whole_lines(const struct rte_mbuf *packet)
{
    uint16_t room = (uint16_t)(packet->buf_len - packet->data_off);
    if (unlikely(frames.length > room)) {
        fprintf(stderr, "planecast-meter: frames of %u bytes do not fit packet buffers of %u\n",
                frames.length, room);
        _exit(1);
    }
    return RTE_MIN(RTE_ALIGN_CEIL(frames.length, BLOCK), RTE_ALIGN_FLOOR(room, BLOCK));
}

static void copy_frame(uint8_t *to, uint16_t whole)
{
    uint16_t at = 0;
    for (; at < whole; at += BLOCK)
        rte_mov64(to + at, frames.frame + at);
    if (unlikely(at < frames.length))
        rte_memcpy(to + at, frames.frame + at, frames.length - at);
}

void frames_write(struct flow_stream *stream, struct rte_mbuf **packets, uint16_t count)
{
    uint16_t whole = count > 0 ? whole_lines(packets[0]) : 0;
    for (uint16_t i = 0; i < count; i++) {
        uint32_t flow = next_flow(stream);
        uint8_t *data = rte_pktmbuf_mtod(packets[i], uint8_t *);
        struct rte_ipv4_hdr *ip = (struct rte_ipv4_hdr *)(data + IP_AT);
        uint32_t source = rte_cpu_to_be_32(frames.source + flow * frames.source_step);
        uint32_t destination =
            rte_cpu_to_be_32(frames.destination + flow * frames.destination_step);
        copy_frame(data, whole);
        ip->src_addr = source;
        ip->dst_addr = destination;
        ip->hdr_checksum = checksum(source, destination);
        packets[i]->data_len = packets[i]->pkt_len = frames.length;
        packets[i]->packet_type = PACKET_TYPE;
    }
}
