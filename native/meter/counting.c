/* SPDX-License-Identifier: Apache-2.0 */
#include "counting.h"

#include <inttypes.h>
#include <pthread.h>
#include <rte_branch_prediction.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>
#include <valgrind/callgrind.h>

#include "source.h"
#include "trace_marks.h"
#include "words.h"

enum { SAY_WHY = 400 }; /* looks, 50 ms apart, after which it is said what is missing */
enum mark { MARK_NONE, MARK_CALLGRIND, MARK_TRACE };
enum phase { ATTACHED, WARMING, COUNTING };

struct counted {
    uint64_t packets, polls, empty, sent;
};

static struct {
    uint16_t port, burst;
    uint64_t warmup, window;
    enum mark mark;
    enum phase phase;
    struct counted now, first;
    uint64_t target;   /* of now.packets: where the warm-up or the window ends */
    bool reports_sent; /* a port that does says what it sent */
    bool made;         /* packets get frames of ours */
    struct flow_stream flows;
    uint64_t lead;
    bool asked, held, led; /* held: until a file is there; led: it was said that the lead is over */
    char report[512], go[512], ready[512], hold[512];
} counting;

static void begin(void)
{
    counting.reports_sent = source_sent(&counting.now.sent);
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
    counting.reports_sent = source_sent(&counting.now.sent);
    FILE *out = fopen(counting.report, "w");
    const struct counted *now = &counting.now, *first = &counting.first;
    bool good =
        out != NULL &&
        fprintf(out,
                "{\"packets\": %" PRIu64 ", \"polls\": %" PRIu64 ", \"empty_polls\": %" PRIu64
                ", \"sent\": %" PRIu64 ", \"sent_reported\": %s}\n",
                now->packets - first->packets, now->polls - first->polls, now->empty - first->empty,
                now->sent - first->sent, counting.reports_sent ? "true" : "false") > 0;
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

/* Between the lead and all else: says so once, and looks for the file that ends it. By this thread,
 * for an instrument that runs one at a time may let no other. */
static bool held(void)
{
    char said[sizeof counting.hold + 8];
    FILE *out;
    if (!counting.led) {
        snprintf(said, sizeof said, "%s.led", counting.hold);
        if ((out = fopen(said, "w")) != NULL)
            fclose(out);
        counting.led = true;
    }
    counting.held = access(counting.hold, F_OK) != 0;
    return counting.held;
}

bool counting_asked(void)
{
    return counting.asked;
}

/* Before the lead: until the program is as it forwards. */
static bool unready(void)
{
    if (access(counting.ready, F_OK) != 0)
        return true;
    counting.ready[0] = '\0';
    counting.target = counting.lead;
    return false;
}

bool counting_waits(void)
{
    if (likely(counting.now.packets < counting.target))
        return false;
    if (unlikely(counting.ready[0] != '\0'))
        return unready();
    if (unlikely(counting.held) && held())
        return true;
    edge();
    return false;
}

void counting_came(uint64_t packets)
{
    counting.now.packets += packets;
    counting.now.polls++;
    counting.now.empty += packets == 0;
}

uint16_t counting_burst(void)
{
    return counting.burst;
}

struct flow_stream *counting_flows(void)
{
    return counting.made ? &counting.flows : NULL;
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
    enum readiness found;
    for (int tried = 0; (found = source_counts(counting.port, error, sizeof error)) == NOT_YET;) {
        if (++tried == SAY_WHY)
            fprintf(stderr, "planecast-meter: %s yet\n", error);
        nanosleep(&moment, NULL);
    }
    if (found == NEVER)
        refuse(error);
    unsetenv("LD_PRELOAD"); /* programs that this one starts are not to be counted; not earlier, */
    unsetenv("PLANECAST_COUNT"); /* for this one may have been started by another: env, valgrind */
    return NULL;
}

void counting_start(void)
{
    const char *asked = getenv("PLANECAST_COUNT");
    char text[2048], mark[16] = "none", frame[2];
    pthread_t thread;
    sigset_t all, kept;
    if (asked == NULL)
        return;
    snprintf(text, sizeof text, " %s", asked);
    counting.port = (uint16_t)word_number(text, "port", 0);
    counting.burst = (uint16_t)word_number(text, "burst", 32);
    counting.lead = (uint64_t)word_number(text, "lead", 0);
    counting.target =
        word_value(text, "ready", counting.ready, sizeof counting.ready) ? 0 : counting.lead;
    counting.warmup = (uint64_t)word_number(text, "warmup", 0);
    counting.window = (uint64_t)word_number(text, "packets", 1);
    if (!word_value(text, "report", counting.report, sizeof counting.report))
        refuse("PLANECAST_COUNT names no report");
    word_value(text, "go", counting.go, sizeof counting.go);
    counting.held = word_value(text, "hold", counting.hold, sizeof counting.hold);
    word_value(text, "mark", mark, sizeof mark);
    counting.mark = strcmp(mark, "callgrind") == 0 ? MARK_CALLGRIND
                    : strcmp(mark, "trace") == 0   ? MARK_TRACE
                                                   : MARK_NONE;
    counting.made = word_value(text, "frame", frame, sizeof frame);
    if (counting.made && !frames_open(text))
        refuse("PLANECAST_COUNT has a frame that can't be read");
    if (counting.made)
        counting.flows = frames_stream(0, 1);
    counting.asked = true;
    sigfillset(&all);
    pthread_sigmask(SIG_BLOCK, &all, &kept); /* signals are the program's own affair */
    if (pthread_create(&thread, NULL, attach, NULL) == 0)
        pthread_detach(thread);
    pthread_sigmask(SIG_SETMASK, &kept, NULL);
}
