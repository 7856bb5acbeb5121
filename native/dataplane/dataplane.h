/* SPDX-License-Identifier: Apache-2.0
 *
 * The whole: tables, lcores, counters. Made once a process; trials then run on it.
 */
#ifndef PLANECAST_DATAPLANE_H
#define PLANECAST_DATAPLANE_H

#include <sched.h>
#include <stdatomic.h>

#include "config.h"
#include "lcore.h"

enum instrument {
    INSTRUMENT_NONE,
    INSTRUMENT_CALLGRIND,
    INSTRUMENT_STOP,
    INSTRUMENT_TRACE /* as many packets are followed before those that are counted */
};

struct dataplane {
    struct config config;
    struct instance stage[STAGES_MAX]; /* of the function, by position */
    struct lcore *lcore[LCORES_MAX];   /* [config.lcores.count] */
    enum instrument instrument;
    cpu_set_t usable_cpus; /* before EAL pinned its threads; empty: more than a cpu_set_t has */
    const char *pages;     /* what the tables stand on: "4KiB", "2MiB", "mixed" */
    bool ports_started;
    atomic_bool stop; /* SIGINT or SIGTERM came */
};

/* The function's stage of this name, with what it has here; NULL: it has no such stage. */
const struct instance *dataplane_stage(const struct dataplane *dataplane, const char *name);

struct totals {
    uint64_t packets_in, packets_out, bursts, empty_polls;
    uint64_t copies;    /* packets made of others, by flooding */
    uint64_t in_flight; /* held back by stages; between two readings: how many more (modulo 2^64) */
    uint64_t drops[DROP_CAUSES];
};

/* After rte_eal_init: pools, tables, ports, pages. False with a sentence in `error`, or when the
 * program is to stop. */
bool dataplane_open(struct dataplane *dataplane, char *error, size_t error_bytes);
/* Also after an opening that failed half-way. */
void dataplane_close(struct dataplane *dataplane);

/* Sums over lcores since the start. */
struct totals dataplane_totals(const struct dataplane *dataplane);

/* What was counted between two readings. */
struct totals totals_since(const struct totals *now, const struct totals *before);

/* in + copies = out + drops + in flight: holds whenever no burst is under way. */
bool totals_conserved(const struct totals *totals);

#endif
