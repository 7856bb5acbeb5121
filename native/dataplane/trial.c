/* SPDX-License-Identifier: Apache-2.0 */
#include "trial.h"

#include <rte_cycles.h>
#include <rte_launch.h>
#include <rte_lcore.h>
#include <rte_pause.h>
#include <semaphore.h>
#include <signal.h>
#include <string.h>
#include <valgrind/callgrind.h>

#include "cpus.h"
#include "lcore_map.h"
#include "trace_marks.h"
#include "unmap.h"

struct trial trial_default(const struct dataplane *dataplane)
{
    const struct config *config = &dataplane->config;
    return (struct trial){
        .windows = 1,
        .settle = 0.1,
        .burst = config->burst,
        .stage_clock = config->stage_clock,
        .pipeline = config->pipeline,
        .traffic = {.frame_bytes = config->frame_bytes,
                    .flows = config->active_flows,
                    .lcores = config->lcores.count},
    };
}

/* What the lcores of a trial share. */
struct round {
    struct dataplane *dataplane;
    const struct trial *trial;
    struct window *windows;
    atomic_uint warm, done;
    atomic_uint left[LCORES_MAX]; /* lcores of a chain that have ended */
    atomic_bool abandoned;        /* a worker could not be started: nobody waits for it */
    sem_t through;                /* raised by each worker at its end */
};

struct worker {
    struct round *round;
    struct lcore *lcore;
};

static void prepare(const struct round *round, struct lcore *lcore)
{
    const struct trial *trial = round->trial;
    const struct config *config = &round->dataplane->config;
    uint32_t chains = trial->traffic.lcores / segments_of(config);
    const struct stage_use use = {
        .pipeline = &trial->pipeline,
        .flow_chains = chains_of_flow(config, trial->traffic.flows, chains),
        .instances = round->dataplane->stage,
        .chain = lcore->chain,
    };
    lcore_set_pipeline(lcore, config, &use);
    lcore->burst_most = (uint16_t)trial->burst;
    lcore->out.abandoned = &round->abandoned;
    struct traffic traffic = trial->traffic;
    traffic.lcores /= segments_of(config);
    for (uint32_t i = 0; i < lcore->sources; i++) {
        source_set_traffic(&lcore->source[i], &traffic, lcore->chain);
        lcore->source[i].burst = (uint16_t)trial->burst;
    }
    lcore->stage_clock = trial->stage_clock;
    lcore->until_clock = trial->stage_clock;
    lcore->clock_cost = clock_cost_cycles();
    lcore->settled = (struct steady){0};
}

static bool stopped(struct round *round)
{
    return atomic_load_explicit(&round->dataplane->stop, memory_order_relaxed) ||
           atomic_load_explicit(&round->abandoned, memory_order_relaxed);
}

/* When what starts now has to end, in TSC cycles; 0: never. */
static uint64_t deadline_of(const struct trial *trial)
{
    if (trial->seconds == 0)
        return 0;
    return rte_rdtsc() + (uint64_t)(trial->seconds * (double)rte_get_tsc_hz());
}

/* Forwards until `packets` more have come, `deadline` (TSC) is over or the program is to stop. The
 * clock is looked at every 64 bursts. */
static void forward(struct round *round, struct lcore *lcore, uint64_t packets, uint64_t deadline)
{
    uint64_t target = packets == 0 ? UINT64_MAX : lcore->packets_in + packets;
    for (uint32_t polls = 1; lcore->packets_in < target; polls++) {
        forward_burst(lcore);
        if ((polls & 63) != 0)
            continue;
        polling_continues();
        if (stopped(round))
            return;
        if (deadline != 0 && rte_rdtsc() >= deadline)
            return;
    }
}

/* Forwards a block in parts; cycles a packet of the median part, for some are interrupted. False
 * when it was cut short. */
static bool forward_block(struct round *round, struct lcore *lcore, uint64_t end, double *cost)
{
    double part[STEADY_PARTS];
    uint64_t packets = RTE_MAX(round->trial->block / STEADY_PARTS, UINT64_C(1));
    for (int i = 0; i < STEADY_PARTS; i++) {
        uint64_t start = rte_rdtsc(), before = lcore->packets_in;
        forward(round, lcore, packets, end);
        uint64_t done = lcore->packets_in - before;
        if (done < packets)
            return false;
        part[i] = (double)(rte_rdtsc() - start) / (double)done;
    }
    *cost = steady_median(part, STEADY_PARTS);
    return true;
}

/* Forwards blocks until they cost the same, or for as long as a trial may settle. Time in which
 * somebody else has the CPU does not count, but for so many times as long it is over all the same.
 */
static void settle(struct round *round, struct lcore *lcore)
{
    enum { LONGEST = 5 };
    const struct trial *trial = round->trial;
    double left = trial->settle * (double)rte_get_tsc_hz(), cost = 0;
    uint64_t end = rte_rdtsc() + (uint64_t)(LONGEST * left);
    while (left > 0 && !stopped(round) && forward_block(round, lcore, end, &cost)) {
        if (steady_add(&lcore->settled, cost))
            return;
        left -= cost * (double)trial->block;
    }
}

/* One poll of those that wait for other lcores. */
static void keep_forwarding(struct lcore *lcore)
{
    forward_burst(lcore);
    polling_continues();
}

static void instrument_on(struct round *round, struct lcore *lcore)
{
    const enum instrument instrument = round->dataplane->instrument;
    /* Of several that count side by side all lcores have one CPU; counts do not depend on it. */
    if (instrument != INSTRUMENT_NONE)
        cpus_run_on(&round->dataplane->usable_cpus);
    if (instrument == INSTRUMENT_TRACE) {
        trace_mark(TRACE_BEGIN);
        forward(round, lcore, round->trial->packets, 0);
        trace_mark(TRACE_COUNT);
    }
    if (instrument == INSTRUMENT_CALLGRIND)
        CALLGRIND_START_INSTRUMENTATION;
    if (instrument == INSTRUMENT_STOP)
        raise(SIGSTOP);
}

static void instrument_off(enum instrument instrument)
{
    if (instrument == INSTRUMENT_TRACE)
        trace_mark(TRACE_END);
    if (instrument == INSTRUMENT_CALLGRIND)
        CALLGRIND_STOP_INSTRUMENTATION;
    if (instrument == INSTRUMENT_STOP)
        raise(SIGSTOP);
}

/* The lcore's counters at one moment, in the shape of a window. */
static struct window counters(const struct lcore *lcore)
{
    struct window now = {.cycles = rte_rdtsc(),
                         .packets = lcore->packets_in,
                         .bursts = lcore->bursts,
                         .empty_polls = lcore->empty_polls,
                         .sampled_packets = lcore->sampled_packets,
                         .sampled_bursts = lcore->sampled_bursts,
                         .ring_packets = lcore->ring_packets};
    memcpy(now.stage_cycles, lcore->stage_cycles, sizeof now.stage_cycles);
    return now;
}

static void subtract(struct window *end, const struct window *start)
{
    end->cycles -= start->cycles;
    end->packets -= start->packets;
    end->bursts -= start->bursts;
    end->empty_polls -= start->empty_polls;
    end->sampled_packets -= start->sampled_packets;
    end->sampled_bursts -= start->sampled_bursts;
    end->ring_packets -= start->ring_packets;
    for (int i = 0; i < CLOCKS; i++)
        end->stage_cycles[i] -= start->stage_cycles[i];
}

static void run_window(struct round *round, struct lcore *lcore, struct window *window)
{
    const struct trial *trial = round->trial;
    double compute_before = 0, chase_before = 0;
    if (trial->canary) {
        chase_before = canary_chase(&lcore->canary);
        compute_before = canary_compute();
    }
    instrument_on(round, lcore);
    struct window start = counters(lcore);
    forward(round, lcore, trial->packets, deadline_of(trial));
    *window = counters(lcore);
    instrument_off(round->dataplane->instrument);
    subtract(window, &start);
    window->compute_before = compute_before;
    window->chase_before = chase_before;
    if (trial->canary) {
        window->compute_after = canary_compute();
        window->chase_after = canary_chase(&lcore->canary);
    }
}

static bool holds_packets(const struct lcore *lcore)
{
    for (uint32_t i = 0; i < lcore->steps; i++) {
        const struct step *step = &lcore->step[i];
        if (step->stage->held != NULL && step->stage->held(step->context) > 0)
            return true;
    }
    return false;
}

/* Stages that hold packets back send them on; what a scheduler's rate lets out later than this
 * stays in flight. */
static void drain(struct lcore *lcore)
{
    uint64_t deadline = rte_rdtsc() + rte_get_tsc_hz() / 20;
    while (holds_packets(lcore) && rte_rdtsc() < deadline)
        flush_held(lcore);
}

/* The first of a chain ends first, and the others when no more can come: nothing stays in rings. */
static void end_in_turn(struct round *round, struct lcore *lcore)
{
    atomic_uint *left = &round->left[lcore->chain];
    while (atomic_load(left) < lcore->segment && !atomic_load(&round->abandoned))
        keep_forwarding(lcore);
    while (lcore->in != NULL && handoff_count(lcore->in) > 0)
        keep_forwarding(lcore);
    drain(lcore);
    atomic_fetch_add(left, 1);
}

static void poll_ports(struct worker *worker)
{
    struct round *round = worker->round;
    struct lcore *lcore = worker->lcore;
    const struct trial *trial = round->trial;
    uint32_t lcores = trial->traffic.lcores;
    prepare(round, lcore);
    if (trial->warmup > 0)
        forward(round, lcore, trial->warmup, deadline_of(trial));
    if (trial->block > 0)
        settle(round, lcore);
    atomic_fetch_add(&round->warm, 1);
    /* A cache that idles cools down, and a chain's next lcores need packets to get warm. */
    bool warms =
        trial->warmup > 0 || trial->block > 0 || segments_of(&round->dataplane->config) > 1;
    while (atomic_load(&round->warm) < lcores && !stopped(round)) {
        if (warms)
            keep_forwarding(lcore);
        else
            rte_pause();
    }
    lcore->began_tsc = rte_rdtsc();
    struct window *windows = &round->windows[(size_t)lcore->index * trial->windows];
    for (uint32_t i = 0; i < trial->windows && !stopped(round); i++) {
        run_window(round, lcore, &windows[i]);
    }
    atomic_fetch_add(&round->done, 1);
    while (atomic_load(&round->done) < lcores && !stopped(round))
        keep_forwarding(lcore);
    end_in_turn(round, lcore);
}

static int work(void *opaque)
{
    struct worker *worker = opaque;
    polling_begins();
    poll_ports(worker);
    polling_ends();
    sem_post(&worker->round->through);
    return 0;
}

/* EAL's own wait spins: it would keep the main lcore's CPU busy, where a generator may run, or the
 * sibling of a forwarding one. */
static void sleep_until_through(struct round *round, uint32_t workers)
{
    while (workers > 0)
        workers -= sem_wait(&round->through) == 0; /* a signal wakes it, too */
    rte_eal_mp_wait_lcore();
    sem_destroy(&round->through);
}

bool trial_run(struct dataplane *dataplane, const struct trial *trial, struct window *windows,
               bool here)
{
    struct round round = {.dataplane = dataplane, .trial = trial, .windows = windows};
    struct worker workers[LCORES_MAX];
    memset(windows, 0, sizeof *windows * trial->traffic.lcores * trial->windows);
    for (uint32_t i = 0; i < trial->traffic.lcores; i++) {
        workers[i] = (struct worker){&round, dataplane->lcore[i]};
    }
    sem_init(&round.through, 0, 0);
    if (here) {
        work(&workers[0]);
        sleep_until_through(&round, 1);
        return true;
    }
    uint32_t started = 0;
    while (started < trial->traffic.lcores &&
           rte_eal_remote_launch(work, &workers[started], dataplane->lcore[started]->lcore_id) == 0)
        started++;
    bool fine = started == trial->traffic.lcores;
    if (!fine)
        atomic_store(&round.abandoned, true);
    sleep_until_through(&round, started);
    return fine;
}
