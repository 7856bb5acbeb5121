/* SPDX-License-Identifier: Apache-2.0 */
#include "buffers.h"

#include <rte_eal.h>
#include <rte_errno.h>
#include <rte_mbuf.h>
#include <rte_mbuf_pool_ops.h>

/* What rte_pktmbuf_pool_create does, which takes no flags. */
struct rte_mempool *buffers_open(const char *name, uint32_t count, uint32_t cache, uint16_t room,
                                 int socket)
{
    struct rte_pktmbuf_pool_private kind = {.mbuf_data_room_size = room};
    unsigned flags = rte_eal_has_hugepages() ? 0 : RTE_MEMPOOL_F_NO_IOVA_CONTIG;
    struct rte_mempool *pool = rte_mempool_create_empty(
        name, count, (unsigned)sizeof(struct rte_mbuf) + room, cache, sizeof kind, socket, flags);
    if (pool == NULL)
        return NULL;
    int error = rte_mempool_set_ops_byname(pool, rte_mbuf_best_mempool_ops(), NULL);
    if (error == 0) {
        rte_pktmbuf_pool_init(pool, &kind);
        error = rte_mempool_populate_default(pool);
    }
    if (error < 0) {
        rte_mempool_free(pool);
        rte_errno = -error;
        return NULL;
    }
    rte_mempool_obj_iter(pool, rte_pktmbuf_init, NULL);
    return pool;
}
