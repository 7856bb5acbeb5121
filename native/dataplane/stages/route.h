/* SPDX-License-Identifier: Apache-2.0
 *
 * What key extraction needs of routing: where the look-up of a destination begins.
 */
#ifndef PLANECAST_STAGES_ROUTE_H
#define PLANECAST_STAGES_ROUTE_H

#include <rte_common.h>
#include <rte_lpm.h>
#include <rte_meter.h>

/* What a next hop puts before the IPv4 header: 22 bytes, kept in two halves of one line. */
struct next_hop {
    uint8_t ethernet[16]; /* MAC addresses 12, type 2, and two bytes that the labels overwrite */
    uint64_t labels; /* network order, EXP and TTL zero, bottom-of-stack set on the inner one */
} __rte_aligned(32);

struct route_tables {
    struct rte_lpm *routes;
    struct next_hop *next_hops;
    uint64_t exp_of_colour[RTE_COLORS]; /* network order: the EXP bits of both labels */
};

extern struct route_tables route_tables;

#endif
