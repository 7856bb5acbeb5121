/* SPDX-License-Identifier: Apache-2.0
 *
 * What key extraction needs of the flow actions: where a packet's entry is.
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

struct tos_action {
    uint8_t class, colour;
};

struct actions_tables {
    struct rte_meter_trtcm_profile profile;
    struct tos_action of_tos[256]; /* by the whole byte: no shift, whatever its ECN bits are */
    struct class_entry *entries;   /* [flows][CLASSES] */
};

extern struct actions_tables actions_tables;

static inline struct class_entry *actions_entry(struct class_entry *entries, uint64_t flow,
                                                uint8_t class)
{
    return &entries[flow * CLASSES + class];
}

#endif
