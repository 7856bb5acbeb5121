/* SPDX-License-Identifier: Apache-2.0
 *
 * When each packet of a stream is due, in TSC cycles: a constant distance, Poisson's arrivals,
 * bursts back to back, a capture's own times, or always (as fast as the port takes them).
 *
 * Due times are sums in 1/2^32 cycles, so that a rate is right to a packet in hours. They never
 * depend on when packets were sent: who is late catches up, and what is later than `patience` is
 * given up.
 */
#ifndef PLANECAST_GENERATOR_SCHEDULE_H
#define PLANECAST_GENERATOR_SCHEDULE_H

#include <stdbool.h>
#include <stdint.h>

struct schedule_plan {
    uint32_t arrivals; /* enum arrivals */
    bool always;       /* as fast as the port takes them: nothing else counts but `packets` */
    double gap;        /* mean cycles from packet to packet */
    double burst_gap;  /* cycles from burst to burst */
    uint32_t burst_packets;
    uint64_t packets;  /* 0: without end */
    uint64_t patience; /* cycles */
    uint64_t until;    /* what is due from then on is not of the run; 0: without end */
    uint64_t seed;
    const double *gaps; /* of a capture, in cycles, repeated; borrowed */
    uint32_t gap_count;
};

struct schedule {
    struct schedule_plan plan;
    uint64_t next;      /* when the next packet is due */
    uint32_t next_part; /* and its fraction of a cycle */
    uint64_t gap;       /* of constant arrivals */
    uint32_t gap_part;  /* and its fraction */
    uint32_t at;        /* within the burst, or the capture's gaps */
    uint64_t random;
    uint64_t left;     /* packets that are still to come; UINT64_MAX: without end */
    uint64_t asked;    /* packets that were due by now */
    uint64_t given_up; /* of them */
};

/* The first packet is due at `start`; without packets, until and patience there is no end. */
void schedule_begin(struct schedule *schedule, const struct schedule_plan *plan, uint64_t start);

/* The due times of the packets that are due by `now`, up to `room`; how many. */
uint32_t schedule_take(struct schedule *schedule, uint64_t now, uint64_t *due, uint32_t room);

/* Gives up what was due before now - patience: while the port refuses, so that it is reported then.
 */
void schedule_give_up(struct schedule *schedule, uint64_t now);

/* Whether nothing is left to be taken, now or later. */
bool schedule_over(const struct schedule *schedule, uint64_t now);

/* What was due so far doesn't count. */
void schedule_restart_counts(struct schedule *schedule);

/* Gives up all that is due before `end`: the run is halted. */
void schedule_end(struct schedule *schedule, uint64_t end);

#endif
