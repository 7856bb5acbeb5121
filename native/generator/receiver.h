/* SPDX-License-Identifier: Apache-2.0
 *
 * Receives, shows ours from foreign packets and whole ones from corrupt, and counts.
 */
#ifndef PLANECAST_GENERATOR_RECEIVER_H
#define PLANECAST_GENERATOR_RECEIVER_H

#include <stdatomic.h>

#include "port.h"
#include "stream.h"

struct receiver {
    struct port *port;
    uint16_t queue, queues; /* queues are polled in turn; queue is the next */
    uint32_t burst;
    struct stream *stream; /* [stream_count] */
    uint32_t stream_count;
    uint32_t direction; /* of the streams that are expected here */
    bool payload_check;
    struct frames frames;
    atomic_uint_fast64_t start; /* of the run; what was sent before is not of it */
    uint64_t ns_per_cycle;      /* in 1/2^32 */
    /* counters of a run */
    uint64_t packets, bytes; /* all that came, with FCS */
    uint64_t foreign;
    uint64_t last_ours;   /* when a packet of ours came */
    uint64_t round_began; /* when all queues were begun to be looked at, in turn */
    uint64_t looked;      /* when the last such round began that is through */
    uint64_t polls, empty_polls;
    /* How long a packet waits for us while we send: one poll in some is timed, until the next one
     * begins, and until its call returns if that brought packets. */
    atomic_bool times_polls;
    uint64_t timed_since; /* when the timed poll began; 0: none is under way */
    uint64_t gaps, gap_cycles;
    double gap_squares; /* cycles² */
    uint64_t calls, call_cycles;
};

void receiver_begin(struct receiver *receiver, uint64_t start, uint64_t tsc_hz);

/* One turn at the time `now`, or later: takes what the queue has whose turn it is, a burst at the
 * most. False when it had nothing. */
bool receiver_turn(struct receiver *receiver, uint64_t now);

/* Whether all queues were looked at, without success, more than so many cycles after `since` and
 * after the last packet of ours. A time without a CPU is no look: what came during that time is
 * there to be taken.
 */
bool receiver_idle_for(const struct receiver *receiver, uint64_t since, uint64_t cycles);

/* What a frame is, found in its first segment alone, which is `bytes` of `frame_bytes`. */
enum verdict { VERDICT_FOREIGN, VERDICT_CORRUPT, VERDICT_FINE };
struct sighting {
    enum verdict verdict;
    uint32_t stream; /* of a corrupt or fine one */
    uint64_t sequence;
    uint64_t time; /* TSC, or its part */
    bool full;     /* sequence and time are whole */
};
struct sighting receiver_look(const struct receiver *receiver, const uint8_t *frame, uint32_t bytes,
                              uint32_t frame_bytes);

/* Counts what came at `now`, `bytes` without FCS. */
void receiver_count(struct receiver *receiver, const struct sighting *seen, uint32_t bytes,
                    uint64_t now);

#endif
