/* SPDX-License-Identifier: Apache-2.0
 *
 * When a port may be taken hold of: not before its start is over, and not once it was stopped.
 */
#include <rte_eal.h>
#include <rte_ethdev.h>
#include <rte_mbuf.h>
#include <stdbool.h>
#include <stdio.h>

#include "hook.h"

static int failures;

static void expect(bool wanted, uint16_t port, const char *when)
{
    char error[96] = "";
    if (hook_ready(port, SIDE_RX, error, sizeof error) != wanted) {
        printf("port %u is %sready %s: %s\n", port, wanted ? "not " : "", when, error);
        failures++;
    }
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
