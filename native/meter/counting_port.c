/* SPDX-License-Identifier: Apache-2.0
 *
 * Counting in the receive function of a port of DPDK (source.h, counting.h).
 */
#include <rte_ethdev.h>

#include "counting.h"
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

bool source_counts(uint16_t port, char *error, size_t error_bytes)
{
    if (!hook_ready(port, SIDE_RX, error, error_bytes))
        return false;
    driver = rte_eth_fp_ops[port].rx_pkt_burst;
    counted = port;
    __atomic_store_n(&rte_eth_fp_ops[port].rx_pkt_burst, count_rx, __ATOMIC_SEQ_CST);
    return true;
}

/* A program may send back by the first port, or by one of its own. */
bool source_sent(uint64_t *packets)
{
    struct rte_eth_stats stats;
    bool found = false;
    uint16_t port;
    *packets = 0;
    RTE_ETH_FOREACH_DEV(port)
    {
        if (rte_eth_stats_get(port, &stats) == 0) {
            *packets += stats.opackets;
            found = true;
        }
    }
    return found;
}
