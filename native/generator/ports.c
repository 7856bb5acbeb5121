/* SPDX-License-Identifier: Apache-2.0 */
#include "ports.h"

#include <rte_errno.h>
#include <rte_ethdev.h>
#include <string.h>

static bool fails(uint16_t port, const char *step, int rc, char *error, size_t error_bytes)
{
    if (rc >= 0)
        return false;
    snprintf(error, error_bytes, "port %u: %s: %s", port, step, rte_strerror(-rc));
    return true;
}

static bool check(const char *key, int32_t port, char *error, size_t error_bytes)
{
    if (port == PORT_NONE || rte_eth_dev_is_valid_port((uint16_t)port))
        return true;
    snprintf(error, error_bytes,
             "ports.%s: there is no DPDK port %d; name one after --, such as --vdev net_ring0", key,
             port);
    return false;
}

bool ports_check(const struct config *config, char *error, size_t error_bytes)
{
    return check("tx", config->tx_port, error, error_bytes) &&
           check("rx", config->rx_port, error, error_bytes);
}

static bool open_port(const struct config *config, uint16_t port, struct rte_mempool *pool,
                      char *error, size_t error_bytes)
{
    struct rte_eth_dev_info info;
    int rc = rte_eth_dev_info_get(port, &info);
    if (fails(port, "no device information", rc, error, error_bytes))
        return false;
    struct rte_eth_conf conf = {0};
    uint16_t queues = port == config->rx_port ? (uint16_t)config->rx_queues : 1;
    uint32_t mtu = config_longest_frame(config) - RTE_ETHER_HDR_LEN - RTE_ETHER_CRC_LEN;
    if (mtu > RTE_ETHER_MTU && mtu <= info.max_mtu)
        conf.rxmode.mtu = mtu;
    rc = rte_eth_dev_configure(port, queues, 1, &conf);
    if (fails(port, "not configured", rc, error, error_bytes))
        return false;
    uint16_t rx_ring = (uint16_t)config->rx_ring, tx_ring = (uint16_t)config->tx_ring;
    unsigned socket = (unsigned)rte_eth_dev_socket_id(port);
    rte_eth_dev_adjust_nb_rx_tx_desc(port, &rx_ring, &tx_ring);
    for (uint16_t queue = 0; queue < queues; queue++) {
        rc = rte_eth_rx_queue_setup(port, queue, rx_ring, socket, NULL, pool);
        if (fails(port, "RX queue", rc, error, error_bytes))
            return false;
    }
    rc = rte_eth_tx_queue_setup(port, 0, tx_ring, socket, NULL);
    if (fails(port, "TX queue", rc, error, error_bytes))
        return false;
    rc = rte_eth_dev_start(port);
    if (fails(port, "not started", rc, error, error_bytes))
        return false;
    rte_eth_promiscuous_enable(port); /* a port that can't hears all anyway */
    return true;
}

bool ports_open(const struct config *config, struct rte_mempool *pool, char *error,
                size_t error_bytes)
{
    int32_t tx = config->tx_port, rx = config->rx_port;
    if (tx != PORT_NONE && !open_port(config, (uint16_t)tx, pool, error, error_bytes))
        return false;
    return rx == PORT_NONE || rx == tx || open_port(config, (uint16_t)rx, pool, error, error_bytes);
}

void ports_close(const struct config *config)
{
    const int32_t port[2] = {config->tx_port, config->rx_port};
    for (int i = 0; i < 2; i++) {
        if (port[i] == PORT_NONE || (i == 1 && port[1] == port[0]) ||
            !rte_eth_dev_is_valid_port((uint16_t)port[i]))
            continue;
        rte_eth_dev_stop((uint16_t)port[i]);
        rte_eth_dev_close((uint16_t)port[i]);
    }
}

static bool is_up(int32_t port)
{
    struct rte_eth_link link = {0};
    return port == PORT_NONE || (rte_eth_link_get_nowait((uint16_t)port, &link) == 0 &&
                                 link.link_status == RTE_ETH_LINK_UP);
}

bool ports_up(const struct config *config)
{
    bool tx = is_up(config->tx_port), rx = is_up(config->rx_port);
    return tx && rx;
}

static void call_peer(int32_t port)
{
    struct rte_eth_dev_info info;
    if (port == PORT_NONE || is_up(port) || rte_eth_dev_info_get((uint16_t)port, &info) != 0 ||
        strcmp(info.driver_name, "net_memif") != 0)
        return;
    rte_eth_dev_stop((uint16_t)port);
    rte_eth_dev_start((uint16_t)port); /* fails while there is no peer: the next time, perhaps */
}

void ports_call_peers(const struct config *config)
{
    call_peer(config->tx_port);
    if (config->rx_port != config->tx_port)
        call_peer(config->rx_port);
}

static uint64_t missed(int32_t port)
{
    struct rte_eth_stats stats;
    if (port == PORT_NONE || rte_eth_stats_get((uint16_t)port, &stats) != 0)
        return 0;
    return stats.imissed + stats.rx_nombuf;
}

uint64_t ports_missed(const struct config *config)
{
    uint64_t sum = missed(config->rx_port);
    for (uint32_t i = 0; i < config->stream_count; i++) {
        if (config->stream[i].direction == REVERSE)
            return sum + missed(config->tx_port);
    }
    return sum;
}
