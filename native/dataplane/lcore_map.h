/* SPDX-License-Identifier: Apache-2.0
 *
 * Where the pipeline runs. Uncut, every lcore runs all of it. Cut, its segments run on lcores of
 * their own that hand packets on, and such chains stand side by side:
 *
 *   cuts = classify, two chains    lcores 0 and 1: source acl key -> classify actions route tx
 *                                  lcores 2 and 3: the same
 */
#ifndef PLANECAST_LCORE_MAP_H
#define PLANECAST_LCORE_MAP_H

#include "config.h"

/* A cut before sending; a cut before a stage has the bit of its position in the function. */
#define CUT_BEFORE_TX (1U << STAGES_MAX)

static inline uint32_t segments_of(const struct config *config)
{
    return (uint32_t)__builtin_popcount(config->cuts) + 1;
}

/* The segment in which the stage at a position runs. */
static inline uint32_t segment_of(const struct config *config, uint32_t position)
{
    return (uint32_t)__builtin_popcount(config->cuts & ((2U << position) - 1));
}

static inline uint32_t chains_of(const struct config *config)
{
    return config->lcores.count / segments_of(config);
}

/* Of so many chains those that packets of one flow may come to. A port's may come to all: RSS
 * hashes addresses, and a flow is a pair of VLAN tags. The in-process source gives each chain flows
 * of its own, if there are enough. */
static inline uint32_t chains_of_flow(const struct config *config, uint32_t flows, uint32_t chains)
{
    return !config_has_rx_port(config) && flows >= chains ? 1 : chains;
}

/* Reads "classify,tx" or "none"; false with a sentence in `error`. */
bool cuts_parse(const struct function *function, const char *text, uint32_t *cuts, char *error,
                size_t error_bytes);

#endif
