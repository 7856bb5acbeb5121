/* SPDX-License-Identifier: Apache-2.0 */
#include "request.h"

#include <inttypes.h>
#include <rte_cycles.h>
#include <rte_ethdev.h>
#include <rte_version.h>
#include <stdlib.h>
#include <string.h>

#include "frames.h"
#include "hook.h"
#include "polls.h"
#include "words.h"

enum { WINDOWS_MAX = 1 << 16 };

static bool attached;

static void attach(const char *line, FILE *out)
{
    char error[96] = "";
    enum side side = strstr(line, " side=tx") != NULL ? SIDE_TX : SIDE_RX;
    uint16_t port = (uint16_t)word_number(line, "port", 0);
    uint16_t leaving = (uint16_t)word_number(line, "out", port);
    if (!hook_attach(port, leaving, side, error, sizeof error)) {
        fprintf(out, "{\"waiting\": \"%s\"}\n", error);
        return;
    }
    hook_idle();
    attached = true;
    fprintf(out, "{\"attached\": {\"tsc_hz\": %" PRIu64 ", \"dpdk\": \"%s\"}}\n", rte_get_tsc_hz(),
            rte_version());
}

#define COLUMN(before, name, field)                                                                \
    do {                                                                                           \
        fputs(before "\"" name "\": [", out);                                                      \
        for (uint32_t i = 0; i < meter->count; i++)                                                \
            fprintf(out, "%s%" PRIu64, i == 0 ? "" : ", ", meter->windows[i].field);               \
        fputs("]", out);                                                                           \
    } while (0)

#define PAIRS(name, before, after)                                                                 \
    do {                                                                                           \
        fputs(", \"" name "\": [", out);                                                           \
        for (uint32_t i = 0; meter->canary && i < meter->count; i++)                               \
            fprintf(out, "%s[%.4f, %.4f]", i == 0 ? "" : ", ", meter->windows[i].before,           \
                    meter->windows[i].after);                                                      \
        fputs("]", out);                                                                           \
    } while (0)

static void write_windows(const struct meter *meter, FILE *out)
{
    fprintf(out, "{\"cpu\": %d, \"edge_cycles\": %" PRIu64 ", \"windows\": {\"count\": %u, ",
            meter->cpu, meter->edge_cycles, meter->count);
    COLUMN("", "cycles", cycles);
    COLUMN(", ", "packets", packets);
    COLUMN(", ", "bursts", bursts);
    COLUMN(", ", "empty_polls", empty_polls);
    COLUMN(", ", "sampled_packets", sampled.packets);
    COLUMN(", ", "sampled_bursts", sampled.bursts);
    COLUMN(", \"stage_cycles\": {", "rx", sampled.rx);
    COLUMN(", ", "source", sampled.source);
    COLUMN(", ", "program", sampled.program);
    COLUMN(", ", "tx", sampled.tx);
    fputs("}", out);
    PAIRS("canary_compute", compute_before, compute_after);
    PAIRS("canary_chase", chase_before, chase_after);
    fputs("}}", out);
}

static void write_lcores(FILE *out)
{
    fputs("{\"lcores\": [", out);
    for (uint32_t i = 0; i < hook_lanes(); i++) {
        fputs(i == 0 ? "" : ", ", out);
        write_windows(hook_meter(i), out);
    }
    fputs("]}\n", out);
}

/* Of the lcore that got the fewest packets. */
static void write_too_few(double seconds, FILE *out)
{
    const struct meter *least = hook_meter(0);
    for (uint32_t i = 1; i < hook_lanes(); i++)
        if (hook_meter(i)->packets < least->packets)
            least = hook_meter(i);
    fprintf(out,
            "{\"error\": \"%" PRIu64 " packets came in %g s, too few for %u of %u windows\"}\n",
            least->packets, seconds, least->count - least->next, least->count);
}

static bool prepare(const struct windows_wanted *wanted)
{
    for (uint32_t i = 0; i < hook_lanes(); i++)
        if (!windows_prepare(hook_meter(i), wanted, i, hook_lanes()))
            return false;
    return true;
}

static void trial(const char *line, FILE *out)
{
    double windows = word_number(line, "windows", 1), packets = word_number(line, "packets", 2048);
    double warmup = word_number(line, "warmup", 0), seconds = word_number(line, "seconds", 10);
    double burst = word_number(line, "burst", UINT16_MAX), clock = word_number(line, "clock", 0);
    char frame[2];
    struct windows_wanted wanted = {.made = word_value(line, "frame", frame, sizeof frame),
                                    .canary = word_number(line, "canary", 1) != 0};
    if (!(windows >= 1 && windows <= WINDOWS_MAX && packets >= 1 && warmup >= 0 && seconds > 0 &&
          burst >= 1 && burst <= UINT16_MAX && clock >= 0 && clock <= UINT16_MAX)) {
        fputs("{\"error\": \"a trial's number is out of range\"}\n", out);
        return;
    }
    if (wanted.made && !frames_open(line)) {
        fputs("{\"error\": \"a trial's frame can't be read\"}\n", out);
        return;
    }
    wanted.count = (uint32_t)windows;
    wanted.packets = (uint64_t)packets;
    wanted.warmup = (uint64_t)warmup;
    wanted.burst = (uint16_t)burst;
    wanted.clock = (uint32_t)clock;
    if (!prepare(&wanted))
        fputs("{\"error\": \"no memory for the windows\"}\n", out);
    else if (hook_measure(seconds))
        write_lcores(out);
    else
        write_too_few(seconds, out);
}

static void stats(const char *line, FILE *out)
{
    struct rte_eth_stats s;
    uint16_t port = (uint16_t)word_number(line, "port", 0);
    if (rte_eth_stats_get(port, &s) != 0) {
        fprintf(out, "{\"error\": \"port %u has no statistics\"}\n", port);
        return;
    }
    fprintf(out,
            "{\"rx_packets\": %" PRIu64 ", \"tx_packets\": %" PRIu64 ", \"rx_missed\": %" PRIu64
            ", \"rx_errors\": %" PRIu64 ", \"tx_errors\": %" PRIu64 ", \"rx_no_buffer\": %" PRIu64
            "}\n",
            s.ipackets, s.opackets, s.imissed, s.ierrors, s.oerrors, s.rx_nombuf);
}

static void watch(const char *line, FILE *out)
{
    char error[96] = "";
    uint16_t port = (uint16_t)word_number(line, "port", 0);
    uint16_t out_port = (uint16_t)word_number(line, "out", port);
    if (polls_watch(port, out_port, error, sizeof error))
        fputs("{\"done\": true}\n", out);
    else
        fprintf(out, "{\"error\": \"%s\"}\n", error);
}

static void unwatch(FILE *out)
{
    struct polls found;
    if (polls_end(&found))
        fprintf(out,
                "{\"packets\": %" PRIu64 ", \"polls\": %" PRIu64 ", \"empty_polls\": %" PRIu64
                ", \"busy_cycles\": %" PRIu64 ", \"empty_cycles\": %" PRIu64
                ", \"rx_cycles\": %" PRIu64 ", \"tx_cycles\": %" PRIu64 ", \"away_polls\": %" PRIu64
                "}\n",
                found.packets, found.found, found.empty, found.busy_cycles, found.empty_cycles,
                found.rx_cycles, found.tx_cycles, found.away);
    else
        fputs("{\"error\": \"no port is watched\"}\n", out);
}

void request_answer(char *line, FILE *out)
{
    line[strcspn(line, "\n")] = '\0';
    if (strncmp(line, "attach", 6) == 0)
        attach(line, out);
    else if (strncmp(line, "stats", 5) == 0)
        stats(line, out);
    else if (strncmp(line, "watch", 5) == 0)
        watch(line, out);
    else if (strcmp(line, "unwatch") == 0)
        unwatch(out);
    else if (!attached)
        fputs("{\"error\": \"attach to a port first\"}\n", out);
    else if (strncmp(line, "trial", 5) == 0)
        trial(line, out);
    else if (strcmp(line, "release") == 0 || strcmp(line, "idle") == 0) {
        *line == 'r' ? hook_release() : hook_idle();
        fputs("{\"done\": true}\n", out);
    } else {
        fputs("{\"error\": \"say attach, trial, watch, unwatch, stats, release or idle\"}\n", out);
    }
    fflush(out);
}
