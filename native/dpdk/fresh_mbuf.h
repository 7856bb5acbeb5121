/* SPDX-License-Identifier: Apache-2.0
 *
 * What the descriptor of a received packet sets in an mbuf, from data_off to rss: one store.
 */
#ifndef PLANECAST_DPDK_FRESH_MBUF_H
#define PLANECAST_DPDK_FRESH_MBUF_H

#include <rte_mbuf.h>

struct fresh_mbuf {
    uint64_t rearm, ol_flags; /* rearm: data_off, refcnt, nb_segs, port */
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

#endif
