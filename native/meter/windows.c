/* SPDX-License-Identifier: Apache-2.0 */
#include "windows.h"

#include <rte_cycles.h>
#include <sched.h>
#include <stdlib.h>
#include <string.h>

#include "canary.h"

struct meter meter;

static struct canary chase;

bool windows_prepare(const struct windows_wanted *wanted)
{
    struct window *windows = calloc(wanted->count, sizeof *windows);
    if (windows == NULL)
        return false;
    if (wanted->canary && chase.next == NULL && !canary_open(&chase, 1)) {
        free(windows);
        return false;
    }
    free(meter.windows);
    meter = (struct meter){.windows = windows,
                           .count = wanted->count,
                           .window_packets = wanted->packets,
                           .target = wanted->warmup,
                           .burst = wanted->burst,
                           .made = wanted->made,
                           .canary = wanted->canary};
    return true;
}

static void begin(struct window *window)
{
    if (meter.canary) {
        window->chase_before = canary_chase(&chase);
        window->compute_before = canary_compute();
    }
    meter.first_packets = meter.packets;
    meter.first_polls = meter.polls;
    meter.first_empty = meter.empty_polls;
    meter.first_sampled = stage_clock.sums;
    meter.target = meter.packets + meter.window_packets;
    meter.first_cycles = rte_rdtsc();
}

static void end(struct window *window, uint64_t now)
{
    window->cycles = now - meter.first_cycles;
    window->packets = meter.packets - meter.first_packets;
    window->empty_polls = meter.empty_polls - meter.first_empty;
    window->bursts = meter.polls - meter.first_polls - window->empty_polls;
    const struct stage_cycles *sums = &stage_clock.sums, *first = &meter.first_sampled;
    window->sampled = (struct stage_cycles){.packets = sums->packets - first->packets,
                                            .bursts = sums->bursts - first->bursts,
                                            .rx = sums->rx - first->rx,
                                            .source = sums->source - first->source,
                                            .program = sums->program - first->program,
                                            .tx = sums->tx - first->tx};
    if (meter.canary) {
        window->compute_after = canary_compute();
        window->chase_after = canary_chase(&chase);
    }
}

/* True when no window follows. */
static bool next_window(uint64_t now)
{
    if (meter.warm) {
        end(&meter.windows[meter.next++], now);
    } else {
        meter.warm = true;
        meter.cpu = sched_getcpu();
    }
    if (meter.next == meter.count)
        return true;
    begin(&meter.windows[meter.next]);
    return false;
}

bool windows_edge(void)
{
    uint64_t now = rte_rdtsc();
    bool over = next_window(now);
    meter.edge_cycles += rte_rdtsc() - now;
    return over;
}
