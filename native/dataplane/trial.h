/* SPDX-License-Identifier: Apache-2.0
 *
 * A trial: warm up, then a number of short windows on every lcore, each with canaries before and
 * after.
 *
 * Windows are short (about 100 us) because disturbance comes in pulses: a short window is either
 * clean or visibly not. An lcore that is through continues forwarding, unrecorded, until the last
 * one is: every window of every lcore sees the same neighbours.
 */
#ifndef PLANECAST_TRIAL_H
#define PLANECAST_TRIAL_H

#include "dataplane.h"

enum { WINDOWS_MAX = 8192 };

struct trial {
    uint32_t windows; /* per lcore */
    uint64_t packets; /* per window and lcore; 0: until `seconds` are over */
    uint64_t warmup;  /* packets before the first window, per lcore */
    uint64_t block;   /* packets of a block, of which more are forwarded until they cost the same
                         (steady.h); 0: the warm-up is all */
    double settle;    /* seconds after which the windows begin all the same */
    double seconds;   /* a window, or the warm-up, that lasts longer ends; 0: no limit */
    bool canary;
    uint32_t burst, stage_clock;
    struct traffic traffic;
    struct pipeline pipeline;
};

/* What one window saw; cycles are the TSC's. */
struct window {
    uint64_t cycles, packets, bursts, empty_polls;
    uint64_t sampled_packets, sampled_bursts;
    uint64_t ring_packets; /* sum of what waited to be taken, at the sampled bursts */
    uint64_t stage_cycles[CLOCKS];
    double compute_before, compute_after; /* cycles a round */
    double chase_before, chase_after;     /* cycles a hop */
};

/* A trial with the configuration's own values: one window, no warm-up. */
struct trial trial_default(const struct dataplane *dataplane);

/* Reads "windows=64 burst=16 …" over it; false with a sentence in `error`. */
bool trial_parse(const struct dataplane *dataplane, const char *text, struct trial *trial,
                 char *error, size_t error_bytes);

/* Runs it on trial->traffic.lcores lcores (on the calling thread when `here`). `windows` holds
 * [lcore][trial->windows]. False when a worker could not be started. */
bool trial_run(struct dataplane *dataplane, const struct trial *trial, struct window *windows,
               bool here);

#endif
