/* SPDX-License-Identifier: Apache-2.0
 *
 * Which flow a packet belongs to: one after the other (so that addresses are stepped pairwise),
 * uniformly random, or Zipf's law, flow k of N with a probability as 1/(k+1)^s.
 *
 * Zipf's by Walker's alias method: one random number and one look-up a packet, and exact. Rejection
 * needs no table, but two powers a packet.
 */
#ifndef PLANECAST_GENERATOR_FLOWS_H
#define PLANECAST_GENERATOR_FLOWS_H

#include <stdbool.h>

#include "config.h"
#include "random.h"

struct alias {
    uint32_t threshold; /* of 2^32: the share of this column that is its own */
    uint32_t other;
};

struct flows {
    uint32_t order, count, next;
    uint64_t random;
    struct alias *alias; /* [count] with FLOWS_ZIPF */
};

/* False without memory. */
bool flows_open(struct flows *flows, const struct stream_config *config);
void flows_close(struct flows *flows);

/* The flows of the next `wanted` packets. */
void flows_take(struct flows *flows, uint32_t *flow, uint32_t wanted);

#endif
