/* SPDX-License-Identifier: Apache-2.0 */
#include "polls.h"

#include <stdio.h>
#include <time.h>

#include "dpdk.h"
#include "hook.h"
#include "stage_clock.h"

/* One poll, until the next one begins. */
struct poll {
    uint64_t came, rx, tx; /* TSC; cycles in the drivers' functions */
    uint32_t readings;     /* of the clock within it */
    uint16_t packets;
    bool any; /* there was one */
};

static struct {
    int port, out; /* -1: none */
    eth_rx_burst_t driver_rx;
    eth_tx_burst_t driver_tx;
    uint64_t longest;
    struct stage_clock clock;
    struct poll last;
    struct polls now;
} watched = {.port = -1};

/* Of the poll that ends as this one begins. */
static void account(const struct poll *poll, uint64_t whole)
{
    struct polls *now = &watched.now;
    uint64_t clock = (uint64_t)poll->readings * watched.clock.cost;
    uint64_t cycles = whole > clock ? whole - clock : 0;
    if (unlikely(whole > watched.longest)) {
        now->away++;
    } else if (poll->packets > 0) {
        now->found++;
        now->packets += poll->packets;
        now->busy_cycles += cycles;
        now->rx_cycles += poll->rx;
        now->tx_cycles += poll->tx;
    } else {
        now->empty++;
        now->empty_cycles += cycles;
    }
}

static uint16_t watch_rx(void *queue, struct rte_mbuf **packets, uint16_t room)
{
    uint64_t came = rte_rdtsc();
    if (watched.last.any)
        account(&watched.last, came - watched.last.came);
    uint16_t count = watched.driver_rx(queue, packets, room);
    watched.last = (struct poll){.came = came,
                                 .rx = stage_clock_part(&watched.clock, came, rte_rdtsc()),
                                 .readings = 2,
                                 .packets = count,
                                 .any = true};
    return count;
}

static uint16_t watch_tx(void *queue, struct rte_mbuf **packets, uint16_t count)
{
    uint64_t came = rte_rdtsc();
    uint16_t sent = watched.driver_tx(queue, packets, count);
    watched.last.tx += stage_clock_part(&watched.clock, came, rte_rdtsc());
    watched.last.readings += 2;
    return sent;
}

bool polls_watch(uint16_t port, uint16_t out, char *error, size_t error_bytes)
{
    if (watched.port >= 0) {
        snprintf(error, error_bytes, "port %d is watched already", watched.port);
        return false;
    }
    if (hook_attached()) {
        snprintf(error, error_bytes, "a port is metered already");
        return false;
    }
    if (hook_ready(port, SIDE_RX, error, error_bytes) != READY)
        return false;
    if (!hook_started(out)) {
        snprintf(error, error_bytes, "port %u is not up", out);
        return false;
    }
    stage_clock_open(&watched.clock, 0);
    watched.now = (struct polls){0};
    watched.last = (struct poll){0};
    struct fast_path in = dpdk_fast_path(port), leaving = dpdk_fast_path(out);
    watched.longest = DPDK(rte_get_tsc_hz)() / 1000 * AWAY_MS;
    watched.driver_rx = *in.rx;
    watched.driver_tx = *leaving.tx;
    watched.port = port;
    watched.out = out;
    __atomic_store_n(leaving.tx, watch_tx, __ATOMIC_SEQ_CST);
    __atomic_store_n(in.rx, watch_rx, __ATOMIC_SEQ_CST);
    return true;
}

bool polls_end(struct polls *found)
{
    const struct timespec moment = {.tv_nsec = 2000000};
    if (watched.port < 0)
        return false;
    /* A driver that put other functions in place by now keeps them. */
    eth_rx_burst_t our_rx = watch_rx;
    eth_tx_burst_t our_tx = watch_tx;
    __atomic_compare_exchange_n(dpdk_fast_path((uint16_t)watched.port).rx, &our_rx,
                                watched.driver_rx, false, __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST);
    __atomic_compare_exchange_n(dpdk_fast_path((uint16_t)watched.out).tx, &our_tx,
                                watched.driver_tx, false, __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST);
    nanosleep(&moment, NULL); /* the last poll of ours is over */
    watched.port = -1;
    *found = watched.now;
    return true;
}
