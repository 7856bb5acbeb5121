/* SPDX-License-Identifier: Apache-2.0
 *
 * Key extraction: reads from the headers whatever the later stages look up.
 *
 * The two VLAN ids, masked to 12 bits each, make the flow key of eight bytes; its CRC32 is kept as
 * the signature for the flow table; the flow id is svlan << 12 | cvlan.
 *
 * Here the addresses of the flow's bucket, of its action and of the route are known for the first
 * time, so their lines are asked for here: while the first packets are looked up, they come.
 */
#include "../headers.h"
#include "../signature.h"
#include "actions.h"
#include "classify.h"
#include "route.h"
#include "stages.h"

STAGE_FUNCTION stage_key(void *tables, struct burst *burst)
{
    (void)tables;
    const bool meters = (burst->stages & 1U << STAGE_ACTIONS) != 0;
    const bool routes = (burst->stages & 1U << STAGE_ROUTE) != 0;
    const bool classifies =
        (burst->stages & 1U << STAGE_CLASSIFY) != 0 && classify_tables.hash == NULL;
    const struct flow_table flows = classify_tables.buckets;
    struct class_entry *entries = actions_tables.entries;
    const struct rte_lpm_tbl_entry *first_table = route_tables.routes->tbl24;
    uint32_t count = burst->count;
    BURST_UNROLL
    for (uint32_t i = 0; i < count; i++) {
        const uint8_t *frame = burst->frame[i];
        uint64_t key = load64(frame + OFFSET_TAGS) & FLOW_KEY_MASK;
        burst->flow_key[i] = key;
        uint32_t signature = flow_signature(key);
        burst->flow_signature[i] = signature;
        if (classifies)
            __builtin_prefetch(flow_table_bucket(&flows, signature));
        if (meters) {
            struct tos_action by_tos = actions_tables.of_tos[frame[OFFSET_IP_TOS]];
            struct class_entry *entry = actions_entry(entries, flow_id_of(key), by_tos.class);
            burst->action[i] = entry;
            burst->colour[i] = by_tos.colour;
            __builtin_prefetch(entry, 1);
        }
        if (routes) {
            uint32_t destination = big32(load32(frame + OFFSET_IP_DESTINATION));
            burst->destination[i] = destination;
            __builtin_prefetch(&first_table[destination >> 8]);
        }
    }
}
