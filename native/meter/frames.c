/* SPDX-License-Identifier: Apache-2.0 */
#include "frames.h"

#include <rte_byteorder.h>
#include <rte_ip.h>
#include <stdio.h>
#include <string.h>

enum { IP_AT = 14 };

static struct {
    struct frames_wanted wanted;
    uint64_t random; /* splitmix64 (Steele, Lea, Flood 2014) */
    uint8_t headers[FRAME_HEADERS];
    uint32_t source, destination; /* of the first flow, host order */
} frames;

static uint32_t next_flow(void)
{
    uint64_t z = frames.random += 0x9e3779b97f4a7c15u;
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
    z ^= z >> 31;
    return (uint32_t)(((z >> 32) * frames.wanted.flows) >> 32);
}

bool frames_open(const char *hex, const struct frames_wanted *wanted)
{
    struct rte_ipv4_hdr ip;
    for (unsigned i = 0; i < FRAME_HEADERS; i++) {
        unsigned byte;
        if (sscanf(hex + 2 * i, "%2x", &byte) != 1)
            return false;
        frames.headers[i] = (uint8_t)byte;
    }
    if (wanted->flows == 0 || wanted->length < FRAME_HEADERS)
        return false;
    memcpy(&ip, frames.headers + IP_AT, sizeof ip);
    frames.wanted = *wanted;
    frames.random = wanted->seed;
    frames.source = rte_be_to_cpu_32(ip.src_addr);
    frames.destination = rte_be_to_cpu_32(ip.dst_addr);
    return true;
}

void frames_write(struct rte_mbuf **packets, uint16_t count)
{
    for (uint16_t i = 0; i < count; i++) {
        uint32_t flow = next_flow();
        uint8_t *data = rte_pktmbuf_mtod(packets[i], uint8_t *);
        struct rte_ipv4_hdr *ip = (struct rte_ipv4_hdr *)(data + IP_AT);
        memcpy(data, frames.headers, FRAME_HEADERS);
        ip->src_addr = rte_cpu_to_be_32(frames.source + flow * frames.wanted.source_step);
        ip->dst_addr = rte_cpu_to_be_32(frames.destination + flow * frames.wanted.destination_step);
        ip->hdr_checksum = 0;
        ip->hdr_checksum = rte_ipv4_cksum(ip);
        packets[i]->data_len = packets[i]->pkt_len = frames.wanted.length;
    }
}
