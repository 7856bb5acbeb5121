/* SPDX-License-Identifier: Apache-2.0
 *
 * Ethernet, IPv4 and UDP headers for packets of a port that brings none: each packet belongs to a
 * flow at random, whose addresses are the first flow's and so many steps more.
 */
#ifndef PLANECAST_METER_FRAMES_H
#define PLANECAST_METER_FRAMES_H

#include <rte_mbuf.h>
#include <stdbool.h>
#include <stdint.h>

#define FRAME_HEADERS 42 /* bytes: Ethernet 14, IPv4 20, UDP 8 */

/* The flows of one lcore, as a port divides them over its queues: of each group of as many flows as
 * there are lcores it has one, by a hash, so that what lies at equal distances does so for it, too.
 */
struct flow_stream {
    uint64_t random; /* splitmix64 (Steele, Lea, Flood 2014) */
    uint32_t lcores, groups;
    uint32_t turn; /* the lcore's part of 2^32 */
    uint32_t first;
};

/* What is asked, in words: frame=HEX, the headers of the first flow's packets; length=60, bytes
 * without FCS; flows=3125 seed=1 source_step=1 destination_step=1. False when it can't be made. */
bool frames_open(const char *text);

/* The flows of lcore `number` of so many, as many as of each other; fewer flows than lcores are
 * shared, and what is left of the last group comes to none. */
struct flow_stream frames_stream(uint32_t number, uint32_t lcores);

/* Makes the next packets: headers of flows at random, and of the frame's other bytes a copy, as a
 * port that copies brings them. */
void frames_write(struct flow_stream *stream, struct rte_mbuf **packets, uint16_t count);

#endif
