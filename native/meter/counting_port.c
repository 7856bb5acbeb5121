/* SPDX-License-Identifier: Apache-2.0
 *
 * Counting in the receive function of a port of DPDK (source.h, counting.h).
 */
#include "counting.h"
#include "dpdk.h"
#include "hook.h"
#include "offloads.h"
#include "source.h"

static eth_rx_burst_t driver;
static uint16_t counted;

/* The program's receive function: what it does is not the program's work, and counted apart by the
 * name of this library. */
static uint16_t count_rx(void *queue, struct rte_mbuf **packets, uint16_t room)
{
    if (counting_waits())
        return 0;
    uint16_t count = driver(queue, packets, RTE_MIN(room, counting_burst()));
    struct flow_stream *flows = counting_flows();
    counting_came(count);
    if (flows != NULL) {
        frames_write(flows, packets, count);
        offloads_mark_good(counted, packets, count);
    }
    return count;
}

enum readiness source_counts(uint16_t port, char *error, size_t error_bytes)
{
    enum readiness found = hook_ready(port, SIDE_RX, error, error_bytes);
    if (found != READY)
        return found;
    uint64_t sent;
    source_sent(&sent); /* what it looks up is not looked up within a trace */
    eth_rx_burst_t *rx = dpdk_fast_path(port).rx;
    driver = *rx;
    counted = port;
    __atomic_store_n(rx, count_rx, __ATOMIC_SEQ_CST);
    return READY;
}

/* A program may send back by the first port, or by one of its own. */
bool source_sent(uint64_t *packets)
{
    struct rte_eth_stats stats;
    bool found = false;
    *packets = 0;
    for (uint16_t port = 0; port < dpdk_ports(); port++) {
        if (DPDK(rte_eth_dev_is_valid_port)(port) && dpdk_stats(port, &stats)) {
            *packets += stats.opackets;
            found = true;
        }
    }
    return found;
}
