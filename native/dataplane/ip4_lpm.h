/* SPDX-License-Identifier: Apache-2.0
 *
 * All routes at once into the tables of a fresh rte_lpm.
 *
 * rte_lpm_add looks for a free group from the first one on, a page of memory in each, and compares
 * a route with all others of its length: what grows with the square of the routes. Here shorter
 * prefixes come first, longer ones overwrite them, and groups are taken in turn. What a look-up
 * finds is the same; the library's own list of rules stays empty, so routes can't be taken back one
 * by one.
 */
#ifndef PLANECAST_IP4_LPM_H
#define PLANECAST_IP4_LPM_H

#include <rte_lpm.h>

#include "partition.h"

/* Route i, of 1 to 32 bits and unlike all others, leads to next hop i modulo `next_hops`. The table
 * has ip4_groups(routes, count) groups or more. */
void ip4_lpm_fill(struct rte_lpm *lpm, const struct prefix *routes, uint32_t count,
                  uint32_t next_hops);

#endif
