/* SPDX-License-Identifier: Apache-2.0 */
#include "answer.h"

#include <inttypes.h>
#include <rte_cycles.h>
#include <rte_vect.h>
#include <rte_version.h>

/* Text of ours has no control characters; quotes and backslashes are all there is to escape. */
static void put_string(FILE *out, const char *text)
{
    fputc('"', out);
    for (; *text != '\0'; text++) {
        if (*text == '"' || *text == '\\')
            fputc('\\', out);
        fputc(*text, out);
    }
    fputc('"', out);
}

/* "name": [v, v, …] of one field over the windows. */
#define PUT_COLUMN(out, name, windows, count, format, ...)                                         \
    do {                                                                                           \
        fprintf(out, ", \"%s\": [", name);                                                         \
        for (uint32_t w = 0; w < (count); w++) {                                                   \
            const struct window *window = &(windows)[w];                                           \
            fprintf(out, "%s" format, w > 0 ? ", " : "", __VA_ARGS__);                             \
        }                                                                                          \
        fputc(']', out);                                                                           \
    } while (0)

static const char *clock_name(const struct trial *trial, uint32_t clock)
{
    if (clock == CLOCK_SOURCE)
        return "source";
    if (clock == trial->pipeline.length + 1U)
        return "tx";
    return stages[trial->pipeline.order[clock - 1]].name;
}

static void put_stage_cycles(FILE *out, const struct trial *trial, const struct window *windows)
{
    fprintf(out, ", \"stage_cycles\": {");
    for (uint32_t clock = 0; clock < trial->pipeline.length + 2U; clock++) {
        fprintf(out, "%s\"%s\": [", clock > 0 ? ", " : "", clock_name(trial, clock));
        for (uint32_t w = 0; w < trial->windows; w++) {
            fprintf(out, "%s%" PRIu64, w > 0 ? ", " : "", windows[w].stage_cycles[clock]);
        }
        fputc(']', out);
    }
    fputc('}', out);
}

static void put_windows(FILE *out, const struct trial *trial, const struct window *windows)
{
    uint32_t count = trial->windows;
    fprintf(out, "\"count\": %u", count);
    PUT_COLUMN(out, "cycles", windows, count, "%" PRIu64, window->cycles);
    PUT_COLUMN(out, "packets", windows, count, "%" PRIu64, window->packets);
    PUT_COLUMN(out, "bursts", windows, count, "%" PRIu64, window->bursts);
    PUT_COLUMN(out, "empty_polls", windows, count, "%" PRIu64, window->empty_polls);
    PUT_COLUMN(out, "canary_compute", windows, count, "[%.4f, %.4f]", window->compute_before,
               window->compute_after);
    PUT_COLUMN(out, "canary_chase", windows, count, "[%.1f, %.1f]", window->chase_before,
               window->chase_after);
    PUT_COLUMN(out, "sampled_packets", windows, count, "%" PRIu64, window->sampled_packets);
    PUT_COLUMN(out, "sampled_bursts", windows, count, "%" PRIu64, window->sampled_bursts);
    put_stage_cycles(out, trial, windows);
}

static void put_stage_names(FILE *out, const struct pipeline *pipeline)
{
    fputc('[', out);
    for (uint8_t i = 0; i < pipeline->length; i++) {
        fprintf(out, "%s\"%s\"", i > 0 ? ", " : "", stages[pipeline->order[i]].name);
    }
    fputc(']', out);
}

static void put_machine(FILE *out, const struct dataplane *dataplane)
{
    fprintf(out, "\"tsc_hz\": %" PRIu64 ", \"page_size\": \"%s\", \"simd_bits\": %u, \"dpdk\": ",
            rte_get_tsc_hz(), dataplane->pages, rte_vect_get_max_simd_bitwidth());
    put_string(out, rte_version());
}

void answer_ready(FILE *out, const struct dataplane *dataplane)
{
    fprintf(out, "{\"ready\": {\"lcores\": %u, ", dataplane->config.lcore_count);
    put_machine(out, dataplane);
    fprintf(out, "}}\n");
    fflush(out);
}

void answer_error(FILE *out, const char *error)
{
    fprintf(out, "{\"error\": ");
    put_string(out, error);
    fprintf(out, "}\n");
    fflush(out);
}

void answer_trial(FILE *out, const struct dataplane *dataplane, const struct trial *trial,
                  const struct window *windows, const struct totals *totals)
{
    fprintf(out,
            "{\"trial\": {\"windows\": %u, \"packets\": %" PRIu64 ", \"burst\": %u, "
            "\"frame_bytes\": %u, \"flows\": %u, \"lcores\": %u, \"stage_clock\": %u, \"stages\": ",
            trial->windows, trial->packets, trial->burst, trial->traffic.frame_bytes,
            trial->traffic.flows, trial->traffic.lcores, trial->stage_clock);
    put_stage_names(out, &trial->pipeline);
    fprintf(out, "}, \"lcores\": [");
    for (uint32_t i = 0; i < trial->traffic.lcores; i++) {
        const struct lcore *lcore = dataplane->lcore[i];
        fprintf(out, "%s{\"cpu\": %u, \"clock_cost\": %" PRIu64 ", \"windows\": {",
                i > 0 ? ", " : "", lcore->cpu, lcore->clock_cost);
        put_windows(out, trial, &windows[(size_t)i * trial->windows]);
        fprintf(out, "}}");
    }
    fprintf(out, "], \"packets_in\": %" PRIu64 ", \"packets_out\": %" PRIu64 ", \"in_flight\": 0",
            totals->packets_in, totals->packets_out);
    fprintf(out, ", \"drops\": {");
    for (int cause = DROP_NONE + 1; cause < DROP_CAUSES; cause++) {
        fprintf(out, "%s\"%s\": %" PRIu64, cause > DROP_NONE + 1 ? ", " : "",
                drop_cause_name[cause], totals->drops[cause]);
    }
    fprintf(out, "}, \"conserved\": %s, \"interrupted\": %s, ",
            totals_conserved(totals) ? "true" : "false", dataplane->stop ? "true" : "false");
    put_machine(out, dataplane);
    fprintf(out, "}\n");
    fflush(out);
}
