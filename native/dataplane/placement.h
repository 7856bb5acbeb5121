/* SPDX-License-Identifier: Apache-2.0
 *
 * Where the pipeline runs. Uncut, every lcore runs all of it. Cut, its segments run on lcores of
 * their own that hand packets on, and such chains stand side by side:
 *
 *   cuts = classify, two chains    lcores 0 and 1: source acl key -> classify actions route tx
 *                                  lcores 2 and 3: the same
 */
#ifndef PLANECAST_PLACEMENT_H
#define PLANECAST_PLACEMENT_H

#include "config.h"

/* A cut before sending; cuts before stages have the stage's bit. */
#define CUT_BEFORE_TX (1U << STAGES)

static inline uint32_t segments_of(const struct config *config)
{
    return (uint32_t)__builtin_popcount(config->cuts) + 1;
}

/* The segment in which a stage (or STAGES: sending) runs. */
static inline uint32_t segment_of(const struct config *config, uint32_t stage)
{
    return (uint32_t)__builtin_popcount(config->cuts & ((2U << stage) - 1));
}

static inline uint32_t chains_of(const struct config *config)
{
    return config->lcores.count / segments_of(config);
}

/* Reads "classify,tx" or "none"; false with a sentence in `error`. */
bool cuts_parse(const struct function *function, const char *text, uint32_t *cuts, char *error,
                size_t error_bytes);

#endif
