/* SPDX-License-Identifier: Apache-2.0
 *
 * Key extraction: reads from the headers whatever the later stages look up.
 *
 * The two VLAN ids, masked to 12 bits each, make the flow key of eight bytes, of which the flow
 * table's signature is a hash; the flow id is svlan << 12 | cvlan.
 *
 * Here the addresses of the flow's bucket, of its action and of the route are known for the first
 * time, so their lines are asked for here: while the first packets are looked up, they come.
 */
#include <rte_malloc.h>

#include "../flow_table.h"
#include "../headers.h"
#include "../stage.h"
#include "actions.h"
#include "classify.h"
#include "route.h"
#include "upstream.h"

/* Where the stages that follow begin to look; NULL: they don't run, or ask for their lines
 * themselves. */
struct ahead {
    const struct flow_table *flows;
    struct class_entry *const *first_of_tos;
    const struct rte_lpm_tbl_entry *first_table;
};

static void *open_context(const struct stage_site *site)
{
    void *ahead = rte_zmalloc_socket("key", sizeof(struct ahead), 0, site->socket);
    return ahead != NULL ? ahead : stage_fails(site, "no memory for key extraction");
}

static void prepare(void *context, const struct stage_use *use)
{
    *(struct ahead *)context = (struct ahead){
        .flows = classify_buckets(stage_context(use, "classify")),
        .first_of_tos = actions_of_tos(stage_context(use, "actions")),
        .first_table = route_first_table(stage_context(use, "route")),
    };
}

STAGE_FUNCTION(key)
{
    const struct ahead ahead = *(const struct ahead *)context;
    static const struct flow_table none;
    const struct flow_table flows = *(ahead.flows == NULL ? &none : ahead.flows);
    struct upstream_columns *columns = upstream_columns(burst);
    uint32_t count = burst->count;
    /* Not unrolled: four instructions that each ask for every fourth line of a table show a
     * hardware prefetcher a stride in bursts that are a multiple of four, and none in others, which
     * then took 150 to 250 cycles a burst more (docs/explanation/dataplane.md, "Bursts"). */
    for (uint32_t i = 0; i < count; i++) {
        const uint8_t *frame = burst->frame[i];
        uint64_t flow_key = load64(frame + OFFSET_TAGS) & FLOW_KEY_MASK;
        uint32_t flow_id = (uint32_t)flow_id_of(flow_key);
        uint32_t signature = flow_table_signature(flow_key);
        columns->flow_id[i] = flow_id;
        columns->signature[i] = signature;
        if (ahead.flows != NULL)
            __builtin_prefetch(flow_table_bucket(&flows, signature));
        if (ahead.first_of_tos != NULL) {
            struct class_entry *entry =
                actions_entry(ahead.first_of_tos, flow_id, frame[OFFSET_IP_TOS]);
            columns->entry[i] = entry;
            __builtin_prefetch(entry, 1);
        }
        if (ahead.first_table != NULL)
            __builtin_prefetch(&ahead.first_table[route_destination(frame) >> 8]);
    }
}

static const struct stage key = {
    .name = "key", .run = stage_key, .open = open_context, .close = rte_free, .prepare = prepare};
STAGE_REGISTER(key)
