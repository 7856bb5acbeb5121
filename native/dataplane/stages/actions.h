/* SPDX-License-Identifier: Apache-2.0
 *
 * The entries of the flow actions.
 */
#ifndef PLANECAST_STAGES_ACTIONS_H
#define PLANECAST_STAGES_ACTIONS_H

#include <rte_meter.h>
#include <stdint.h>

enum { CLASSES = 4, POLICER_DROP = 4 /* a bit that no colour has */ };

struct class_entry {
    struct rte_meter_trtcm meter;
    uint64_t packets[RTE_COLORS]; /* by colour after metering */
    uint8_t policer[RTE_COLORS];  /* what becomes of a colour: another one, or POLICER_DROP */
} __rte_cache_aligned;

_Static_assert(sizeof(struct class_entry) == RTE_CACHE_LINE_SIZE, "a class is one cache line");

/* By TOS byte the first flow's entry of its class; NULL: of no context. */
struct class_entry *const *actions_of_tos(const void *context);

/* Where a packet of this flow and TOS is metered. */
static inline struct class_entry *actions_entry(struct class_entry *const *first_of_tos,
                                                uint64_t flow, uint8_t tos)
{
    return first_of_tos[tos] + flow;
}

/* Packets metered so far, by colour, of all flows and of so many chains' contexts. */
void actions_count(void *const *contexts, uint32_t count, uint64_t packets[RTE_COLORS]);

#endif
