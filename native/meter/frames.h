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

struct frames_wanted {
    uint16_t length; /* bytes, without FCS */
    uint32_t flows;
    uint64_t seed;
    uint32_t source_step, destination_step;
};

/* `hex` are the headers of the first flow's packets. False when it isn't that. */
bool frames_open(const char *hex, const struct frames_wanted *wanted);

/* Writes the headers of the next packets. */
void frames_write(struct rte_mbuf **packets, uint16_t count);

#endif
