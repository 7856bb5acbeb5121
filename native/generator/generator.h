/* SPDX-License-Identifier: Apache-2.0
 *
 * The whole: ports, pools, streams, and runs of them. The main lcore starts a run and sleeps; one
 * lcore sends and receives in turn, or one does each.
 */
#ifndef PLANECAST_GENERATOR_GENERATOR_H
#define PLANECAST_GENERATOR_GENERATOR_H

#include <stdatomic.h>

#include "ports.h"
#include "receiver.h"
#include "sender.h"
#include "silence.h"

/* The generator's own latency over a ring, with nothing between. */
struct loop_check {
    bool done;
    uint64_t packets, min_ns, p50_ns, p99_ns, max_ns;
};

struct generator {
    struct config config; /* of the file */
    struct config asked;  /* of the run */
    struct stream stream[STREAMS_MAX];
    uint32_t stream_count; /* opened for the run */
    struct sender sender[DIRECTIONS];
    struct receiver receiver[DIRECTIONS];
    uint32_t directions; /* 1, or 2 when a stream goes the other way */
    struct rte_mempool *tx_pool, *rx_pool;
    struct ports ports;
    bool sends, receives;
    struct loop_check loop;
    const char *pages;
    uint64_t tsc_hz;
    /* of the run */
    double seconds;                          /* 0: until the packets are through, or it is halted */
    uint64_t sends_from, start, end;         /* sending, counting, and both */
    uint64_t warm_up_sent;                   /* packets, before the start */
    bool counts;                             /* the warm-up is over */
    uint64_t last;                           /* sending ends by then, even if not all was sent */
    uint64_t sending_ended, receiving_ended; /* TSC */
    uint64_t ended_late;                     /* cycles by which a stall delayed the first */
    struct stalls sending_stalls, receiving_stalls; /* in turn by one lcore: all are the first's */
    struct silence silence[DIRECTIONS];
    atomic_bool started;      /* the clock of the run runs */
    atomic_bool halt;         /* end of sending is asked for */
    atomic_bool sending_done; /* receiving ends when it has drained */
    atomic_bool running;      /* lcores are at work */
    bool begun;               /* there is a run to report */
    uint32_t link_down_ms;    /* since links were up, or peers were called */
    atomic_bool stop;         /* SIGINT or SIGTERM came */
};

/* After EAL's start: pools and ports. False with a sentence in `error`. */
bool generator_open(struct generator *generator, char *error, size_t error_bytes);
void generator_close(struct generator *generator);

/* Starts what generator->asked says; false with a sentence in `error`. Ends by itself after
 * `seconds` or when all packets are sent, or by generator->halt. */
bool generator_start(struct generator *generator, double seconds, char *error, size_t error_bytes);

/* Whether an lcore is at work still. */
bool generator_at_work(void);

/* Sleeps until the run is over and drained; a signal halts it. */
void generator_wait(struct generator *generator);

/* Measures the loop over a ring of its own; fills generator->loop. (loop_check.c) */
bool loop_check_run(struct generator *generator, char *error, size_t error_bytes);

/* MiB that EAL needs. */
uint32_t generator_memory_mib(const struct config *config);

#endif
