/* SPDX-License-Identifier: Apache-2.0
 *
 * Sends what is due: buffers from the pool, packets made in them, stamped, given to the port.
 */
#ifndef PLANECAST_GENERATOR_SENDER_H
#define PLANECAST_GENERATOR_SENDER_H

#include <stdatomic.h>

#include "port.h"
#include "stream.h"

struct sender {
    struct port *port;
    uint32_t burst;
    uint64_t give_up_cycles;
    bool drops; /* what the port refuses, instead of sending it later */
    struct rte_mempool *pool;
    struct stream *all;                 /* by number */
    struct stream *stream[STREAMS_MAX]; /* [stream_count]: those that it sends */
    uint32_t stream_count;              /* 0: it has nothing to do */
    struct batch batch;
    bool paced; /* any stream has due times */
    bool done;  /* all is sent, or it gave up */
    /* counters of a run */
    uint64_t calls, packets;                /* send calls that took any, and what they took */
    uint64_t refused;                       /* send calls that took fewer than they were given */
    uint64_t no_buffers;                    /* times that the pool was empty */
    uint64_t refused_cycles;                /* while the port refused */
    atomic_uint_fast64_t dropped;           /* packets that it refused, not sent later */
    uint64_t last_taken;                    /* when it took a packet */
    bool gave_up;                           /* the port took nothing for too long */
    struct histogram lateness;              /* cycles from due time to send call, of each packet */
    uint64_t sampled_calls, sampled_cycles; /* how long the send call itself took */
};

void sender_begin(struct sender *sender, uint64_t start);

/* What was sent so far was a warm-up: the counters of a run begin again. */
void sender_restart_counts(struct sender *sender);

/* One turn at the time `now`. False when nothing is left to be sent. */
bool sender_turn(struct sender *sender, uint64_t now);

/* The run is over at `end`: what was due and not sent is given up, what was made goes back. */
void sender_end(struct sender *sender, uint64_t end);

#endif
