/* SPDX-License-Identifier: Apache-2.0 */
#include "windows.h"

#include <rte_cycles.h>
#include <sched.h>
#include <stdlib.h>

bool windows_prepare(struct meter *meter, const struct windows_wanted *wanted, uint32_t number,
                     uint32_t lcores)
{
    struct window *windows = calloc(wanted->count, sizeof *windows);
    if (windows == NULL)
        return false;
    if (wanted->canary && meter->chase.next == NULL && !canary_open(&meter->chase, 1 + number)) {
        free(windows);
        return false;
    }
    free(meter->windows);
    rotation_close(&meter->rotation);
    *meter = (struct meter){.windows = windows,
                            .count = wanted->count,
                            .window_packets = wanted->packets,
                            .target = wanted->warmup,
                            .burst = wanted->burst,
                            .made = wanted->made,
                            .fresh = wanted->fresh,
                            .canary = wanted->canary,
                            .clock = {.random = meter->clock.random},
                            .chase = meter->chase};
    if (wanted->made)
        meter->flows = frames_stream(number, lcores);
    stage_clock_open(&meter->clock, wanted->clock);
    return !wanted->rotation || rotation_open(&meter->rotation);
}

static void begin(struct meter *meter, struct window *window)
{
    if (meter->canary) {
        window->chase_before = canary_chase(&meter->chase);
        window->compute_before = canary_compute();
    }
    meter->first_packets = meter->packets;
    meter->first_polls = meter->polls;
    meter->first_empty = meter->empty_polls;
    meter->first_sampled = meter->clock.sums;
    meter->target = meter->packets + meter->window_packets;
    meter->first_cycles = rte_rdtsc();
}

static void end(struct meter *meter, struct window *window, uint64_t now)
{
    window->cycles = now - meter->first_cycles;
    window->packets = meter->packets - meter->first_packets;
    window->empty_polls = meter->empty_polls - meter->first_empty;
    window->bursts = meter->polls - meter->first_polls - window->empty_polls;
    const struct stage_cycles *sums = &meter->clock.sums, *first = &meter->first_sampled;
    window->sampled = (struct stage_cycles){.packets = sums->packets - first->packets,
                                            .bursts = sums->bursts - first->bursts,
                                            .rx = sums->rx - first->rx,
                                            .source = sums->source - first->source,
                                            .program = sums->program - first->program,
                                            .tx = sums->tx - first->tx};
    if (meter->canary) {
        window->compute_after = canary_compute();
        window->chase_after = canary_chase(&meter->chase);
    }
}

/* True when no window follows: it forwards on, next to lcores that are not so far. */
static bool next_window(struct meter *meter, uint64_t now)
{
    if (meter->warm) {
        end(meter, &meter->windows[meter->next++], now);
    } else {
        meter->warm = true;
        meter->cpu = sched_getcpu();
    }
    if (meter->next == meter->count) {
        meter->target = UINT64_MAX;
        return true;
    }
    begin(meter, &meter->windows[meter->next]);
    return false;
}

bool windows_edge(struct meter *meter)
{
    uint64_t now = rte_rdtsc();
    bool over = next_window(meter, now);
    meter->edge_cycles += rte_rdtsc() - now;
    return over;
}
