/* SPDX-License-Identifier: Apache-2.0
 *
 * Under AddressSanitizer, what of a packet buffer is not the packet's must not be touched. A pool's
 * buffers are one piece of memory to the sanitizer, so it has to be reported.
 */
#ifndef PLANECAST_ASAN_H
#define PLANECAST_ASAN_H

#include <rte_mbuf.h>

#ifdef __SANITIZE_ADDRESS__
#include <sanitizer/asan_interface.h>

/* Bytes of the headroom that are ours to write. */
static inline void poison_lift(void *bytes, size_t count)
{
    ASAN_UNPOISON_MEMORY_REGION(bytes, count);
}

/* From now on a read before or behind the packet's bytes is reported. */
static inline void poison_around(struct rte_mbuf *mbuf)
{
    for (; mbuf != NULL; mbuf = mbuf->next) {
        ASAN_POISON_MEMORY_REGION(mbuf->buf_addr, mbuf->buf_len);
        ASAN_UNPOISON_MEMORY_REGION((uint8_t *)mbuf->buf_addr + mbuf->data_off, mbuf->data_len);
    }
}

static inline void poison_end_of(struct rte_mempool *pool, void *opaque,
                                 struct rte_mempool_memhdr *chunk, unsigned index)
{
    (void)pool;
    (void)opaque;
    (void)index;
    ASAN_UNPOISON_MEMORY_REGION(chunk->addr, chunk->len);
}

/* Before a pool is freed, which writes over all of it. */
static inline void poison_end(struct rte_mempool *pool)
{
    if (pool != NULL)
        rte_mempool_mem_iter(pool, poison_end_of, NULL);
}
#else
static inline void poison_lift(void *bytes, size_t count)
{
    (void)bytes;
    (void)count;
}
static inline void poison_around(struct rte_mbuf *mbuf)
{
    (void)mbuf;
}
static inline void poison_end(struct rte_mempool *pool)
{
    (void)pool;
}
#endif
#endif
