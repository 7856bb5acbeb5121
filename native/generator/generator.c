/* SPDX-License-Identifier: Apache-2.0 */
#include "generator.h"

#include <rte_cycles.h>
#include <rte_lcore.h>
#include <string.h>
#include <time.h>

#include "buffers.h"
#include "pages.h"
#include "payload.h"
#include "ports.h"
#include "unmap.h"

enum { MBUF_CACHE = 256 };

static uint32_t room_of_buffer(const struct config *config)
{
    /* Whole lines, which is how a memory interface copies. */
    uint32_t frame = RTE_ALIGN_CEIL(config_longest_frame(config), RTE_CACHE_LINE_SIZE);
    return RTE_MAX(frame, 2048U) + RTE_PKTMBUF_HEADROOM;
}

uint32_t generator_memory_mib(const struct config *config)
{
    uint64_t bytes = 2ULL * config->mbufs * (sizeof(struct rte_mbuf) + room_of_buffer(config) + 64);
    return (uint32_t)(bytes >> 20) * 5 / 4 + 96;
}

/* What neither headers nor signature cover is written here alone. */
static void fill_buffer(struct rte_mempool *pool, void *opaque, void *object, unsigned index)
{
    struct rte_mbuf *mbuf = object;
    (void)pool;
    (void)opaque;
    (void)index;
    payload_fill((uint8_t *)mbuf->buf_addr + RTE_PKTMBUF_HEADROOM, 0,
                 (uint32_t)mbuf->buf_len - RTE_PKTMBUF_HEADROOM);
}

static struct rte_mempool *open_pool(const struct config *config, const char *name)
{
    struct rte_mempool *pool =
        buffers_open(name, config->mbufs, MBUF_CACHE, (uint16_t)room_of_buffer(config));
    if (pool != NULL)
        rte_mempool_obj_iter(pool, fill_buffer, NULL);
    return pool;
}

bool generator_open(struct generator *generator, char *error, size_t error_bytes)
{
    const struct config *config = &generator->config;
    generator->tsc_hz = rte_get_tsc_hz();
    generator->sends = config->tx.number != PORT_NONE;
    generator->receives = config->rx.number != PORT_NONE;
    generator->tx_pool = open_pool(config, "sent");
    generator->rx_pool = open_pool(config, "received");
    if (generator->tx_pool == NULL || generator->rx_pool == NULL) {
        snprintf(error, error_bytes,
                 "no memory for twice %u packet buffers (memory_mb takes 0: as "
                 "much as they need)",
                 config->mbufs);
        return false;
    }
    if (config->loop_check && generator->sends && generator->receives &&
        !loop_check_run(generator, error, error_bytes))
        return false;
    if (!ports_open(&generator->ports, config, generator->rx_pool, error, error_bytes))
        return false;
    generator->pages = pages_in_use();
    return true;
}

static void close_streams(struct generator *generator)
{
    for (uint32_t i = 0; i < generator->stream_count; i++)
        stream_close(&generator->stream[i]);
    generator->stream_count = 0;
}

void generator_close(struct generator *generator)
{
    ports_close(&generator->ports);
    close_streams(generator);
    rte_mempool_free(generator->tx_pool);
    rte_mempool_free(generator->rx_pool);
}

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
static void begin(struct generator *generator)
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
    for (uint32_t i = 0; i < generator->directions; i++)
        receiver_turn(&generator->receiver[i], now);
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
    if (atomic_load_explicit(&generator->halt, memory_order_relaxed) && now < generator->end)
        end_at(generator, now);
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

static int work_sending(void *opaque)
{
    struct generator *generator = opaque;
    begin(generator);
    polling_begins();
    while (send_turn(generator, rte_rdtsc()))
        polling_continues();
    polling_ends();
    return 0;
}

static int work_receiving(void *opaque)
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
    generator->receiving_ended = rte_rdtsc();
    return 0;
}

static int work_both(void *opaque)
{
    struct generator *generator = opaque;
    bool sending = true;
    begin(generator);
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
    generator->receiving_ended = rte_rdtsc();
    return 0;
}

static bool open_streams(struct generator *generator, char *error, size_t error_bytes)
{
    const struct config *config = &generator->asked;
    close_streams(generator);
    for (uint32_t i = 0; i < config->stream_count; i++) {
        if (!stream_open(&generator->stream[i], &config->stream[i], i, error, error_bytes))
            return false;
        generator->stream_count++;
    }
    return true;
}

/* How often links are looked at; and for how long a link has to be down, over all runs, before its
 * peer is called again. To call is to hang up first: a peer that shakes hands slowly, on a busy
 * machine, would be cut off in the middle (DPDK's interrupt thread then panics: memif closes what
 * is still to be polled). */
enum { LOOK_MS = 10, CALL_MS = 1500 };

static void sleep_ms(long milliseconds)
{
    const struct timespec moment = {milliseconds / 1000, milliseconds % 1000 * 1000000};
    nanosleep(&moment, NULL);
}

/* Some drivers can't know, and a peer may be away for good: it continues after a while. */
static void wait_for_links(struct generator *generator)
{
    struct ports *ports = &generator->ports;
    double longest = generator->asked.link_wait_ms;
    for (double waited = 0; !ports_up(ports) && !generator->stop && waited < longest;
         waited += LOOK_MS) {
        generator->link_down_ms += LOOK_MS;
        if (generator->link_down_ms >= CALL_MS) {
            generator->link_down_ms = 0;
            ports_call_peers(ports);
        }
        sleep_ms(LOOK_MS);
    }
    if (ports_up(ports))
        generator->link_down_ms = 0;
}

bool generator_start(struct generator *generator, double seconds, char *error, size_t error_bytes)
{
    if (!open_streams(generator, error, error_bytes))
        return false;
    wait_for_links(generator);
    generator->seconds = seconds;
    atomic_store(&generator->started, false);
    atomic_store(&generator->halt, false);
    atomic_store(&generator->sending_done, false);
    lcore_function_t *first = work_both, *second = NULL;
    if (generator->config.lcores.count == 2 && generator->receives) {
        first = work_sending;
        second = work_receiving;
    }
    atomic_store(&generator->running, true);
    bool fine = second == NULL || rte_eal_remote_launch(second, generator, 2) == 0;
    if (fine && rte_eal_remote_launch(first, generator, 1) == 0) {
        while (!atomic_load_explicit(&generator->started, memory_order_acquire))
            sleep_ms(1);
        generator->begun = true;
        return true;
    }
    begin(generator);
    generator->sending_ended = rte_rdtsc();
    generator->ended_late = 0;
    atomic_store(&generator->sending_done, true);
    rte_eal_mp_wait_lcore();
    atomic_store(&generator->running, false);
    snprintf(error, error_bytes, "an lcore could not be started");
    return false;
}

bool generator_at_work(void)
{
    unsigned lcore = 0;
    RTE_LCORE_FOREACH_WORKER(lcore)
    {
        if (rte_eal_get_lcore_state(lcore) == RUNNING)
            return true;
    }
    return false;
}

void generator_wait(struct generator *generator)
{
    while (generator_at_work()) {
        if (generator->stop)
            atomic_store(&generator->halt, true);
        sleep_ms(1);
    }
    rte_eal_mp_wait_lcore();
    atomic_store(&generator->running, false);
}
