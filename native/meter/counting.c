/* SPDX-License-Identifier: Apache-2.0 */
#include "counting.h"

#include <inttypes.h>
#include <pthread.h>
#include <rte_ethdev.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>
#include <valgrind/callgrind.h>

#include "frames.h"
#include "hook.h"
#include "trace_marks.h"

enum mark { MARK_NONE, MARK_CALLGRIND, MARK_TRACE };
enum phase { ATTACHED, WARMING, COUNTING };

struct counted {
    uint64_t packets, polls, empty, sent;
};

static struct {
    uint16_t port, out, burst;
    uint64_t warmup, window;
    enum mark mark;
    enum phase phase;
    eth_rx_burst_t driver;
    struct counted now, first;
    uint64_t target; /* of now.packets: where the warm-up or the window ends */
    bool made;       /* packets get frames of ours */
    char report[512], go[512];
} counting;

/* What the other port has sent by now; 0 when it doesn't tell. */
static uint64_t sent(void)
{
    struct rte_eth_stats stats;
    return rte_eth_stats_get(counting.out, &stats) == 0 ? stats.opackets : 0;
}

static void begin(void)
{
    counting.now.sent = sent();
    counting.first = counting.now;
    counting.phase = COUNTING;
    counting.target = counting.now.packets + counting.window;
    if (counting.mark == MARK_CALLGRIND)
        CALLGRIND_START_INSTRUMENTATION;
    else if (counting.mark == MARK_TRACE)
        trace_mark(TRACE_COUNT);
}

static void end(void)
{
    if (counting.mark == MARK_CALLGRIND)
        CALLGRIND_STOP_INSTRUMENTATION;
    else if (counting.mark == MARK_TRACE)
        trace_mark(TRACE_END);
    counting.now.sent = sent();
    FILE *out = fopen(counting.report, "w");
    const struct counted *now = &counting.now, *first = &counting.first;
    bool good = out != NULL && fprintf(out,
                                       "{\"packets\": %" PRIu64 ", \"polls\": %" PRIu64
                                       ", \"empty_polls\": %" PRIu64 ", \"sent\": %" PRIu64 "}\n",
                                       now->packets - first->packets, now->polls - first->polls,
                                       now->empty - first->empty, now->sent - first->sent) > 0;
    if (out != NULL)
        good = fclose(out) == 0 && good;
    if (!good)
        perror("planecast-meter: the report");
    _exit(good ? 0 : 1);
}

static void edge(void)
{
    if (counting.phase == ATTACHED && counting.warmup > 0) {
        counting.phase = WARMING;
        counting.target = counting.now.packets + counting.warmup;
        if (counting.mark == MARK_TRACE)
            trace_mark(TRACE_BEGIN);
    } else if (counting.phase != COUNTING) {
        begin();
    } else {
        end();
    }
}

/* The program's receive function: what it does is not the program's work, and counted apart by the
 * name of this library. */
static uint16_t count_rx(void *queue, struct rte_mbuf **packets, uint16_t room)
{
    struct counted *now = &counting.now;
    if (unlikely(now->packets >= counting.target))
        edge();
    uint16_t wanted = RTE_MIN(room, counting.burst);
    uint16_t count = counting.driver(queue, packets, wanted);
    now->packets += count;
    now->polls++;
    now->empty += count == 0;
    if (counting.made)
        frames_write(packets, count);
    return count;
}

/* A value behind ` key=` in a text; false when it isn't there. */
static bool value(const char *text, const char *key, char *out, size_t size)
{
    char word[32];
    snprintf(word, sizeof word, " %s=", key);
    const char *found = strstr(text, word);
    if (found == NULL)
        return false;
    found += strlen(word);
    snprintf(out, size, "%.*s", (int)strcspn(found, " "), found);
    return true;
}

static uint64_t number(const char *text, const char *key, uint64_t otherwise)
{
    char found[32];
    return value(text, key, found, sizeof found) ? strtoull(found, NULL, 0) : otherwise;
}

static void refuse(const char *reason)
{
    fprintf(stderr, "planecast-meter: %s\n", reason);
    _exit(1);
}

static void *attach(void *unused)
{
    const struct timespec moment = {.tv_nsec = 50000000};
    char error[96] = "";
    (void)unused;
    while (counting.go[0] != '\0' && access(counting.go, F_OK) != 0)
        nanosleep(&moment, NULL);
    while (!hook_ready(counting.port, SIDE_RX, error, sizeof error)) {
        if (strstr(error, "queues") != NULL)
            refuse(error);
        nanosleep(&moment, NULL);
    }
    unsetenv("LD_PRELOAD"); /* programs that this one starts are not to be counted; not earlier, */
    unsetenv("PLANECAST_COUNT"); /* for this one may have been started by another: env, valgrind */
    struct rte_eth_fp_ops *port = &rte_eth_fp_ops[counting.port];
    counting.driver = port->rx_pkt_burst;
    __atomic_store_n(&port->rx_pkt_burst, count_rx, __ATOMIC_SEQ_CST);
    return NULL;
}

static void read_frames(const char *text)
{
    char frame[2 * FRAME_HEADERS + 1];
    if (!value(text, "frame", frame, sizeof frame))
        return;
    counting.made = true;
    if (!frames_open(frame, &(struct frames_wanted){
                                .length = (uint16_t)number(text, "length", 60),
                                .flows = (uint32_t)number(text, "flows", 1),
                                .seed = number(text, "seed", 1),
                                .source_step = (uint32_t)number(text, "source_step", 1),
                                .destination_step = (uint32_t)number(text, "destination_step", 1)}))
        refuse("PLANECAST_COUNT has a frame that can't be read");
}

void counting_start(void)
{
    const char *asked = getenv("PLANECAST_COUNT");
    char text[1024], mark[16] = "none";
    pthread_t thread;
    sigset_t all, kept;
    if (asked == NULL)
        return;
    snprintf(text, sizeof text, " %s", asked);
    counting.port = (uint16_t)number(text, "port", 0);
    counting.out = (uint16_t)number(text, "out", 1);
    counting.burst = (uint16_t)number(text, "burst", 32);
    counting.target = number(text, "lead", 0);
    counting.warmup = number(text, "warmup", 0);
    counting.window = number(text, "packets", 1);
    if (!value(text, "report", counting.report, sizeof counting.report))
        refuse("PLANECAST_COUNT names no report");
    value(text, "go", counting.go, sizeof counting.go);
    value(text, "mark", mark, sizeof mark);
    counting.mark = strcmp(mark, "callgrind") == 0 ? MARK_CALLGRIND
                    : strcmp(mark, "trace") == 0   ? MARK_TRACE
                                                   : MARK_NONE;
    read_frames(text);
    sigfillset(&all);
    pthread_sigmask(SIG_BLOCK, &all, &kept); /* signals are the program's own affair */
    if (pthread_create(&thread, NULL, attach, NULL) == 0)
        pthread_detach(thread);
    pthread_sigmask(SIG_SETMASK, &kept, NULL);
}
