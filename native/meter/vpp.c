/* SPDX-License-Identifier: Apache-2.0
 *
 * The node with which VPP makes packets, as what brings a program its packets (source.h): VPP's
 * input nodes are its own, and `pg_input` alone is a function that a library loaded before it can
 * stand for. It makes one burst a turn of the main loop; streams are made by VPP's command line.
 */
#include <dlfcn.h>
#include <rte_branch_prediction.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "counting.h"
#include "lanes.h"
#include "source.h"

typedef uintptr_t node_function(void *vlib, void *node, void *frame); /* returns packets */

static node_function *real;
static atomic_int at_a_poll = POLL_PASSES;
static atomic_bool came; /* it was called */

static void put(enum at_a_poll what)
{
    atomic_store(&at_a_poll, what);
}

static uintptr_t measured(void *vlib, void *node, void *frame)
{
    uintptr_t packets = real(vlib, node, frame);
    if (windows_count(&lanes_at(0)->meter, (uint16_t)packets))
        lanes_over();
    return packets;
}

/* As in counting_port.c: what it calls makes packets. */
__attribute__((noinline)) static uintptr_t count_rx(void *vlib, void *node, void *frame)
{
    if (counting_waits())
        return 0;
    uintptr_t packets = real(vlib, node, frame);
    counting_came(packets);
    return packets;
}

__attribute__((visibility("default"))) uintptr_t pg_input(void *vlib, void *node, void *frame)
{
    if (unlikely(real == NULL)) {
        real = (node_function *)dlsym(RTLD_NEXT, "pg_input");
        if (real == NULL)
            abort(); /* only VPP calls this, and has one */
        atomic_store(&came, true);
    }
    if (unlikely(counting_asked()))
        return count_rx(vlib, node, frame);
    switch (atomic_load_explicit(&at_a_poll, memory_order_relaxed)) {
    case POLL_COUNTS:
        return measured(vlib, node, frame);
    case POLL_SLEEPS:
        lanes_sleep(lanes_at(0));
        return 0;
    default: /* released, it is asked something: no packet is to change what it has counted */
        return lanes_count() > 0 ? 0 : real(vlib, node, frame);
    }
}

static double nanoseconds(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC_RAW, &now);
    return (double)now.tv_sec * 1e9 + (double)now.tv_nsec;
}

static double tsc_hz(void)
{
    const struct timespec moment = {.tv_nsec = 100 * 1000 * 1000};
    double began = nanoseconds();
    uint64_t first = rte_rdtsc();
    nanosleep(&moment, NULL);
    return (double)(rte_rdtsc() - first) * 1e9 / (nanoseconds() - began);
}

bool source_answer(const char *line, FILE *out)
{
    if (strncmp(line, "attach", 6) != 0)
        return false;
    if (!atomic_load(&came)) {
        fputs("{\"waiting\": \"its packet generator has no stream\"}\n", out);
        return true;
    }
    if (lanes_count() == 0)
        lanes_open(1, put);
    lanes_idle();
    fprintf(out, "{\"attached\": {\"tsc_hz\": %.0f, \"dpdk\": \"\"}}\n", tsc_hz());
    return true;
}

/* Counted it is from the first call on. */
enum readiness source_counts(uint16_t port, char *error, size_t error_bytes)
{
    (void)port, (void)error, (void)error_bytes;
    return atomic_load(&came) ? READY : NOT_YET;
}

/* VPP's command line is asked that. */
bool source_sent(uint64_t *packets)
{
    *packets = 0;
    return false;
}
