/* SPDX-License-Identifier: Apache-2.0
 *
 * A stream of packets: its shapes in the order of its sizes, its flows, its schedule, and what was
 * counted, when sending and when receiving.
 */
#ifndef PLANECAST_GENERATOR_STREAM_H
#define PLANECAST_GENERATOR_STREAM_H

#include "batch.h"
#include "capture.h"
#include "flows.h"
#include "histogram.h"
#include "schedule.h"
#include "sequence.h"
#include "shape.h"

/* Written by the receiving lcore alone. */
struct stream_rx {
    uint64_t packets, bytes; /* valid ones, second copies included; bytes with FCS */
    uint64_t corrupt;
    uint64_t stale; /* from before the run */
    struct sequence sequence;
    struct histogram latency; /* ns */
};

struct stream {
    struct stream_config config;
    uint32_t number;
    struct shape shape[SIZES_MAX];
    uint8_t pattern[WEIGHTS_MAX]; /* which shape, packet by packet, repeated */
    uint32_t pattern_length, pattern_at;
    double mean_frame_bytes; /* with FCS */
    struct flows flows;
    struct capture capture;
    bool fields_vary; /* more than the addresses, from flow to flow */
    /* sending */
    struct schedule schedule;
    uint64_t next_sequence;
    uint64_t sent, sent_bytes; /* bytes with FCS */
    uint64_t refused;          /* dropped because the port was full */
    struct stream_rx *rx;
};

/* The order of sizes in which each comes as often as its weight says, and as evenly as can be;
 * returns its length. */
uint32_t stream_pattern(const struct sizes *sizes, uint8_t *pattern);

/* False with a sentence in `error`. */
bool stream_open(struct stream *stream, const struct stream_config *config, uint32_t number,
                 char *error, size_t error_bytes);
void stream_close(struct stream *stream);

/* Counters at 0, flows and schedule at their start. */
struct stream_clock {
    uint64_t start, end, tsc_hz; /* TSC; end may be UINT64_MAX */
    double catch_up_us, link_gbps;
};
void stream_begin(struct stream *stream, const struct stream_clock *clock);

/* What was sent so far was a warm-up: it doesn't count. */
void stream_restart_counts(struct stream *stream);

/* Packets a second that it asks for; 0: as many as the port takes. */
double stream_rate_pps(const struct stream *stream, double link_gbps);

/* Makes the stream's next packets in the buffers [first, first + count) of the batch, whose due
 * times stand there. (pktgen.c) */
void stream_make(struct stream *stream, struct batch *batch, uint32_t first, uint32_t count);

#endif
