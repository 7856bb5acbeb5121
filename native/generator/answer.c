/* SPDX-License-Identifier: Apache-2.0 */
#include "answer.h"

#include <inttypes.h>
#include <rte_cycles.h>
#include <rte_version.h>
#include <stdlib.h>

#include "exit_code.h"
#include "json.h"

struct counts {
    uint64_t asked, sent, sent_bytes, unsent, refused;
    uint64_t received, received_bytes, unique, lost;
    uint64_t reordered, duplicates, too_late, corrupt, stale, extent;
    bool asked_known;
};

/* Without a sender of ours, what was sent is what the highest number says. */
static struct counts counts_of(const struct generator *generator, const struct stream *stream)
{
    const struct schedule *schedule = &stream->schedule;
    const struct stream_rx *rx = stream->rx;
    struct counts counts = {
        .asked_known = !schedule->plan.always || schedule->plan.packets != 0,
        .sent = generator->sends ? stream->sent : 0,
        .sent_bytes = stream->sent_bytes,
        .refused = stream->refused,
        .received = rx->packets,
        .received_bytes = rx->bytes,
        .unique = rx->sequence.unique,
        .reordered = rx->sequence.reordered,
        .duplicates = rx->sequence.duplicates,
        .too_late = rx->sequence.too_late,
        .extent = rx->sequence.extent,
        .corrupt = rx->corrupt,
        .stale = rx->stale,
    };
    uint64_t expected = generator->sends ? counts.sent : rx->sequence.next;
    if (generator->sends && counts.asked_known) {
        bool whole = schedule->plan.always && !generator->running;
        counts.asked = whole ? schedule->plan.packets : schedule->asked;
        counts.unsent = counts.asked - RTE_MIN(counts.asked, counts.sent);
    }
    if (generator->receives)
        counts.lost = expected - RTE_MIN(expected, counts.unique);
    return counts;
}

static void add_counts(struct counts *sum, const struct counts *counts)
{
    sum->asked += counts->asked;
    sum->sent += counts->sent;
    sum->sent_bytes += counts->sent_bytes;
    sum->unsent += counts->unsent;
    sum->refused += counts->refused;
    sum->received += counts->received;
    sum->received_bytes += counts->received_bytes;
    sum->unique += counts->unique;
    sum->lost += counts->lost;
    sum->reordered += counts->reordered;
    sum->duplicates += counts->duplicates;
    sum->too_late += counts->too_late;
    sum->corrupt += counts->corrupt;
    sum->stale += counts->stale;
    sum->extent = RTE_MAX(sum->extent, counts->extent);
    sum->asked_known = sum->asked_known && counts->asked_known;
}

static void put_counts(FILE *out, const struct counts *counts, double seconds)
{
    if (counts->asked_known)
        fprintf(out, "\"asked\": %" PRIu64 ", ", counts->asked);
    else
        fprintf(out, "\"asked\": null, ");
    fprintf(out,
            "\"sent\": %" PRIu64 ", \"sent_bytes\": %" PRIu64 ", \"unsent\": %" PRIu64
            ", \"refused\": %" PRIu64 ", \"received\": %" PRIu64 ", \"received_bytes\": %" PRIu64
            ", \"lost\": %" PRIu64 ", \"reordered\": %" PRIu64 ", \"reorder_extent\": %" PRIu64
            ", \"duplicates\": %" PRIu64 ", \"too_late\": %" PRIu64 ", \"corrupt\": %" PRIu64
            ", \"stale\": %" PRIu64 ", \"sent_pps\": %.1f, \"received_pps\": %.1f",
            counts->sent, counts->sent_bytes, counts->unsent, counts->refused, counts->received,
            counts->received_bytes, counts->lost, counts->reordered, counts->extent,
            counts->duplicates, counts->too_late, counts->corrupt, counts->stale,
            seconds > 0 ? (double)counts->sent / seconds : 0,
            seconds > 0 ? (double)counts->received / seconds : 0);
}

/* min, mean, max and quantiles, all times `scale`; null without any. */
static void put_quantiles(FILE *out, const struct histogram *histogram, double scale)
{
    static const double percent[] = {50, 90, 99, 99.9, 99.99};
    if (histogram->count == 0) {
        fprintf(out, "null");
        return;
    }
    fprintf(out, "{\"count\": %" PRIu64 ", \"min\": %.0f, \"mean\": %.1f, \"max\": %.0f",
            histogram->count, (double)histogram->min * scale,
            (double)histogram->sum / (double)histogram->count * scale,
            (double)histogram->max * scale);
    for (size_t i = 0; i < sizeof percent / sizeof *percent; i++)
        fprintf(out, ", \"p%g\": %.0f", percent[i],
                (double)histogram_percentile(histogram, percent[i]) * scale);
    fputc('}', out);
}

static void put_latency(FILE *out, const struct histogram *latency, bool encoded)
{
    fprintf(out, ", \"latency_ns\": ");
    put_quantiles(out, latency, 1);
    if (!encoded)
        return;
    fprintf(out, ", \"latency_histogram\": \"");
    histogram_encode(out, latency);
    fputc('"', out);
}

static void put_streams(FILE *out, const struct generator *generator, bool histograms,
                        double seconds, struct counts *sum, struct histogram *all)
{
    fprintf(out, "\"streams\": [");
    for (uint32_t i = 0; i < generator->stream_count; i++) {
        const struct stream *stream = &generator->stream[i];
        struct counts counts = counts_of(generator, stream);
        double pps = stream_rate_pps(stream, generator->asked.link_gbps);
        add_counts(sum, &counts);
        histogram_merge(all, &stream->rx->latency);
        fprintf(out, "%s{\"name\": ", i > 0 ? ", " : "");
        json_put_string(out, stream->config.name);
        if (pps > 0)
            fprintf(out, ", \"rate_pps\": %.3f, ", pps);
        else
            fprintf(out, ", \"rate_pps\": null, ");
        fprintf(out, "\"mean_frame_bytes\": %.3f, ", stream->mean_frame_bytes);
        put_counts(out, &counts, seconds);
        put_latency(out, &stream->rx->latency, histograms);
        fputc('}', out);
    }
    fprintf(out, "]");
}

/* What the senders of both directions counted. */
struct sent {
    uint64_t calls, packets, refused, no_buffers, sampled_calls, sampled_cycles;
    bool gave_up;
};

static struct sent sent_of(const struct generator *generator)
{
    struct sent sum = {0};
    for (uint32_t i = 0; i < generator->directions; i++) {
        const struct sender *sender = &generator->sender[i];
        sum.calls += sender->calls;
        sum.packets += sender->packets;
        sum.refused += sender->refused;
        sum.no_buffers += sender->no_buffers;
        sum.sampled_calls += sender->sampled_calls;
        sum.sampled_cycles += sender->sampled_cycles;
        sum.gave_up |= sender->gave_up;
    }
    return sum;
}

static uint64_t missed_of(const struct generator *generator)
{
    const struct ports *ports = &generator->ports;
    return port_missed(ports->rx) + (generator->directions > 1 ? port_missed(ports->tx) : 0);
}

/* Who keeps the streams from their rate: the port, when it refused one call in ten or more. */
static const char *limited_by(const struct generator *generator, const struct counts *sum)
{
    const struct sent sent = sent_of(generator);
    bool always = false;
    for (uint32_t i = 0; i < generator->stream_count; i++)
        always |= generator->stream[i].schedule.plan.always;
    if (!generator->sends || (!always && sum->unsent == 0))
        return "null";
    return sent.refused > 0 && sent.refused * 10 >= sent.calls ? "\"port\"" : "\"generator\"";
}

static void put_sender(FILE *out, const struct generator *generator)
{
    static struct histogram lateness;
    const struct sent sent = sent_of(generator);
    double ns = 1e9 / (double)generator->tsc_hz;
    double calls = (double)RTE_MAX(sent.calls, 1U);
    fprintf(out,
            ", \"send_calls\": %" PRIu64 ", \"mean_burst\": %.3f, \"refused_calls\": %" PRIu64
            ", \"no_buffers\": %" PRIu64 ", \"gave_up\": %s, \"send_call_ns\": %.1f"
            ", \"spacing_error_ns\": ",
            sent.calls, (double)sent.packets / calls, sent.refused, sent.no_buffers,
            sent.gave_up ? "true" : "false",
            (double)sent.sampled_cycles / (double)RTE_MAX(sent.sampled_calls, 1U) * ns);
    histogram_clear(&lateness);
    for (uint32_t i = 0; i < generator->directions; i++)
        histogram_merge(&lateness, &generator->sender[i].lateness);
    put_quantiles(out, &lateness, ns);
}

/* null where nobody received while others sent. */
static void put_receiver(FILE *out, const struct generator *generator)
{
    uint64_t calls = 0;
    double cycles = 0, squares = 0, call_cycles = 0, ns = 1e9 / (double)generator->tsc_hz;
    for (uint32_t i = 0; i < generator->directions && generator->receives; i++) {
        const struct receiver *receiver = &generator->receiver[i];
        cycles += (double)receiver->gap_cycles;
        squares += receiver->gap_squares;
        calls += receiver->calls;
        call_cycles += (double)receiver->call_cycles;
    }
    if (calls == 0 || cycles <= 0) {
        fprintf(out, ", \"receive_call_ns\": null, \"receive_wait_ns\": null");
        return;
    }
    /* An instant falls into a gap in proportion to its length, and into its middle on average. */
    fprintf(out, ", \"receive_call_ns\": %.1f, \"receive_wait_ns\": %.1f",
            call_cycles / (double)calls * ns, squares / cycles / 2 * ns);
}

/* Of both loops. */
static void put_stalls(FILE *out, const struct generator *generator)
{
    const struct stalls *sends = &generator->sending_stalls, *takes = &generator->receiving_stalls;
    double ns = 1e9 / (double)generator->tsc_hz;
    fprintf(out,
            ", \"stalls\": {\"count\": %" PRIu64 ", \"ns\": %.0f, \"longest_ns\": %.0f"
            ", \"unsent\": %" PRIu64 ", \"after_ns\": %.0f}",
            sends->count + takes->count, (double)(sends->cycles + takes->cycles) * ns,
            (double)RTE_MAX(sends->longest, takes->longest) * ns, sends->unsent,
            (double)(generator->sending_done ? generator->ended_late : 0) * ns);
}

/* Of both directions. */
static void put_silence(FILE *out, const struct generator *generator)
{
    uint64_t count = 0, cycles = 0, longest = 0, lost = 0;
    double ns = 1e9 / (double)generator->tsc_hz;
    for (uint32_t i = 0; i < generator->directions && generator->receives; i++) {
        const struct silence *silence = &generator->silence[i];
        count += silence->count;
        cycles += silence->cycles;
        longest = RTE_MAX(longest, silence->longest);
        lost += silence->lost;
    }
    fprintf(out,
            ", \"silence\": {\"count\": %" PRIu64 ", \"ns\": %.0f, \"longest_ns\": %.0f"
            ", \"lost\": %" PRIu64 "}",
            count, (double)cycles * ns, (double)longest * ns, lost);
}

static void put_loop(FILE *out, const struct loop_check *loop)
{
    if (!loop->done) {
        fprintf(out, ", \"loop_ns\": null");
        return;
    }
    fprintf(out,
            ", \"loop_ns\": {\"count\": %" PRIu64 ", \"min\": %" PRIu64 ", \"p50\": %" PRIu64
            ", \"p99\": %" PRIu64 ", \"max\": %" PRIu64 "}",
            loop->packets, loop->min_ns, loop->p50_ns, loop->p99_ns, loop->max_ns);
}

static void put_machine(FILE *out, const struct generator *generator)
{
    fprintf(out, "\"tsc_hz\": %" PRIu64 ", \"page_size\": \"%s\", \"dpdk\": ", generator->tsc_hz,
            generator->pages);
    json_put_string(out, rte_version());
}

void answer_ready(FILE *out, const struct generator *generator)
{
    fprintf(out, "{\"ready\": {\"streams\": [");
    for (uint32_t i = 0; i < generator->config.stream_count; i++) {
        fprintf(out, "%s", i > 0 ? ", " : "");
        json_put_string(out, generator->config.stream[i].name);
    }
    fprintf(out, "], \"lcores\": %u", generator->config.lcores.count);
    put_loop(out, &generator->loop);
    fprintf(out, ", ");
    put_machine(out, generator);
    fprintf(out, "}}\n");
    fflush(out);
}

void answer_run(FILE *out, struct generator *generator, bool histograms)
{
    static struct histogram all;
    struct counts sum = {.asked_known = true};
    bool running = generator->running;
    double hz = (double)generator->tsc_hz;
    uint64_t now = rte_rdtsc();
    uint64_t until =
        generator->sending_done ? generator->sending_ended - generator->ended_late : now;
    double seconds = until > generator->start ? (double)(until - generator->start) / hz : 0;
    uint64_t foreign = 0;
    for (uint32_t i = 0; i < generator->directions; i++)
        foreign += generator->receiver[i].foreign;
    histogram_clear(&all);
    fprintf(out,
            "{\"running\": %s, \"interrupted\": %s, \"seconds\": %.6f, \"warm_up_sent\": %" PRIu64
            ", ",
            running ? "true" : "false", generator->stop ? "true" : "false", seconds,
            generator->warm_up_sent);
    put_streams(out, generator, histograms, seconds, &sum, &all);
    fprintf(out, ", \"total\": {");
    put_counts(out, &sum, seconds);
    put_latency(out, &all, histograms);
    fprintf(out, "}, \"foreign\": %" PRIu64 ", \"missed\": %" PRIu64 ", \"limited_by\": %s",
            foreign, missed_of(generator), limited_by(generator, &sum));
    double drained =
        running ? 0 : (double)(generator->receiving_ended - generator->sending_ended) / hz;
    fprintf(out, ", \"drain_ms\": {\"asked\": %g, \"took\": %.3f}", generator->asked.drain_ms,
            generator->receives ? drained * 1e3 : 0);
    put_sender(out, generator);
    put_receiver(out, generator);
    put_stalls(out, generator);
    put_silence(out, generator);
    put_loop(out, &generator->loop);
    fprintf(out, ", ");
    put_machine(out, generator);
    fprintf(out, "}\n");
    fflush(out);
}
