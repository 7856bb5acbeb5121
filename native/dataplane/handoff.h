/* SPDX-License-Identifier: Apache-2.0
 *
 * Where a pipeline is cut, packets go from one lcore to the next over rings: one for each input,
 * for stages may ask where a burst came from.
 *
 * What the stages before the cut learned of a packet travels with it, in a dynamic field of its
 * mbuf (rte_mbuf_dyn.h): EAL says where there is room, whoever else has fields there.
 */
#ifndef PLANECAST_HANDOFF_H
#define PLANECAST_HANDOFF_H

#include <rte_ring.h>
#include <stdatomic.h>

#include "burst.h"
#include "config.h"

struct handoff {
    struct rte_ring *ring[PORTS_MAX];
    uint32_t rings, next; /* the ring that is asked next */
    bool wait;            /* for room; otherwise what doesn't fit drops */
    /* Nobody may be there to make room: don't wait for it any longer. Set by the trial. */
    const atomic_bool *abandoned;
};

/* Once, before any is opened: room in every packet's mbuf. False with a sentence in `error`. */
bool handoff_reserve(const struct config *config, char *error, size_t error_bytes);

/* Rings of config->handoff_ring packets between lcore `index` and the next, in a socket's memory;
 * false when there is not enough of it. */
bool handoff_open(struct handoff *handoff, const struct config *config, uint32_t index, int socket);
/* Frees what is in them, too. */
void handoff_close(struct handoff *handoff);

/* Packets that wait in the rings. */
uint32_t handoff_count(const struct handoff *handoff);

/* Puts the burst's packets into the ring of its input. */
__attribute__((noinline)) void stage_enqueue(struct handoff *handoff, struct burst *burst);

/* Takes up to `most` packets of one input; the rings take turns. How many had waited there. */
__attribute__((noinline)) uint32_t stage_dequeue(struct handoff *handoff, struct burst *burst,
                                                 uint16_t most);

#endif
