/* SPDX-License-Identifier: Apache-2.0
 *
 * When a port may be taken hold of: not before its start is over, and not once it was stopped.
 * Polls of one that is watched are counted, each with its time to the next.
 */
#include <rte_eal.h>
#include <rte_ethdev.h>
#include <rte_mbuf.h>
#include <stdbool.h>
#include <stdio.h>

#include "hook.h"
#include "polls.h"
#include "stage_clock.h"

static int failures;

static void expect(bool wanted, uint16_t port, const char *when)
{
    char error[96] = "";
    if (hook_ready(port, SIDE_RX, error, sizeof error) != wanted) {
        printf("port %u is %sready %s: %s\n", port, wanted ? "not " : "", when, error);
        failures++;
    }
}

static void require(bool condition, const char *what)
{
    if (!condition) {
        printf("not so: %s\n", what);
        failures++;
    }
}

static uint16_t poll_once(uint16_t room)
{
    struct rte_mbuf *packets[32];
    uint16_t count = rte_eth_rx_burst(0, 0, packets, room);
    rte_pktmbuf_free_bulk(packets, count);
    return count;
}

static void watch(void)
{
    enum { POLLS = 10, EMPTY = 5, BURST = 32 };
    char error[96] = "";
    struct polls found;
    eth_rx_burst_t driver = rte_eth_fp_ops[0].rx_pkt_burst;
    eth_tx_burst_t sender = rte_eth_fp_ops[0].tx_pkt_burst;
    require(!polls_end(&found), "nothing is watched at first");
    require(polls_watch(0, 0, error, sizeof error), error);
    require(!polls_watch(0, 0, error, sizeof error), "a port is watched once");
    for (int i = 0; i < POLLS; i++)
        poll_once(BURST);
    for (int i = 0; i < EMPTY; i++)
        poll_once(0);
    require(rte_eth_fp_ops[0].tx_pkt_burst != sender, "sending is timed, too");
    uint64_t longest = rte_get_tsc_hz();
    require(polls_end(&found), "it was watched");
    require(rte_eth_fp_ops[0].rx_pkt_burst == driver && rte_eth_fp_ops[0].tx_pkt_burst == sender,
            "the driver's functions are back");
    /* The last poll has no end, and one may have been preempted. */
    require(found.found + found.empty + found.away == POLLS + EMPTY - 1, "all polls count");
    require(found.packets == found.found * BURST, "packets are those of whole polls");
    require(found.found + found.away >= POLLS && found.empty + found.away >= EMPTY - 1,
            "polls with packets and without are apart");
    require(found.busy_cycles > 0 && found.busy_cycles < longest, "their time is known");
    require(found.rx_cycles <= found.busy_cycles + found.found * stage_clock.cost,
            "receiving is a part of it");
    require(found.tx_cycles == 0, "nothing was sent");
    require(polls_watch(0, 0, error, sizeof error) && polls_end(&found) && found.packets == 0,
            "it can be watched again, from nothing");
}

int main(void)
{
    char *words[] = {"hook_test", "--no-huge", "-m",          "64",     "-l",
                     "0",         "--no-pci",  "--no-shconf", "--vdev", "net_null0"};
    struct rte_eth_conf plain = {0};
    if (rte_eal_init(RTE_DIM(words), words) < 0)
        return 2;
    struct rte_mempool *pool =
        rte_pktmbuf_pool_create("pool", 511, 0, 0, RTE_MBUF_DEFAULT_BUF_SIZE, 0);
    if (pool == NULL || rte_eth_dev_configure(0, 1, 1, &plain) != 0 ||
        rte_eth_rx_queue_setup(0, 0, 64, 0, NULL, pool) != 0 ||
        rte_eth_tx_queue_setup(0, 0, 64, 0, NULL) != 0)
        return 2;
    expect(false, 0, "before its start");
    expect(false, 1, "though it isn't there");
    if (rte_eth_dev_start(0) != 0)
        return 2;
    expect(true, 0, "after its start");

    watch();

    /* As it is in the middle of the start: the link is up, the driver's functions not in place. */
    struct rte_eth_fp_ops driver = rte_eth_fp_ops[0];
    rte_eth_fp_ops[0] = rte_eth_fp_ops[1];
    expect(false, 0, "without its driver's functions");
    rte_eth_fp_ops[0] = driver;
    expect(true, 0, "with them");

    if (rte_eth_dev_stop(0) != 0)
        return 2;
    expect(false, 0, "after its stop");
    rte_eal_cleanup();
    return failures != 0;
}
