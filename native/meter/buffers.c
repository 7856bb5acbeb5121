/* SPDX-License-Identifier: Apache-2.0
 *
 * Packet buffers that lie side by side in a program that runs with --no-huge, as they do with
 * hugepages: DPDK would put one in each 4 KiB, all of them in the same sets of an L1 cache
 * (../dpdk/buffers.h). DPDK's function of this name is asked here first.
 */
#include <rte_eal.h>
#include <rte_mempool.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "dpdk.h"

__attribute__((visibility("default"))) struct rte_mempool *
rte_mempool_create_empty(const char *name, unsigned count, unsigned bytes, unsigned cache,
                         unsigned private_bytes, int socket, unsigned flags)
{
    const char *pages = getenv("PLANECAST_METER_PAGES");
    bool as_it_is = pages != NULL && strcmp(pages, "no-huge") == 0;
    int (*large)(void) = DPDK(rte_eal_has_hugepages);
    if (!as_it_is && large != NULL && !large())
        flags |= RTE_MEMPOOL_F_NO_IOVA_CONTIG;
    return DPDK_ORIGINAL(rte_mempool_create_empty, name, count, bytes, cache, private_bytes, socket,
                         flags);
}
