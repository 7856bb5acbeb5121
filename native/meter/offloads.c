/* SPDX-License-Identifier: Apache-2.0
 *
 * Offloads of ports in memory. Programs written for a NIC ask their ports for checksums, long and
 * scattered frames and the like, and end where a port has none. A NIC does them at no cost to the
 * core, so a port in memory that grants them and does nothing costs the core the same: frames of
 * ours have correct checksums and fit their buffers, and what comes over a memory interface is said
 * to be unchecked. DPDK's functions of these names are asked here first; it asks for a port's
 * offloads by the first one itself.
 */
#include "offloads.h"

#include <dlfcn.h>
#include <errno.h>
#include <rte_ethdev.h>
#include <rte_version.h>
#include <stdio.h>
#include <string.h>

#define EXPORTED __attribute__((visibility("default")))

static const uint64_t rx_granted = RTE_ETH_RX_OFFLOAD_CHECKSUM | RTE_ETH_RX_OFFLOAD_SCATTER;
static const uint64_t tx_granted = RTE_ETH_TX_OFFLOAD_IPV4_CKSUM | RTE_ETH_TX_OFFLOAD_UDP_CKSUM |
                                   RTE_ETH_TX_OFFLOAD_TCP_CKSUM | RTE_ETH_TX_OFFLOAD_MULTI_SEGS |
                                   RTE_ETH_TX_OFFLOAD_MBUF_FAST_FREE;

enum { JUMBO = 9728, ETHERNET = 18 }; /* the longest frame of most NICs; header and checksum */

static uint64_t flags;

/* Another release may lay out `rte_eth_dev_info` in another way. */
static bool of_this_dpdk(void)
{
    static int known = -1;
    if (known < 0) {
        char ours[32];
        int length =
            snprintf(ours, sizeof ours, "%s %d.%02d", RTE_VER_PREFIX, RTE_VER_YEAR, RTE_VER_MONTH);
        const char *(*version)(void) = (const char *(*)(void))dlsym(RTLD_DEFAULT, "rte_version");
        known = version != NULL && strncmp(version(), ours, (size_t)length) == 0;
    }
    return known == 1;
}

static bool in_memory(const char *driver)
{
    return driver != NULL && (strcmp(driver, "net_null") == 0 || strcmp(driver, "net_memif") == 0);
}

EXPORTED int rte_eth_dev_info_get(uint16_t port, struct rte_eth_dev_info *info)
{
    static int (*real)(uint16_t, struct rte_eth_dev_info *);
    if (real == NULL)
        real = (int (*)(uint16_t, struct rte_eth_dev_info *))dlsym(RTLD_NEXT, __func__);
    int failed = real(port, info);
    if (failed == 0 && of_this_dpdk() && in_memory(info->driver_name)) {
        info->rx_offload_capa |= rx_granted;
        info->rx_queue_offload_capa |= rx_granted;
        info->tx_offload_capa |= tx_granted;
        info->tx_queue_offload_capa |= tx_granted;
        info->max_rx_pktlen = RTE_MAX(info->max_rx_pktlen, JUMBO);
        info->max_mtu = (uint16_t)RTE_MAX(info->max_mtu, JUMBO - ETHERNET);
    }
    return failed;
}

EXPORTED int rte_eth_dev_configure(uint16_t port, uint16_t rx_queues, uint16_t tx_queues,
                                   const struct rte_eth_conf *conf)
{
    static int (*real)(uint16_t, uint16_t, uint16_t, const struct rte_eth_conf *);
    if (real == NULL)
        real = (int (*)(uint16_t, uint16_t, uint16_t, const struct rte_eth_conf *))dlsym(RTLD_NEXT,
                                                                                         __func__);
    if (conf != NULL && (conf->rxmode.offloads & RTE_ETH_RX_OFFLOAD_IPV4_CKSUM) != 0)
        flags |= RTE_MBUF_F_RX_IP_CKSUM_GOOD;
    if (conf != NULL && (conf->rxmode.offloads & RTE_ETH_RX_OFFLOAD_UDP_CKSUM) != 0)
        flags |= RTE_MBUF_F_RX_L4_CKSUM_GOOD;
    return real(port, rx_queues, tx_queues, conf);
}

/* What a driver has no function for, needs none: frames are no longer than a scenario's. */
EXPORTED int rte_eth_dev_set_mtu(uint16_t port, uint16_t mtu)
{
    static int (*real)(uint16_t, uint16_t);
    struct rte_eth_dev_info info;
    if (real == NULL)
        real = (int (*)(uint16_t, uint16_t))dlsym(RTLD_NEXT, __func__);
    int failed = real(port, mtu);
    if (failed == -ENOTSUP && of_this_dpdk() && rte_eth_dev_info_get(port, &info) == 0 &&
        in_memory(info.driver_name))
        return 0;
    return failed;
}

void offloads_checked(struct rte_mbuf **packets, uint16_t count)
{
    if (likely(flags == 0))
        return;
    for (uint16_t i = 0; i < count; i++)
        packets[i]->ol_flags |= flags;
}
