/* SPDX-License-Identifier: Apache-2.0
 *
 * What the stages of the vPE upstream pipeline leave each other of a packet.
 */
#ifndef PLANECAST_STAGES_UPSTREAM_H
#define PLANECAST_STAGES_UPSTREAM_H

#include "../burst.h"

struct class_entry;

#define UPSTREAM_COLUMNS(COLUMN)                                                                   \
    COLUMN(struct class_entry *, entry) /* key: of the flow and its class, for the actions */      \
    COLUMN(uint32_t, flow_id)           /* key: svlan << 12 | cvlan */                             \
    COLUMN(uint32_t, signature)         /* key: of the flow id, for the flow table */              \
    COLUMN(int32_t, flow)               /* classify: as the flow table gives it; below 0: none */  \
    COLUMN(uint8_t, colour)             /* actions: enum rte_color */

BURST_COLUMNS(upstream, UPSTREAM_COLUMNS)

#endif
