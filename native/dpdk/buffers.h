/* SPDX-License-Identifier: Apache-2.0
 *
 * Pools of packet buffers that lie side by side.
 *
 * Without hugepages DPDK takes its memory for pages of 4 KiB that a device may find anywhere, and
 * puts no object across two of them: one buffer of 2 KiB a page, so all of them begin at the same
 * place of a page, and their first lines share one set of an L1 cache of 64 sets. A burst of more
 * packets than that cache has ways then misses it with every header that it writes or reads: 22
 * cycles a packet instead of 5 for bursts of 64 that nobody reads, on a core with 12 ways
 * (docs/explanation/dataplane.md). No device reads what has no hugepages, so nothing needs that.
 */
#ifndef PLANECAST_BUFFERS_H
#define PLANECAST_BUFFERS_H

#include <rte_mempool.h>
#include <stdint.h>

/* `count` buffers of `room` bytes, headroom among them, in a socket's memory; an lcore keeps up
 * to `cache` for itself. NULL without memory, with rte_errno. */
struct rte_mempool *buffers_open(const char *name, uint32_t count, uint32_t cache, uint16_t room,
                                 int socket);

#endif
