/* SPDX-License-Identifier: Apache-2.0
 *
 * Windows of a fixed number of packets, with canaries before and after each: what the data plane's
 * trial.c does in its own loop, done from inside a port of a program that isn't ours.
 *
 * A forwarding thread counts; the control thread prepares a trial while the other is idle, and
 * reads it when it is done.
 */
#ifndef PLANECAST_METER_WINDOWS_H
#define PLANECAST_METER_WINDOWS_H

#include <rte_branch_prediction.h>
#include <stdbool.h>
#include <stdint.h>

#include "canary.h"
#include "frames.h"
#include "rotation.h"
#include "stage_clock.h"

struct window {
    uint64_t cycles, packets, bursts, empty_polls;
    struct stage_cycles sampled;
    double compute_before, compute_after, chase_before, chase_after;
};

/* Of one lcore. */
struct meter {
    uint64_t packets, polls, empty_polls;
    uint64_t target;      /* of `packets`: where the warm-up or a window ends */
    uint64_t edge_cycles; /* between windows, which the program takes for its work on packets */
    uint64_t first_cycles, first_packets, first_polls, first_empty;
    struct window *windows;
    struct stage_cycles first_sampled;
    uint32_t count, next;
    uint64_t window_packets;
    uint16_t burst; /* packets of a poll at most */
    bool made;      /* packets get frames of ours */
    bool warm, canary;
    int cpu; /* where it forwards */
    struct stage_clock clock;
    struct flow_stream flows;
    bool fresh; /* still to be done */
    struct rotation rotation;
    uint32_t pool_buffers; /* 0: not known */
    struct canary chase;   /* kept from trial to trial */
};

struct windows_wanted {
    uint32_t count;
    uint64_t packets, warmup;
    uint16_t burst;
    uint32_t clock; /* of every so-manieth poll the parts are timed; 0: of none */
    bool made, canary;
    bool fresh;    /* a small cache of packet buffers begins empty */
    bool rotation; /* packet buffers are followed, which takes time */
};

/* Makes room for those of lcore `number` of so many. False when memory is short. */
bool windows_prepare(struct meter *meter, const struct windows_wanted *wanted, uint32_t number,
                     uint32_t lcores);

/* The warm-up or a window ended. True when it was the last one, once. */
bool windows_edge(struct meter *meter);

/* After each poll that brought `packets`. True, once, when the lcore's windows are over. */
static inline bool windows_count(struct meter *meter, uint16_t packets)
{
    meter->packets += packets;
    meter->polls++;
    if (unlikely(packets == 0))
        meter->empty_polls++;
    return unlikely(meter->packets >= meter->target) && windows_edge(meter);
}

#endif
