/* SPDX-License-Identifier: Apache-2.0
 *
 * What the three stages of ip4 share: where things are in a frame, what they leave each other of a
 * packet, and what it must be to be forwarded.
 */
#ifndef PLANECAST_STAGES_IP4_H
#define PLANECAST_STAGES_IP4_H

#include <assert.h>
#include <rte_mbuf.h>

#include "../burst.h"

struct rte_lpm_tbl_entry;

enum {
    IP4_AT_TYPE = 12,
    IP4_AT_IP = 14,
    IP4_AT_ID = IP4_AT_IP + 4,
    IP4_AT_TTL = IP4_AT_IP + 8, /* then protocol, and checksum: a word that a hop changes */
    IP4_AT_SOURCE = IP4_AT_IP + 12,
    IP4_AT_DESTINATION = IP4_AT_IP + 16,
    IP4_END = IP4_AT_IP + 20,
};

#define IP4_COLUMNS(COLUMN)                                                                        \
    COLUMN(uint32_t, destination) /* check: host order */                                          \
    COLUMN(uint32_t, hop_word)    /* check: TTL, protocol, checksum, as they were loaded */        \
    COLUMN(uint32_t, next_hop)    /* next_hop: its number, or IP4_NO_ROUTE */

BURST_COLUMNS(ip4, IP4_COLUMNS)

/* No next hop has so large a number: there is no route. */
#define IP4_NO_ROUTE (1U << 24)

/* The table that next_hop's look-up begins in, of its tables; NULL: of none, or it has a FIB, which
 * asks for its own lines. */
const struct rte_lpm_tbl_entry *ip4_first_table(const void *tables);

/* Why a packet is not to be forwarded, one packet and one test after the other: what the check
 * stage means. `frame` has data_len bytes. */
enum drop_cause ip4_verdict(const struct rte_mbuf *mbuf, const uint8_t *frame);

#endif
