/* SPDX-License-Identifier: Apache-2.0
 *
 * Offloads of ports in memory. Programs written for a NIC ask their ports for checksums, long and
 * scattered frames and the like, and end where a port has none. A NIC does them at no cost to the
 * core, so a port in memory that grants them and does nothing costs the core the same: frames of
 * ours have correct checksums, and what comes over a memory interface is said to be unchecked.
 *
 * DPDK's functions of these names are asked here first. A program is answered that its port has the
 * offloads; of what it then asks for, the driver is asked for what it has. Checksums of frames that
 * are sent are granted over a memory interface only where PLANECAST_LAST says that nobody reads
 * them but the generator.
 */
#include "offloads.h"

#include <dlfcn.h>
#include <errno.h>
#include <rte_ethdev.h>
#include <rte_version.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define EXPORTED __attribute__((visibility("default")))

enum { JUMBO = 9728, ETHERNET = 18 }; /* the longest frame of most NICs; header and checksum */

static const uint64_t rx_granted = RTE_ETH_RX_OFFLOAD_CHECKSUM | RTE_ETH_RX_OFFLOAD_SCATTER;
static const uint64_t tx_granted =
    RTE_ETH_TX_OFFLOAD_MULTI_SEGS | RTE_ETH_TX_OFFLOAD_MBUF_FAST_FREE;
static const uint64_t tx_checksums =
    RTE_ETH_TX_OFFLOAD_IPV4_CKSUM | RTE_ETH_TX_OFFLOAD_UDP_CKSUM | RTE_ETH_TX_OFFLOAD_TCP_CKSUM;

static uint64_t flags[RTE_MAX_ETHPORTS]; /* of packets that a port received, by `ol_flags` */

typedef int about(uint16_t, struct rte_eth_dev_info *);
typedef int configure(uint16_t, uint16_t, uint16_t, const struct rte_eth_conf *);
typedef int set_up_rx(uint16_t, uint16_t, uint16_t, unsigned, const struct rte_eth_rxconf *,
                      struct rte_mempool *);
typedef int set_up_tx(uint16_t, uint16_t, uint16_t, unsigned, const struct rte_eth_txconf *);
typedef int set_mtu(uint16_t, uint16_t);

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

/* What the driver of a port in memory says of it; false: the port is no such one. */
static bool in_memory(uint16_t port, struct rte_eth_dev_info *info)
{
    about *real = (about *)dlsym(RTLD_NEXT, "rte_eth_dev_info_get");
    return of_this_dpdk() && real != NULL && real(port, info) == 0 && info->driver_name != NULL &&
           (strcmp(info->driver_name, "net_null") == 0 ||
            strcmp(info->driver_name, "net_memif") == 0);
}

EXPORTED int rte_eth_dev_info_get(uint16_t port, struct rte_eth_dev_info *info)
{
    if (!in_memory(port, info)) {
        about *real = (about *)dlsym(RTLD_NEXT, __func__);
        return real != NULL ? real(port, info) : -ENOTSUP;
    }
    uint64_t tx = tx_granted;
    if (strcmp(info->driver_name, "net_null") == 0 || getenv("PLANECAST_LAST") != NULL)
        tx |= tx_checksums;
    info->rx_offload_capa |= rx_granted;
    info->rx_queue_offload_capa |= rx_granted;
    info->tx_offload_capa |= tx;
    info->tx_queue_offload_capa |= tx;
    info->max_rx_pktlen = RTE_MAX(info->max_rx_pktlen, JUMBO);
    info->max_mtu = (uint16_t)RTE_MAX(info->max_mtu, JUMBO - ETHERNET);
    return 0;
}

EXPORTED int rte_eth_dev_configure(uint16_t port, uint16_t rx_queues, uint16_t tx_queues,
                                   const struct rte_eth_conf *conf)
{
    configure *real = (configure *)dlsym(RTLD_NEXT, __func__);
    struct rte_eth_dev_info info;
    if (real == NULL)
        return -ENOTSUP;
    if (conf == NULL || !in_memory(port, &info))
        return real(port, rx_queues, tx_queues, conf);
    uint64_t asked = conf->rxmode.offloads;
    flags[port] = ((asked & RTE_ETH_RX_OFFLOAD_IPV4_CKSUM) != 0 ? RTE_MBUF_F_RX_IP_CKSUM_GOOD : 0) |
                  ((asked & RTE_ETH_RX_OFFLOAD_UDP_CKSUM) != 0 ? RTE_MBUF_F_RX_L4_CKSUM_GOOD : 0);
    struct rte_eth_conf had = *conf;
    had.rxmode.offloads &= info.rx_offload_capa | ~rx_granted;
    had.txmode.offloads &= info.tx_offload_capa | ~(tx_granted | tx_checksums);
    had.rxmode.mtu = RTE_MIN(had.rxmode.mtu, RTE_MAX(info.max_mtu, RTE_ETHER_MTU));
    if (info.max_rx_pktlen > ETHERNET)
        had.rxmode.mtu = RTE_MIN(had.rxmode.mtu, info.max_rx_pktlen - ETHERNET);
    return real(port, rx_queues, tx_queues, &had);
}

EXPORTED int rte_eth_rx_queue_setup(uint16_t port, uint16_t queue, uint16_t slots, unsigned socket,
                                    const struct rte_eth_rxconf *conf, struct rte_mempool *pool)
{
    set_up_rx *real = (set_up_rx *)dlsym(RTLD_NEXT, __func__);
    struct rte_eth_dev_info info;
    if (real == NULL)
        return -ENOTSUP;
    if (conf == NULL || !in_memory(port, &info))
        return real(port, queue, slots, socket, conf, pool);
    struct rte_eth_rxconf had = *conf;
    had.offloads &= info.rx_offload_capa | ~rx_granted;
    return real(port, queue, slots, socket, &had, pool);
}

EXPORTED int rte_eth_tx_queue_setup(uint16_t port, uint16_t queue, uint16_t slots, unsigned socket,
                                    const struct rte_eth_txconf *conf)
{
    set_up_tx *real = (set_up_tx *)dlsym(RTLD_NEXT, __func__);
    struct rte_eth_dev_info info;
    if (real == NULL)
        return -ENOTSUP;
    if (conf == NULL || !in_memory(port, &info))
        return real(port, queue, slots, socket, conf);
    struct rte_eth_txconf had = *conf;
    had.offloads &= info.tx_offload_capa | ~(tx_granted | tx_checksums);
    return real(port, queue, slots, socket, &had);
}

/* What a driver has no function for, needs none: frames are no longer than a scenario's. */
EXPORTED int rte_eth_dev_set_mtu(uint16_t port, uint16_t mtu)
{
    set_mtu *real = (set_mtu *)dlsym(RTLD_NEXT, __func__);
    struct rte_eth_dev_info info;
    if (real == NULL)
        return -ENOTSUP;
    int failed = real(port, mtu);
    bool granted = mtu <= JUMBO - ETHERNET && in_memory(port, &info);
    return failed != 0 && granted ? 0 : failed;
}

void offloads_mark_good(uint16_t port, struct rte_mbuf **packets, uint16_t count)
{
    if (likely(flags[port] == 0))
        return;
    for (uint16_t i = 0; i < count; i++)
        packets[i]->ol_flags |= flags[port];
}
