/* SPDX-License-Identifier: Apache-2.0
 *
 * The thread that is the neighbour. It gets its work, and answers when it has begun: its
 * working set is built and was walked once by then.
 */
#ifndef PLANECAST_NEIGHBOUR_WORKER_H
#define PLANECAST_NEIGHBOUR_WORKER_H

#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>

#include "walk.h"
#include "work.h"

struct done {
    uint64_t lines; /* touched since it began; of spin: rounds */
    double seconds;
};

struct worker {
    pthread_t thread;
    pthread_mutex_t lock;
    pthread_cond_t changed;
    struct work work;      /* under `lock`, as what follows */
    uint64_t given, begun; /* numbers of the last work that was given, and that was begun */
    bool failed;           /* there was no memory for it */
    bool ending;
    uint64_t began_ns;
    bool stop; /* leave the loop and look at what was given; atomic, as `lines` is */
    uint64_t lines;
    struct walk walk; /* the thread's own */
};

/* Starts the thread on a CPU, or anywhere when it is negative. False when that can't be. */
bool worker_start(struct worker *worker, int cpu);

/* Something else from now on; returns when that has begun. False without memory for it: it is idle
 * then. */
bool worker_do(struct worker *worker, const struct work *work);

/* What was done of the last work so far. */
struct done worker_done(struct worker *worker);

void worker_end(struct worker *worker);

#endif
