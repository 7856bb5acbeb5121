/* SPDX-License-Identifier: Apache-2.0
 *
 * The threads that forward, each with a meter: they sleep between trials, and are measured together
 * until the last of them has its windows. Whoever brings their packets (hook.c, vpp.c) puts in
 * place what is to be done at a poll.
 */
#ifndef PLANECAST_METER_LANES_H
#define PLANECAST_METER_LANES_H

#include <rte_common.h>
#include <stdalign.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#include "windows.h"

enum { LANES = 64 }; /* at most */

/* No two share a cache line, nor two lines that a prefetcher brings in together. */
struct lane {
    alignas(2 * RTE_CACHE_LINE_SIZE) struct meter meter;
    const void *queue; /* the driver's: what its functions are given */
    atomic_bool asleep;
};

/* At a poll: its thread sleeps; packets are counted; as if we were not there. */
enum at_a_poll { POLL_SLEEPS, POLL_COUNTS, POLL_PASSES };
typedef void put_function(enum at_a_poll what);

/* Once. `put` is called by any thread, and takes effect at the next poll of each. */
void lanes_open(uint32_t count, put_function *put);

/* 0 before. */
uint32_t lanes_count(void);
struct lane *lanes_at(uint32_t lane);

/* By a lane's own thread: sleeps until it is to measure, 20 ms at most. */
void lanes_sleep(struct lane *lane);

/* By a lane's own thread, once a trial: its windows are over. */
void lanes_over(void);

/* They sleep from their next polls on. */
void lanes_idle(void);

/* Measures what windows_prepare asked of each. False when one was not over in time. They are idle
 * after. */
bool lanes_measure(double seconds);

/* At full speed, unmeasured; of VPP, without packets (vpp.c). */
void lanes_release(void);

#endif
