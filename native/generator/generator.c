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
#include "run.h"
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
    struct rte_mempool *pool = buffers_open(name, config->mbufs, MBUF_CACHE,
                                            (uint16_t)room_of_buffer(config), (int)rte_socket_id());
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
    lcore_function_t *first = run_both, *second = NULL;
    if (generator->config.lcores.count == 2 && generator->receives) {
        first = run_sending;
        second = run_receiving;
    }
    atomic_store(&generator->running, true);
    bool fine = second == NULL || rte_eal_remote_launch(second, generator, 2) == 0;
    if (fine && rte_eal_remote_launch(first, generator, 1) == 0) {
        while (!atomic_load_explicit(&generator->started, memory_order_acquire))
            sleep_ms(1);
        generator->begun = true;
        return true;
    }
    run_begin(generator);
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
