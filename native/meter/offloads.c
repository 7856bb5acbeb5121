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

#include <stdlib.h>
#include <string.h>

#include "dpdk.h"

#define EXPORTED __attribute__((visibility("default")))

enum { JUMBO = 9728, ETHERNET = 18 }; /* the longest frame of most NICs; header and checksum */

static const uint64_t rx_granted = RTE_ETH_RX_OFFLOAD_CHECKSUM | RTE_ETH_RX_OFFLOAD_SCATTER;
static const uint64_t tx_granted =
    RTE_ETH_TX_OFFLOAD_MULTI_SEGS | RTE_ETH_TX_OFFLOAD_MBUF_FAST_FREE;
static const uint64_t tx_checksums =
    RTE_ETH_TX_OFFLOAD_IPV4_CKSUM | RTE_ETH_TX_OFFLOAD_UDP_CKSUM | RTE_ETH_TX_OFFLOAD_TCP_CKSUM;

static struct {
    uint64_t flags; /* of packets that it received, by `ol_flags` */
    uint16_t rx_queues, tx_queues;
} ports[RTE_MAX_ETHPORTS];

/* What the driver of a port in memory says of it; false: the port is no such one. */
static bool in_memory(uint16_t port, struct rte_eth_dev_info *info)
{
    return dpdk_known() && DPDK_ORIGINAL(rte_eth_dev_info_get, port, info) == 0 &&
           info->driver_name != NULL &&
           (strcmp(info->driver_name, "net_null") == 0 ||
            strcmp(info->driver_name, "net_memif") == 0);
}

EXPORTED int rte_eth_dev_info_get(uint16_t port, struct rte_eth_dev_info *info)
{
    if (!in_memory(port, info))
        return DPDK_ORIGINAL(rte_eth_dev_info_get, port, info);
    uint64_t tx = tx_granted;
    if (strcmp(info->driver_name, "net_null") == 0 || getenv("PLANECAST_LAST") != NULL)
        tx |= tx_checksums;
    info->rx_offload_capa |= rx_granted;
    info->rx_queue_offload_capa |= rx_granted;
    info->tx_offload_capa |= tx;
    info->tx_queue_offload_capa |= tx;
    *dpdk_longest_frame(info) = RTE_MAX(*dpdk_longest_frame(info), JUMBO);
    info->max_mtu = (uint16_t)RTE_MAX(info->max_mtu, JUMBO - ETHERNET);
    return 0;
}

/* Of what is asked, what the driver has. */
static int configure_in_memory(uint16_t port, uint16_t rx_queues, uint16_t tx_queues,
                               const struct rte_eth_conf *conf, struct rte_eth_dev_info *info)
{
    union {
        struct rte_eth_conf conf;
        char room[sizeof(struct rte_eth_conf) + 256]; /* for another release's */
    } had;
    uint64_t asked = conf->rxmode.offloads;
    ports[port].flags =
        ((asked & RTE_ETH_RX_OFFLOAD_IPV4_CKSUM) != 0 ? RTE_MBUF_F_RX_IP_CKSUM_GOOD : 0) |
        ((asked & RTE_ETH_RX_OFFLOAD_UDP_CKSUM) != 0 ? RTE_MBUF_F_RX_L4_CKSUM_GOOD : 0);
    struct rte_eth_rxmode *mode = &had.conf.rxmode;
    uint32_t longest = *dpdk_longest_frame(info);
    memcpy(&had, conf, dpdk_conf_bytes());
    mode->offloads &= info->rx_offload_capa | ~rx_granted;
    had.conf.txmode.offloads &= info->tx_offload_capa | ~(tx_granted | tx_checksums);
    mode->mtu = RTE_MIN(mode->mtu, RTE_MAX(info->max_mtu, RTE_ETHER_MTU));
    if (longest > ETHERNET)
        mode->mtu = RTE_MIN(mode->mtu, longest - ETHERNET);
    return DPDK_ORIGINAL(rte_eth_dev_configure, port, rx_queues, tx_queues, &had.conf);
}

EXPORTED int rte_eth_dev_configure(uint16_t port, uint16_t rx_queues, uint16_t tx_queues,
                                   const struct rte_eth_conf *conf)
{
    struct rte_eth_dev_info info;
    bool known = port < RTE_MAX_ETHPORTS && conf != NULL;
    int failed = known && in_memory(port, &info)
                     ? configure_in_memory(port, rx_queues, tx_queues, conf, &info)
                     : DPDK_ORIGINAL(rte_eth_dev_configure, port, rx_queues, tx_queues, conf);
    if (failed == 0 && known) {
        ports[port].rx_queues = rx_queues;
        ports[port].tx_queues = tx_queues;
    }
    return failed;
}

bool offloads_queues(uint16_t port, uint16_t *rx, uint16_t *tx)
{
    if (port >= RTE_MAX_ETHPORTS)
        return false;
    if (replaced_over("rte_eth_dev_info_get")) { /* which the starting thread alone may call */
        *rx = ports[port].rx_queues;
        *tx = ports[port].tx_queues;
        return *rx + *tx > 0;
    }
    struct rte_eth_dev_info info;
    int (*about)(uint16_t, struct rte_eth_dev_info *) = DPDK(rte_eth_dev_info_get);
    if (about == NULL || about(port, &info) != 0)
        return false;
    *rx = info.nb_rx_queues;
    *tx = info.nb_tx_queues;
    return true;
}

EXPORTED int rte_eth_rx_queue_setup(uint16_t port, uint16_t queue, uint16_t slots, unsigned socket,
                                    const struct rte_eth_rxconf *conf, struct rte_mempool *pool)
{
    struct rte_eth_dev_info info;
    if (conf == NULL || !in_memory(port, &info))
        return DPDK_ORIGINAL(rte_eth_rx_queue_setup, port, queue, slots, socket, conf, pool);
    struct rte_eth_rxconf had = *conf;
    had.offloads &= info.rx_offload_capa | ~rx_granted;
    return DPDK_ORIGINAL(rte_eth_rx_queue_setup, port, queue, slots, socket, &had, pool);
}

EXPORTED int rte_eth_tx_queue_setup(uint16_t port, uint16_t queue, uint16_t slots, unsigned socket,
                                    const struct rte_eth_txconf *conf)
{
    struct rte_eth_dev_info info;
    if (conf == NULL || !in_memory(port, &info))
        return DPDK_ORIGINAL(rte_eth_tx_queue_setup, port, queue, slots, socket, conf);
    struct rte_eth_txconf had = *conf;
    had.offloads &= info.tx_offload_capa | ~(tx_granted | tx_checksums);
    return DPDK_ORIGINAL(rte_eth_tx_queue_setup, port, queue, slots, socket, &had);
}

/* What a driver has no function for, needs none: frames are no longer than a scenario's. */
EXPORTED int rte_eth_dev_set_mtu(uint16_t port, uint16_t mtu)
{
    struct rte_eth_dev_info info;
    int failed = DPDK_ORIGINAL(rte_eth_dev_set_mtu, port, mtu);
    bool granted = mtu <= JUMBO - ETHERNET && in_memory(port, &info);
    return failed != 0 && granted ? 0 : failed;
}

/* Of ports whose packets get one (frames.c), and others' that most NICs report. */
EXPORTED int rte_eth_dev_get_supported_ptypes(uint16_t port, uint32_t mask, uint32_t *types,
                                              int room)
{
    static const uint32_t known[] = {RTE_PTYPE_L2_ETHER, RTE_PTYPE_L3_IPV4_EXT_UNKNOWN,
                                     RTE_PTYPE_L3_IPV6_EXT_UNKNOWN, RTE_PTYPE_L4_TCP,
                                     RTE_PTYPE_L4_UDP};
    struct rte_eth_dev_info info;
    if (!in_memory(port, &info) || strcmp(info.driver_name, "net_null") != 0)
        return DPDK_ORIGINAL(rte_eth_dev_get_supported_ptypes, port, mask, types, room);
    int count = 0;
    for (size_t i = 0; i < RTE_DIM(known); i++) {
        if ((known[i] & mask) == 0)
            continue;
        if (types != NULL && count < room)
            types[count] = known[i];
        count++;
    }
    return count;
}

void offloads_mark_good(uint16_t port, struct rte_mbuf **packets, uint16_t count)
{
    if (likely(ports[port].flags == 0))
        return;
    for (uint16_t i = 0; i < count; i++)
        packets[i]->ol_flags |= ports[port].flags;
}
