/* SPDX-License-Identifier: Apache-2.0
 *
 * What key extraction needs of flow classification: which line a signature's keys are in.
 */
#ifndef PLANECAST_STAGES_CLASSIFY_H
#define PLANECAST_STAGES_CLASSIFY_H

#include "../flow_table.h"

struct rte_hash;

/* One of the two, as tables.flow_table says. */
struct classify_tables {
    struct flow_table buckets;
    struct rte_hash *hash;
};

extern struct classify_tables classify_tables;

#endif
