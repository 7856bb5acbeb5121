/* SPDX-License-Identifier: Apache-2.0 */
#include "run.h"

#include <rte_cycles.h>

#include "unmap.h"

/* Nothing came for so long, and the sender is through. */
static bool drained(const struct generator *generator)
{
    if (!atomic_load_explicit(&generator->sending_done, memory_order_acquire))
        return false;
    double drain = generator->asked.drain_ms * 1e-3 * (double)generator->tsc_hz;
    bool idle = true;
    for (uint32_t i = 0; i < generator->directions && idle; i++)
        idle =
            receiver_idle_for(&generator->receiver[i], generator->sending_ended, (uint64_t)drain);
    return idle;
}

/* What is due from then on is not of the run. */
static void end_at(struct generator *generator, uint64_t end)
{
    double patience = generator->asked.catch_up_us * 1e-6 * (double)generator->tsc_hz;
    generator->end = end;
    generator->last = generator->sends ? end + (uint64_t)patience : end;
    for (uint32_t i = 0; i < generator->stream_count; i++)
        generator->stream[i].schedule.plan.until = end;
}

/* One way through the ports: who sends there, who receives at the other end. */
static void begin_direction(struct generator *generator, uint32_t direction)
{
    const struct config *config = &generator->asked;
    struct sender *sender = &generator->sender[direction];
    struct receiver *receiver = &generator->receiver[direction];
    bool forward = direction == FORWARD;
    sender->pool = generator->tx_pool;
    sender->burst = receiver->burst = config->burst;
    sender->drops = config->when_full == FULL_DROP;
    sender->give_up_cycles = (uint64_t)(config->give_up_ms * 1e-3 * (double)generator->tsc_hz);
    sender->all = receiver->stream = generator->stream;
    sender->stream_count = 0;
    for (uint32_t i = 0; i < generator->stream_count; i++) {
        if (generator->stream[i].config.direction == direction)
            sender->stream[sender->stream_count++] = &generator->stream[i];
    }
    sender->port = forward ? generator->ports.tx : generator->ports.rx;
    receiver->stream_count = generator->stream_count;
    receiver->direction = direction;
    receiver->payload_check = config->payload_check;
    receiver->port = forward ? generator->ports.rx : generator->ports.tx;
    receiver->queue = 0;
    receiver->queues = forward ? (uint16_t)config->rx_queues : 1;
    sender_begin(sender, generator->start);
    receiver_begin(receiver, generator->start, generator->tsc_hz);
}

/* By the lcore that sends, when it has its CPU: a clock that ran before could be over by then. */
void run_begin(struct generator *generator)
{
    const struct config *config = &generator->asked;
    uint64_t hz = generator->tsc_hz;
    double seconds = generator->seconds;
    generator->sends_from = rte_rdtsc() + hz / 1000; /* when the lcores are awake */
    generator->start = generator->sends_from + (uint64_t)(config->warm_up_ms * 1e-3 * (double)hz);
    generator->counts = config->warm_up_ms <= 0;
    generator->warm_up_sent = 0;
    generator->end = seconds > 0 ? generator->start + (uint64_t)(seconds * (double)hz) : UINT64_MAX;
    generator->sending_stalls = generator->receiving_stalls = (struct stalls){
        .longer_than = (uint64_t)(config->stall_us * 1e-6 * (double)hz),
        .from = generator->start,
        .until = generator->end,
    };
    const struct stream_clock clock = {generator->sends_from, generator->end, hz,
                                       config->catch_up_us, config->link_gbps};
    for (uint32_t i = 0; i < generator->stream_count; i++)
        stream_begin(&generator->stream[i], &clock);
    for (uint32_t i = 0; i < DIRECTIONS; i++)
        silence_begin(&generator->silence[i], &generator->sending_stalls,
                      (uint64_t)(config->silence_us * 1e-6 * (double)hz));
    generator->last = UINT64_MAX;
    if (seconds > 0)
        end_at(generator, generator->end);
    generator->directions = 1;
    for (uint32_t i = 0; i < generator->stream_count; i++)
        generator->directions = RTE_MAX(generator->directions, config->stream[i].direction + 1);
    for (uint32_t i = 0; i < generator->directions; i++)
        begin_direction(generator, i);
    atomic_store_explicit(&generator->started, true, memory_order_release);
}

/* The other lcore, until then. */
static void wait_for_begin(const struct generator *generator)
{
    while (!atomic_load_explicit(&generator->started, memory_order_acquire))
        rte_pause();
}

/* A turn of every sender. False when all are through. */
static bool senders_turn(struct generator *generator, uint64_t now)
{
    bool more = false;
    for (uint32_t i = 0; i < generator->directions; i++) {
        struct sender *sender = &generator->sender[i];
        if (!sender->done)
            sender->done = !sender_turn(sender, now);
        more |= !sender->done;
    }
    return more;
}

static void receivers_turn(struct generator *generator, uint64_t now)
{
    for (uint32_t i = 0; i < generator->directions; i++) {
        bool came = receiver_turn(&generator->receiver[i], now);
        silence_turn(&generator->silence[i], now, came,
                     atomic_load_explicit(&generator->sender[i].dropped, memory_order_relaxed));
    }
}

/* A silence that lasts until nothing is looked at any more ends there. */
static void receivers_end(struct generator *generator)
{
    generator->receiving_ended = rte_rdtsc();
    for (uint32_t i = 0; i < generator->directions; i++)
        silence_end(&generator->silence[i], generator->receiving_ended,
                    atomic_load_explicit(&generator->sender[i].dropped, memory_order_relaxed));
}

/* The warm-up is over: what is sent from now on is the run's; what a stall kept from being sent
 * until then is the warm-up's. */
static void restart_counts(struct generator *generator, uint64_t now, bool stalled)
{
    generator->counts = true;
    for (uint32_t i = 0; i < generator->stream_count; i++) {
        struct schedule *schedule = &generator->stream[i].schedule;
        uint64_t patience = schedule->plan.patience;
        if (stalled && now > patience)
            schedule_end(schedule, RTE_MIN(generator->start, now - patience));
        generator->warm_up_sent += generator->stream[i].sent;
        stream_restart_counts(&generator->stream[i]);
    }
    for (uint32_t i = 0; i < generator->directions; i++) {
        sender_restart_counts(&generator->sender[i]);
        atomic_store_explicit(&generator->receiver[i].start, now, memory_order_relaxed);
    }
}

static uint64_t given_up(const struct generator *generator)
{
    uint64_t sum = 0;
    for (uint32_t i = 0; i < generator->stream_count; i++)
        sum += generator->stream[i].schedule.given_up;
    return sum;
}

/* What was due while the CPU was away and is too late now. */
static void give_up_stalled(struct generator *generator, uint64_t now)
{
    uint64_t before = given_up(generator);
    for (uint32_t i = 0; i < generator->stream_count; i++)
        schedule_give_up(&generator->stream[i].schedule, now);
    generator->sending_stalls.unsent += given_up(generator) - before;
}

/* Somebody asks for the end, and waits for it: what is late is sent for a second at the most, which
 * begins when this is called first. */
static void halt_at(struct generator *generator, uint64_t now)
{
    if (now < generator->end)
        end_at(generator, now);
    generator->last = RTE_MIN(generator->last, now + generator->tsc_hz);
}

/* False when sending is over. */
static bool send_turn(struct generator *generator, uint64_t now)
{
    bool stalled = stalls_notice(&generator->sending_stalls, now);
    if (now < generator->sends_from)
        return true;
    if (!generator->counts && now >= generator->start)
        restart_counts(generator, now, stalled);
    if (stalled)
        give_up_stalled(generator, now);
    if (atomic_load_explicit(&generator->halt, memory_order_relaxed))
        halt_at(generator, now);
    /* What is late when the time is over may still come, as long as lateness is borne. */
    bool over = now >= generator->last || (generator->sends && !senders_turn(generator, now));
    if (!over)
        return true;
    generator->sending_ended = now;
    generator->ended_late = stalled && now > generator->end ? now - generator->end : 0;
    for (uint32_t i = 0; i < generator->directions; i++)
        atomic_store_explicit(&generator->receiver[i].times_polls, false, memory_order_relaxed);
    for (uint32_t i = 0; i < generator->directions && generator->sends; i++)
        sender_end(&generator->sender[i], now);
    atomic_store_explicit(&generator->sending_done, true, memory_order_release);
    return false;
}

int run_sending(void *opaque)
{
    struct generator *generator = opaque;
    run_begin(generator);
    polling_begins();
    while (send_turn(generator, rte_rdtsc()))
        polling_continues();
    polling_ends();
    return 0;
}

int run_receiving(void *opaque)
{
    struct generator *generator = opaque;
    wait_for_begin(generator);
    polling_begins();
    while (!drained(generator)) {
        uint64_t now = rte_rdtsc();
        stalls_notice(&generator->receiving_stalls, now);
        receivers_turn(generator, now);
        polling_continues();
    }
    polling_ends();
    receivers_end(generator);
    return 0;
}

int run_both(void *opaque)
{
    struct generator *generator = opaque;
    bool sending = true;
    run_begin(generator);
    polling_begins();
    while (sending || (generator->receives && !drained(generator))) {
        uint64_t now = rte_rdtsc();
        if (sending)
            sending = send_turn(generator, now);
        if (generator->receives)
            receivers_turn(generator, now);
        polling_continues();
    }
    polling_ends();
    receivers_end(generator);
    return 0;
}
