/* SPDX-License-Identifier: Apache-2.0
 *
 * A driver that loses its peer (net_memif) unmaps the rings at once, from EAL's interrupt thread,
 * while an lcore may be halfway through a burst of them. Our programs are linked so that munmap
 * comes here first (--wrap in dpdk.cmake): from threads that are no lcores it waits until every
 * lcore has begun a new poll, which then sees that the link is down.
 */
#ifndef PLANECAST_UNMAP_H
#define PLANECAST_UNMAP_H

#include <rte_lcore.h>
#include <rte_rcu_qsbr.h>
#include <stdbool.h>

extern struct rte_rcu_qsbr *unmap_waits_for; /* NULL before unmap_open */

bool unmap_open(void); /* after EAL's start; false without memory */

/* This lcore polls from now on: it is waited for. */
static inline void polling_begins(void)
{
    rte_rcu_qsbr_thread_online(unmap_waits_for, rte_lcore_id());
}

/* It is between two polls. To be said every few of them. */
static inline void polling_continues(void)
{
    rte_rcu_qsbr_quiescent(unmap_waits_for, rte_lcore_id());
}

static inline void polling_ends(void)
{
    rte_rcu_qsbr_thread_offline(unmap_waits_for, rte_lcore_id());
}

#endif
