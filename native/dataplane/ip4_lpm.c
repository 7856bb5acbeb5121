/* SPDX-License-Identifier: Apache-2.0 */
#include "ip4_lpm.h"

enum { FIRST_BITS = 24 }; /* of an address, that the first table is indexed by */

static void overwrite(struct rte_lpm_tbl_entry *entry, uint32_t count,
                      struct rte_lpm_tbl_entry value)
{
    for (uint32_t i = 0; i < count; i++)
        entry[i] = value;
}

static void add(struct rte_lpm *lpm, const struct prefix *route, uint32_t hop, uint32_t *groups)
{
    struct rte_lpm_tbl_entry value = {.next_hop = hop, .valid = 1, .depth = route->depth};
    struct rte_lpm_tbl_entry *first = &lpm->tbl24[route->address >> 8];
    if (route->depth <= FIRST_BITS) {
        overwrite(first, 1U << (FIRST_BITS - route->depth), value);
        return;
    }
    if (!first->valid_group) { /* a group, in which the shorter route is still everywhere */
        overwrite(&lpm->tbl8[*groups * RTE_LPM_TBL8_GROUP_NUM_ENTRIES],
                  RTE_LPM_TBL8_GROUP_NUM_ENTRIES, *first);
        *first = (struct rte_lpm_tbl_entry){.next_hop = *groups, .valid = 1, .valid_group = 1};
        (*groups)++;
    }
    uint32_t place = first->next_hop * RTE_LPM_TBL8_GROUP_NUM_ENTRIES + (route->address & 0xFF);
    overwrite(&lpm->tbl8[place], 1U << (32 - route->depth), value);
}

void ip4_lpm_fill(struct rte_lpm *lpm, const struct prefix *routes, uint32_t count,
                  uint32_t next_hops)
{
    uint32_t groups = 0;
    for (uint32_t depth = 1; depth <= 32; depth++) {
        for (uint32_t i = 0; i < count; i++) {
            if (routes[i].depth == depth)
                add(lpm, &routes[i], i % next_hops, &groups);
        }
    }
}
