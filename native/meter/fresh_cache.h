/* SPDX-License-Identifier: Apache-2.0
 *
 * A mempool's cache of the forwarding lcore, empty as it was when the program started.
 *
 * In a process in which bursts of several sizes take turns, one leaves a small cache as the next
 * would never have it by itself: DPDK's l2fwd-keepalive, whose cache has room for 32, then gets the
 * buffers of bursts of 32 out of it for ever, where one that starts with such bursts gets half of
 * them from the pool's ring. A cache with room for 128 buffers and two bursts is left alone: it
 * mostly holds a burst and what is sent at once, whatever it had.
 */
#ifndef PLANECAST_METER_FRESH_CACHE_H
#define PLANECAST_METER_FRESH_CACHE_H

#include <rte_ethdev.h>
#include <stdint.h>

enum { SMALL_CACHE = 128, HELD_MOST = 1024 };

/* Buffers that were taken out of it; they are given back before the next ones are taken. */
struct held_buffers {
    struct rte_mbuf *buffers[HELD_MOST];
    uint16_t count;
};

/* By the forwarding thread, of the pool that the driver's function receives into; how many buffers
 * that has, 0 where it is not known. */
uint32_t fresh_cache(struct held_buffers *held, eth_rx_burst_t receive, void *queue,
                     uint16_t burst);

#endif
