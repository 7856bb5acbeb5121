/* SPDX-License-Identifier: Apache-2.0 */
#include "polls.h"

#include <rte_ethdev.h>
#include <stdio.h>
#include <time.h>

#include "hook.h"
#include "stage_clock.h"

enum last { NO_POLL, FOUND, EMPTY };

static struct {
    int port; /* -1: none */
    eth_rx_burst_t driver;
    uint64_t came, longest;
    enum last last;
    uint16_t count;
    struct polls now;
} watched = {.port = -1};

/* Of the poll that ends as this one begins. */
static void account(uint64_t cycles)
{
    struct polls *now = &watched.now;
    if (unlikely(cycles > watched.longest)) {
        now->away++;
    } else if (watched.last == FOUND) {
        now->found++;
        now->packets += watched.count;
        now->busy_cycles += cycles;
    } else if (watched.last == EMPTY) {
        now->empty++;
        now->empty_cycles += cycles;
    }
}

static uint16_t watch_rx(void *queue, struct rte_mbuf **packets, uint16_t room)
{
    uint64_t came = rte_rdtsc();
    if (watched.last != NO_POLL)
        account(stage_clock_part(watched.came, came));
    uint16_t count = watched.driver(queue, packets, room);
    watched.count = count;
    watched.last = count > 0 ? FOUND : EMPTY;
    watched.came = came;
    return count;
}

bool polls_watch(uint16_t port, char *error, size_t error_bytes)
{
    if (watched.port >= 0) {
        snprintf(error, error_bytes, "port %d is watched already", watched.port);
        return false;
    }
    if (hook_attached()) {
        snprintf(error, error_bytes, "a port is metered already");
        return false;
    }
    if (!hook_ready(port, SIDE_RX, error, error_bytes))
        return false;
    stage_clock_open(0);
    watched.now = (struct polls){0};
    watched.last = NO_POLL;
    watched.longest = rte_get_tsc_hz() / 1000 * AWAY_MS;
    watched.driver = rte_eth_fp_ops[port].rx_pkt_burst;
    watched.port = port;
    __atomic_store_n(&rte_eth_fp_ops[port].rx_pkt_burst, watch_rx, __ATOMIC_SEQ_CST);
    return true;
}

bool polls_end(struct polls *found)
{
    const struct timespec moment = {.tv_nsec = 2000000};
    if (watched.port < 0)
        return false;
    /* A driver that put another function in place by now keeps it. */
    eth_rx_burst_t ours = watch_rx;
    __atomic_compare_exchange_n(&rte_eth_fp_ops[watched.port].rx_pkt_burst, &ours, watched.driver,
                                false, __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST);
    watched.port = -1;
    nanosleep(&moment, NULL); /* the last poll of ours is over */
    *found = watched.now;
    return true;
}
