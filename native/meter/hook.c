/* SPDX-License-Identifier: Apache-2.0 */
#include "hook.h"

#include <stdio.h>

#include "dpdk.h"
#include "frames.h"
#include "fresh_cache.h"
#include "lanes.h"
#include "offloads.h"

static struct {
    enum side side;
    int port; /* -1: none yet */
    eth_rx_burst_t driver_rx;
    eth_tx_burst_t driver_tx;
    eth_tx_burst_t out_tx; /* of the port that packets leave by; NULL: it is not known */
    uint16_t out;
} hook = {.port = -1};

static __thread struct lane *own __attribute__((tls_model("initial-exec")));

static struct lane *lane_of(const void *queue)
{
    if (likely(own != NULL && own->queue == queue))
        return own;
    uint32_t lane = 0;
    while (lane + 1 < lanes_count() && lanes_at(lane)->queue != queue)
        lane++;
    return own = lanes_at(lane);
}

static uint16_t idle_rx(void *queue, struct rte_mbuf **packets, uint16_t room)
{
    (void)packets, (void)room;
    lanes_sleep(lane_of(queue));
    return 0;
}

static uint16_t idle_tx(void *queue, struct rte_mbuf **packets, uint16_t count)
{
    (void)packets, (void)count;
    lanes_sleep(lane_of(queue));
    return 0;
}

static uint16_t receive(struct meter *meter, void *queue, struct rte_mbuf **packets, uint16_t room)
{
    return hook.driver_rx(queue, packets, RTE_MIN(room, meter->burst));
}

static void make(struct meter *meter, struct rte_mbuf **packets, uint16_t count)
{
    if (unlikely(meter->rotation.seen != NULL))
        rotation_see(&meter->rotation, packets, count, meter->warm);
    frames_write(&meter->flows, packets, count);
    offloads_mark_good((uint16_t)hook.port, packets, count);
}

static uint16_t timed_rx(struct meter *meter, void *queue, struct rte_mbuf **packets, uint16_t room)
{
    struct stage_clock *clock = &meter->clock;
    uint64_t came = rte_rdtsc();
    uint16_t count = receive(meter, queue, packets, room);
    uint64_t received = rte_rdtsc();
    if (meter->made)
        make(meter, packets, count);
    uint64_t made = rte_rdtsc();
    clock->waits = 1;
    if (count > 0)
        stage_clock_wait(clock);
    if (windows_count(meter, count)) {
        lanes_over();
    } else if (count > 0) {
        clock->now = (struct stage_cycles){.packets = count,
                                           .rx = stage_clock_part(clock, came, received),
                                           .source = stage_clock_part(clock, received, made)};
        clock->readings = 0;
        clock->running = true;
        clock->left = rte_rdtsc();
    }
    return count;
}

static uint16_t measure_rx(void *queue, struct rte_mbuf **packets, uint16_t room)
{
    static struct held_buffers held[LANES];
    struct lane *lane = lane_of(queue);
    struct meter *meter = &lane->meter;
    if (unlikely(meter->fresh)) {
        meter->fresh = false;
        meter->pool_buffers =
            fresh_cache(&held[lane - lanes_at(0)], hook.driver_rx, queue, meter->burst);
    }
    if (stage_clock_due(&meter->clock))
        return timed_rx(meter, queue, packets, room);
    uint16_t count = receive(meter, queue, packets, room);
    if (meter->made)
        make(meter, packets, count);
    if (windows_count(meter, count))
        lanes_over();
    return count;
}

/* The send function of the port that packets leave by, while a poll's parts are timed. */
static uint16_t timed_tx(void *queue, struct rte_mbuf **packets, uint16_t count)
{
    if (likely(own == NULL || !own->meter.clock.running))
        return hook.out_tx(queue, packets, count);
    struct stage_clock *clock = &own->meter.clock;
    uint64_t came = rte_rdtsc();
    uint16_t sent = hook.out_tx(queue, packets, count);
    clock->now.tx += stage_clock_part(clock, came, rte_rdtsc());
    clock->readings += 2;
    return sent;
}

static uint16_t measure_tx(void *queue, struct rte_mbuf **packets, uint16_t count)
{
    uint16_t sent = hook.driver_tx(queue, packets, count);
    if (windows_count(&lane_of(queue)->meter, sent))
        lanes_over();
    return sent;
}

/* The pointer is a word, read by the forwarding threads at each poll. */
static void put(enum at_a_poll what)
{
    const eth_rx_burst_t rx[] = {idle_rx, measure_rx, hook.driver_rx};
    const eth_tx_burst_t tx[] = {idle_tx, measure_tx, hook.driver_tx};
    struct fast_path port = dpdk_fast_path((uint16_t)hook.port);
    if (hook.side == SIDE_RX)
        __atomic_store_n(port.rx, rx[what], __ATOMIC_SEQ_CST);
    else
        __atomic_store_n(port.tx, tx[what], __ATOMIC_SEQ_CST);
}

/* Until a port's start is over it has DPDK's own receive function, which prints and returns
 * nothing, and which the last of all ports, never in use, always has. The driver says that the link
 * is up before its functions are put in place: what stood in theirs by then would be overwritten.
 */
bool hook_started(uint16_t port)
{
    struct rte_eth_link link;
    return dpdk_known() && DPDK(rte_eth_dev_is_valid_port)(port) &&
           *dpdk_fast_path(port).rx != *dpdk_fast_path((uint16_t)(dpdk_ports() - 1)).rx &&
           DPDK(rte_eth_link_get_nowait)(port, &link) == 0 && link.link_status == RTE_ETH_LINK_UP;
}

/* Queues of a port in a direction, one at least where it is ready. */
static enum readiness queues(uint16_t port, enum side side, uint16_t *count, char *error,
                             size_t error_bytes)
{
    uint16_t rx, tx;
    if (dpdk_version() == NULL) {
        snprintf(error, error_bytes,
                 "no DPDK is found in the program, or its symbols are stripped");
        return NOT_YET; /* this may be a shell that starts it */
    }
    if (!dpdk_known()) {
        const char *lacks = dpdk_lacks();
        if (lacks != NULL)
            snprintf(error, error_bytes, "the program was linked without %s", lacks);
        else
            snprintf(error, error_bytes, "the program has %s; DPDK " DPDK_KNOWN " can be metered",
                     dpdk_version());
        return NEVER;
    }
    *count = 0;
    if (hook_started(port) && offloads_queues(port, &rx, &tx))
        *count = side == SIDE_RX ? rx : tx;
    if (*count == 0)
        snprintf(error, error_bytes, "port %u is not up", port);
    return *count > 0 ? READY : NOT_YET;
}

enum readiness hook_ready(uint16_t port, enum side side, char *error, size_t error_bytes)
{
    uint16_t count;
    enum readiness found = queues(port, side, &count, error, error_bytes);
    if (found != READY || count == 1)
        return found;
    snprintf(error, error_bytes, "port %u has several queues; one can be metered", port);
    return NEVER;
}

enum readiness hook_attach(uint16_t port, uint16_t out, enum side side, char *error,
                           size_t error_bytes)
{
    if (hook.port >= 0) {
        if (hook.port == port && hook.side == side)
            return READY;
        snprintf(error, error_bytes, "port %d is metered already", hook.port);
        return NEVER;
    }
    uint16_t count;
    enum readiness found = queues(port, side, &count, error, error_bytes);
    if (found != READY)
        return found;
    if (count > LANES) {
        snprintf(error, error_bytes, "port %u has more queues than can be metered", port);
        return NEVER;
    }
    struct fast_path path = dpdk_fast_path(port);
    for (uint16_t i = 0; i < count; i++)
        lanes_at(i)->queue = (side == SIDE_RX ? path.rx_queues : path.tx_queues)[i];
    hook.side = side;
    hook.driver_rx = *path.rx;
    hook.driver_tx = *path.tx;
    hook.port = port;
    lanes_open(count, put);
    hook.out = hook_started(out) ? out : port;
    eth_tx_burst_t *leaving = dpdk_fast_path(hook.out).tx;
    hook.out_tx = *leaving;
    if (side == SIDE_RX)
        __atomic_store_n(leaving, timed_tx, __ATOMIC_SEQ_CST);
    return READY;
}

bool hook_attached(void)
{
    return hook.port >= 0;
}
