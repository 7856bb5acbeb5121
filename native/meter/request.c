/* SPDX-License-Identifier: Apache-2.0 */
#include "request.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "frames.h"
#include "lanes.h"
#include "source.h"
#include "words.h"

enum { WINDOWS_MAX = 1 << 16 };

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
    fprintf(out, "{\"cpu\": %d, \"edge_cycles\": %" PRIu64 ", ", meter->cpu, meter->edge_cycles);
    if (meter->rotation.seen != NULL && meter->pool_buffers > 0)
        fprintf(out, "\"rotation\": {\"share\": %.4f, \"buffers\": %u}, ",
                rotation_share(&meter->rotation), meter->pool_buffers);
    fprintf(out, "\"windows\": {\"count\": %u, ", meter->count);
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
    for (uint32_t i = 0; i < lanes_count(); i++) {
        fputs(i == 0 ? "" : ", ", out);
        write_windows(&lanes_at(i)->meter, out);
    }
    fputs("]}\n", out);
}

/* Of the lcore that got the fewest packets. */
static void write_too_few(double seconds, FILE *out)
{
    const struct meter *least = &lanes_at(0)->meter;
    for (uint32_t i = 1; i < lanes_count(); i++)
        if (lanes_at(i)->meter.packets < least->packets)
            least = &lanes_at(i)->meter;
    fprintf(out,
            "{\"error\": \"%" PRIu64 " packets came in %g s, too few for %u of %u windows\"}\n",
            least->packets, seconds, least->count - least->next, least->count);
}

static bool prepare(const struct windows_wanted *wanted)
{
    for (uint32_t i = 0; i < lanes_count(); i++)
        if (!windows_prepare(&lanes_at(i)->meter, wanted, i, lanes_count()))
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
                                    .canary = word_number(line, "canary", 1) != 0,
                                    .fresh = word_number(line, "fresh", 0) != 0,
                                    .rotation = word_number(line, "rotation", 0) != 0};
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
    else if (lanes_measure(seconds))
        write_lcores(out);
    else
        write_too_few(seconds, out);
}

void request_answer(char *line, FILE *out)
{
    line[strcspn(line, "\n")] = '\0';
    if (source_answer(line, out)) {
        ;
    } else if (lanes_count() == 0) {
        fputs("{\"error\": \"attach to a port first\"}\n", out);
    } else if (strncmp(line, "trial", 5) == 0) {
        trial(line, out);
    } else if (strcmp(line, "release") == 0 || strcmp(line, "idle") == 0) {
        *line == 'r' ? lanes_release() : lanes_idle();
        fputs("{\"done\": true}\n", out);
    } else {
        fputs("{\"error\": \"say attach, trial, watch, unwatch, stats, release or idle\"}\n", out);
    }
    fflush(out);
}
