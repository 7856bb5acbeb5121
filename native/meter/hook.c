/* SPDX-License-Identifier: Apache-2.0 */
#include "hook.h"

#include <rte_ethdev.h>
#include <semaphore.h>
#include <stdatomic.h>
#include <stdio.h>
#include <time.h>

#include "frames.h"
#include "stage_clock.h"
#include "windows.h"

/* How long a sleep may last: a program that is to end looks at its own flag after it. */
enum { IDLE_NS = 20 * 1000 * 1000 };

static struct {
    enum side side;
    int port; /* -1: none yet */
    eth_rx_burst_t driver_rx;
    eth_tx_burst_t driver_tx;
    eth_tx_burst_t out_tx; /* of the port that packets leave by; NULL: it is not known */
    uint16_t out;
    atomic_bool asleep;
    sem_t go, done;
} hook = {.port = -1};

static void sleep_until(sem_t *event, uint64_t ns)
{
    struct timespec until;
    clock_gettime(CLOCK_MONOTONIC, &until);
    ns += (uint64_t)until.tv_nsec;
    until.tv_sec += (time_t)(ns / 1000000000);
    until.tv_nsec = (long)(ns % 1000000000);
    sem_clockwait(event, CLOCK_MONOTONIC, &until);
}

static uint16_t idle(void)
{
    atomic_store(&hook.asleep, true);
    sleep_until(&hook.go, IDLE_NS);
    return 0;
}

static uint16_t idle_rx(void *queue, struct rte_mbuf **packets, uint16_t room)
{
    (void)queue, (void)packets, (void)room;
    return idle();
}

static uint16_t idle_tx(void *queue, struct rte_mbuf **packets, uint16_t count)
{
    (void)queue, (void)packets, (void)count;
    return idle();
}

/* The pointer is a word, read by the forwarding thread at each poll. */
static void put(eth_rx_burst_t rx, eth_tx_burst_t tx)
{
    struct rte_eth_fp_ops *port = &rte_eth_fp_ops[hook.port];
    if (hook.side == SIDE_RX)
        __atomic_store_n(&port->rx_pkt_burst, rx, __ATOMIC_SEQ_CST);
    else
        __atomic_store_n(&port->tx_pkt_burst, tx, __ATOMIC_SEQ_CST);
}

static void over(void)
{
    put(idle_rx, idle_tx);
    sem_post(&hook.done);
}

static uint16_t receive(void *queue, struct rte_mbuf **packets, uint16_t room)
{
    return hook.driver_rx(queue, packets, RTE_MIN(room, meter.burst));
}

static uint16_t timed_rx(void *queue, struct rte_mbuf **packets, uint16_t room)
{
    struct stage_cycles *now = &stage_clock.now;
    uint64_t came = rte_rdtsc();
    uint16_t count = receive(queue, packets, room);
    uint64_t received = rte_rdtsc();
    if (meter.made)
        frames_write(packets, count);
    uint64_t made = rte_rdtsc();
    stage_clock.waits = count > 0 ? stage_clock.every : 1;
    if (windows_count(count)) {
        over();
    } else if (count > 0) {
        *now = (struct stage_cycles){.packets = count,
                                     .rx = stage_clock_part(came, received),
                                     .source = stage_clock_part(received, made)};
        stage_clock.readings = 0;
        stage_clock.running = true;
        stage_clock.left = rte_rdtsc();
    }
    return count;
}

static uint16_t measure_rx(void *queue, struct rte_mbuf **packets, uint16_t room)
{
    if (stage_clock_due())
        return timed_rx(queue, packets, room);
    uint16_t count = receive(queue, packets, room);
    if (meter.made)
        frames_write(packets, count);
    if (windows_count(count))
        over();
    return count;
}

/* The send function of the port that packets leave by, while a poll's parts are timed. */
static uint16_t timed_tx(void *queue, struct rte_mbuf **packets, uint16_t count)
{
    if (likely(!stage_clock.running))
        return hook.out_tx(queue, packets, count);
    uint64_t came = rte_rdtsc();
    uint16_t sent = hook.out_tx(queue, packets, count);
    stage_clock.now.tx += stage_clock_part(came, rte_rdtsc());
    stage_clock.readings += 2;
    return sent;
}

static uint16_t measure_tx(void *queue, struct rte_mbuf **packets, uint16_t count)
{
    uint16_t sent = hook.driver_tx(queue, packets, count);
    if (windows_count(sent))
        over();
    return sent;
}

/* Until a port's start is over it has DPDK's own receive function, which prints and returns
 * nothing, and which the last of all ports, never in use, always has. The driver says that the link
 * is up before its functions are put in place: what stood in theirs by then would be overwritten.
 */
bool hook_started(uint16_t port)
{
    struct rte_eth_link link;
    return rte_eth_dev_is_valid_port(port) &&
           rte_eth_fp_ops[port].rx_pkt_burst != rte_eth_fp_ops[RTE_MAX_ETHPORTS - 1].rx_pkt_burst &&
           rte_eth_link_get_nowait(port, &link) == 0 && link.link_status == RTE_ETH_LINK_UP;
}

bool hook_ready(uint16_t port, enum side side, char *error, size_t error_bytes)
{
    struct rte_eth_dev_info info;
    if (!hook_started(port) || rte_eth_dev_info_get(port, &info) != 0) {
        snprintf(error, error_bytes, "port %u is not up", port);
        return false;
    }
    if ((side == SIDE_RX ? info.nb_rx_queues : info.nb_tx_queues) != 1) {
        snprintf(error, error_bytes, "port %u has several queues; one can be metered", port);
        return false;
    }
    return true;
}

bool hook_attach(uint16_t port, uint16_t out, enum side side, char *error, size_t error_bytes)
{
    if (hook.port >= 0) {
        if (hook.port == port && hook.side == side)
            return true;
        snprintf(error, error_bytes, "port %d is metered already", hook.port);
        return false;
    }
    if (!hook_ready(port, side, error, error_bytes))
        return false;
    sem_init(&hook.go, 0, 0);
    sem_init(&hook.done, 0, 0);
    hook.side = side;
    hook.driver_rx = rte_eth_fp_ops[port].rx_pkt_burst;
    hook.driver_tx = rte_eth_fp_ops[port].tx_pkt_burst;
    hook.port = port;
    hook.out = hook_started(out) ? out : port;
    hook.out_tx = rte_eth_fp_ops[hook.out].tx_pkt_burst;
    if (side == SIDE_RX)
        __atomic_store_n(&rte_eth_fp_ops[hook.out].tx_pkt_burst, timed_tx, __ATOMIC_SEQ_CST);
    return true;
}

bool hook_attached(void)
{
    return hook.port >= 0;
}

static bool wait_asleep(void)
{
    const struct timespec moment = {.tv_nsec = 100000};
    for (int turn = 0; turn < 20000; turn++) {
        if (atomic_load(&hook.asleep))
            return true;
        nanosleep(&moment, NULL);
    }
    return false;
}

void hook_idle(void)
{
    atomic_store(&hook.asleep, false);
    put(idle_rx, idle_tx);
    wait_asleep(); /* from here on nobody else reads or writes the meter */
}

bool hook_measure(double seconds)
{
    struct timespec until;
    clock_gettime(CLOCK_MONOTONIC, &until);
    double whole = (double)until.tv_nsec * 1e-9 + seconds;
    until.tv_sec += (time_t)whole;
    until.tv_nsec = (long)((whole - (double)(time_t)whole) * 1e9);
    atomic_store(&hook.asleep, false);
    put(measure_rx, measure_tx);
    sem_post(&hook.go);
    bool fine = sem_clockwait(&hook.done, CLOCK_MONOTONIC, &until) == 0;
    if (!fine) {
        put(idle_rx, idle_tx);
        wait_asleep();
        sem_trywait(&hook.done); /* it may have ended just now: not the next one's */
    }
    sem_trywait(&hook.go);
    return fine;
}

void hook_release(void)
{
    put(hook.driver_rx, hook.driver_tx);
    sem_post(&hook.go);
}
