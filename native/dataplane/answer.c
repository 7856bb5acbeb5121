/* SPDX-License-Identifier: Apache-2.0 */
#include "answer.h"

#include <inttypes.h>
#include <rte_cycles.h>
#include <rte_vect.h>
#include <rte_version.h>

#include "exit_code.h"
#include "json.h"
#include "telemetry.h"

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

static void put_clock(FILE *out, const char *comma, const char *name, uint32_t clock,
                      const struct trial *trial, const struct window *windows)
{
    fprintf(out, "%s\"%s\": [", comma, name);
    for (uint32_t w = 0; w < trial->windows; w++)
        fprintf(out, "%s%" PRIu64, w > 0 ? ", " : "", windows[w].stage_cycles[clock]);
    fputc(']', out);
}

/* The clocks of an lcore in order: source or take, its stages, tx or hand. */
static void put_stage_cycles(FILE *out, const struct lcore *lcore, const struct trial *trial,
                             const struct window *windows)
{
    uint32_t first = lcore_first_clock(lcore), last = lcore_last_clock(lcore);
    fprintf(out, ", \"stage_cycles\": {");
    put_clock(out, "", clock_name(NULL, first), first, trial, windows);
    for (uint32_t i = 0; i < lcore->steps; i++) {
        const struct step *step = &lcore->step[i];
        put_clock(out, ", ", step->stage->name, step->clock, trial, windows);
    }
    put_clock(out, ", ", clock_name(NULL, last), last, trial, windows);
    fputc('}', out);
}

static void put_windows(FILE *out, const struct lcore *lcore, const struct trial *trial,
                        const struct window *windows)
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
    if (lcore->in != NULL)
        PUT_COLUMN(out, "ring_packets", windows, count, "%" PRIu64, window->ring_packets);
    put_stage_cycles(out, lcore, trial, windows);
}

/* What the lcore did before its windows. */
static void put_settled(FILE *out, const struct lcore *lcore, const struct trial *trial)
{
    const struct steady *settled = &lcore->settled;
    fprintf(out, ", \"began_tsc\": %" PRIu64, lcore->began_tsc);
    if (trial->block > 0)
        fprintf(out,
                ", \"settled\": {\"steady\": %s, \"blocks\": %u, \"first_cycles\": %.4f, "
                "\"last_cycles\": %.4f}",
                settled->steady ? "true" : "false", settled->blocks, settled->first,
                steady_cost(settled));
}

static void put_stage_names(FILE *out, const struct pipeline *pipeline)
{
    fputc('[', out);
    for (uint8_t i = 0; i < pipeline->length; i++) {
        fprintf(out, "%s\"%s\"", i > 0 ? ", " : "", pipeline->function->stages[pipeline->order[i]]);
    }
    fputc(']', out);
}

static void put_machine(FILE *out, const struct dataplane *dataplane)
{
    fprintf(out, "\"tsc_hz\": %" PRIu64 ", \"page_size\": \"%s\", \"simd_bits\": %u, \"dpdk\": ",
            rte_get_tsc_hz(), dataplane->pages, rte_vect_get_max_simd_bitwidth());
    json_put_string(out, rte_version());
}

void answer_ready(FILE *out, const struct dataplane *dataplane)
{
    fprintf(out, "{\"ready\": {\"function\": \"%s\", \"lcores\": %u, ",
            config_function(&dataplane->config)->name, dataplane->config.lcores.count);
    put_machine(out, dataplane);
    if (dataplane->config.telemetry) {
        fprintf(out, ", \"telemetry\": ");
        json_put_string(out, telemetry_socket());
    }
    fprintf(out, "}}\n");
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
        fprintf(out, "%s{\"cpu\": %u, \"chain\": %u, \"segment\": %u, \"clock_cost\": %" PRIu64,
                i > 0 ? ", " : "", lcore->cpu, lcore->chain, lcore->segment, lcore->clock_cost);
        put_settled(out, lcore, trial);
        fprintf(out, ", \"windows\": {");
        put_windows(out, lcore, trial, &windows[(size_t)i * trial->windows]);
        fprintf(out, "}}");
    }
    fprintf(out,
            "], \"packets_in\": %" PRIu64 ", \"copies\": %" PRIu64 ", \"packets_out\": %" PRIu64
            ", \"in_flight\": %" PRId64,
            totals->packets_in, totals->copies, totals->packets_out, (int64_t)totals->in_flight);
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

int answer_not_conserved(void)
{
    fprintf(stderr, "planecast-dataplane: packets in are not packets out and drops: a bug\n");
    return EXIT_FAILED;
}
