/* SPDX-License-Identifier: Apache-2.0 */
#include "unmap.h"

#include <sys/mman.h>
#include <time.h>

#include <rte_malloc.h>

struct rte_rcu_qsbr *unmap_waits_for;

bool unmap_open(void)
{
    size_t bytes = rte_rcu_qsbr_get_memsize(RTE_MAX_LCORE);
    struct rte_rcu_qsbr *lcores = rte_zmalloc("unmap", bytes, RTE_CACHE_LINE_SIZE);
    if (lcores == NULL || rte_rcu_qsbr_init(lcores, RTE_MAX_LCORE) != 0)
        return false;
    for (unsigned lcore = 0; lcore < RTE_MAX_LCORE; lcore++)
        rte_rcu_qsbr_thread_register(lcores, lcore);
    unmap_waits_for = lcores;
    return true;
}

int __real_munmap(void *address, size_t bytes); /* the linker's names */
int __wrap_munmap(void *address, size_t bytes);

int __wrap_munmap(void *address, size_t bytes)
{
    const struct timespec nap = {.tv_nsec = 50 * 1000};
    if (unmap_waits_for != NULL && rte_lcore_id() == LCORE_ID_ANY) {
        uint64_t token = rte_rcu_qsbr_start(unmap_waits_for);
        while (rte_rcu_qsbr_check(unmap_waits_for, token, false) == 0)
            nanosleep(&nap, NULL);
    }
    return __real_munmap(address, bytes);
}
