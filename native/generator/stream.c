/* SPDX-License-Identifier: Apache-2.0 */
#include "stream.h"

#include <stdlib.h>
#include <string.h>

static uint32_t divisor(uint32_t a, uint32_t b)
{
    while (b != 0) {
        uint32_t rest = a % b;
        a = b;
        b = rest;
    }
    return a;
}

uint32_t stream_pattern(const struct sizes *sizes, uint8_t *pattern)
{
    int64_t credit[SIZES_MAX] = {0};
    uint32_t common = 0, length = 0;
    for (uint32_t i = 0; i < sizes->count; i++)
        common = divisor(sizes->weight[i], common);
    for (uint32_t i = 0; i < sizes->count; i++)
        length += sizes->weight[i] / common;
    /* Every packet gives each size its weight; who has most is next, and pays all of them. */
    for (uint32_t at = 0; at < length; at++) {
        uint32_t best = 0;
        for (uint32_t i = 0; i < sizes->count; i++) {
            credit[i] += sizes->weight[i] / common;
            best = credit[i] > credit[best] ? i : best;
        }
        credit[best] -= length;
        pattern[at] = (uint8_t)best;
    }
    return length;
}

bool stream_open(struct stream *stream, const struct stream_config *config, uint32_t number,
                 char *error, size_t error_bytes)
{
    memset(stream, 0, sizeof *stream);
    stream->config = *config;
    stream->number = number;
    stream->pattern_length = stream_pattern(&config->sizes, stream->pattern);
    for (uint32_t i = 0; i < config->sizes.count; i++)
        shape_set(&stream->shape[i], config, number, config->sizes.frame_bytes[i]);
    for (uint32_t i = 0; i < stream->pattern_length; i++)
        stream->mean_frame_bytes += config->sizes.frame_bytes[stream->pattern[i]];
    stream->mean_frame_bytes /= stream->pattern_length;
    stream->fields_vary = config->dscp.count > 1 || config->dscp.value[0] != 0 ||
                          config->source_mac_step != 0 || config->destination_mac_step != 0 ||
                          config->outer_vlan_step != 0 || config->inner_vlan_step != 0 ||
                          config->source_port_step != 0 || config->destination_port_step != 0;
    if (config->arrivals == ARRIVALS_PCAP &&
        !capture_read(config->pcap, &stream->capture, error, error_bytes))
        return false;
    stream->rx = malloc(sizeof *stream->rx);
    if (stream->rx != NULL && flows_open(&stream->flows, config))
        return true;
    snprintf(error, error_bytes, "no memory for the stream '%s'", config->name);
    stream_close(stream);
    return false;
}

void stream_close(struct stream *stream)
{
    flows_close(&stream->flows);
    capture_close(&stream->capture);
    free(stream->rx);
    stream->rx = NULL;
}

double stream_rate_pps(const struct stream *stream, double link_gbps)
{
    const struct stream_config *config = &stream->config;
    if (config->arrivals == ARRIVALS_PCAP)
        return config->pcap_speed / stream->capture.mean;
    if (config->arrivals == ARRIVALS_BURST && config->burst_us > 0)
        return config->burst_packets / (config->burst_us / 1e6);
    if (config->rate.kind != RATE_PERCENT)
        return config->rate.value;
    double frame_bits = (stream->mean_frame_bytes + WIRE_GAP_BYTES) * 8;
    return link_gbps * 1e9 / frame_bits * config->rate.value / 100;
}

/* A capture's gaps become cycles once: its seconds are not asked for again. */
static void scale_gaps(struct stream *stream, double cycles_per_second)
{
    struct capture *capture = &stream->capture;
    double factor = cycles_per_second / stream->config.pcap_speed;
    for (uint32_t i = 0; i < capture->count; i++)
        capture->cycles[i] = capture->gaps[i] * factor;
}

void stream_restart_counts(struct stream *stream)
{
    schedule_restart_counts(&stream->schedule);
    stream->sent = stream->sent_bytes = stream->refused = 0;
}

void stream_begin(struct stream *stream, const struct stream_clock *clock)
{
    const struct stream_config *config = &stream->config;
    double pps = stream_rate_pps(stream, clock->link_gbps);
    double hz = (double)clock->tsc_hz;
    struct schedule_plan plan = {
        .arrivals = config->arrivals,
        .always = pps == 0,
        .gap = pps > 0 ? hz / pps : 0,
        .burst_gap = pps > 0 ? hz / pps * config->burst_packets : 0,
        .burst_packets = config->burst_packets,
        .packets = config->packets,
        .patience = (uint64_t)(clock->catch_up_us * 1e-6 * hz),
        .until = clock->end,
        .seed = ~(uint64_t)config->seed,
        .gaps = stream->capture.cycles,
        .gap_count = stream->capture.count,
    };
    if (stream->capture.count > 0)
        scale_gaps(stream, hz);
    schedule_begin(&stream->schedule, &plan, clock->start);
    stream->flows.next = 0;
    stream->flows.random = (uint64_t)config->seed << 20;
    stream->pattern_at = 0;
    stream->next_sequence = 0;
    stream_restart_counts(stream);
    memset(stream->rx, 0, sizeof *stream->rx);
    histogram_clear(&stream->rx->latency);
}
