/* SPDX-License-Identifier: Apache-2.0
 *
 * Where flow classification begins to look.
 */
#ifndef PLANECAST_STAGES_CLASSIFY_H
#define PLANECAST_STAGES_CLASSIFY_H

#include "../flow_table.h"

/* The buckets of its tables; NULL: of none, or it has the library's table, which asks for its own
 * lines. */
const struct flow_table *classify_buckets(const void *tables);

#endif
