/* SPDX-License-Identifier: Apache-2.0 */
#include "ports.h"

#include <rte_errno.h>
#include <rte_ethdev.h>

static bool port_fails(uint16_t port, const char *step, int rc, char *error, size_t error_bytes)
{
    if (rc >= 0)
        return false;
    snprintf(error, error_bytes, "port %u: %s: %s", port, step, rte_strerror(-rc));
    return true;
}

static bool open_queues(struct dataplane *dataplane, uint16_t port, uint16_t rx_ring,
                        uint16_t tx_ring, char *error, size_t error_bytes)
{
    int socket = rte_eth_dev_socket_id(port);
    uint16_t queues = (uint16_t)dataplane->config.lcore_count;
    for (uint16_t q = 0; q < queues; q++) {
        struct rte_mempool *pool = dataplane->lcore[q]->pool;
        int rc = rte_eth_rx_queue_setup(port, q, rx_ring, (unsigned)socket, NULL, pool);
        if (port_fails(port, "RX queue", rc, error, error_bytes))
            return false;
        rc = rte_eth_tx_queue_setup(port, q, tx_ring, (unsigned)socket, NULL);
        if (port_fails(port, "TX queue", rc, error, error_bytes))
            return false;
    }
    return true;
}

static bool check_port(const struct config *config, const char *key, int32_t port, char *error,
                       size_t error_bytes)
{
    struct rte_eth_dev_info info;
    if (port == PORT_INTERNAL)
        return true;
    if (!rte_eth_dev_is_valid_port((uint16_t)port)) {
        snprintf(error, error_bytes,
                 "ports.%s: there is no DPDK port %d; name one after --, such as --vdev net_null0",
                 key, port);
        return false;
    }
    int rc = rte_eth_dev_info_get((uint16_t)port, &info);
    if (port_fails((uint16_t)port, "no device information", rc, error, error_bytes))
        return false;
    if (config->lcore_count <= info.max_rx_queues && config->lcore_count <= info.max_tx_queues)
        return true;
    snprintf(error, error_bytes,
             "ports.%s: port %d has %u RX and %u TX queues, fewer than %u lcores", key, port,
             info.max_rx_queues, info.max_tx_queues, config->lcore_count);
    return false;
}

bool ports_check(const struct config *config, char *error, size_t error_bytes)
{
    return check_port(config, "rx", config->rx_port, error, error_bytes) &&
           check_port(config, "tx", config->tx_port, error, error_bytes);
}

static bool open_port(struct dataplane *dataplane, uint16_t port, char *error, size_t error_bytes)
{
    const struct config *config = &dataplane->config;
    uint16_t queues = (uint16_t)config->lcore_count;
    struct rte_eth_dev_info info;
    int rc = rte_eth_dev_info_get(port, &info);
    if (port_fails(port, "no device information", rc, error, error_bytes))
        return false;
    struct rte_eth_conf conf = {0};
    uint32_t mtu = config->frame_bytes - RTE_ETHER_HDR_LEN - RTE_ETHER_CRC_LEN;
    if (mtu > RTE_ETHER_MTU && mtu <= info.max_mtu)
        conf.rxmode.mtu = mtu;
    if (queues > 1 && (info.flow_type_rss_offloads & RTE_ETH_RSS_IP) != 0) {
        conf.rxmode.mq_mode = RTE_ETH_MQ_RX_RSS;
        conf.rx_adv_conf.rss_conf.rss_hf = RTE_ETH_RSS_IP & info.flow_type_rss_offloads;
    }
    rc = rte_eth_dev_configure(port, queues, queues, &conf);
    if (port_fails(port, "not configured", rc, error, error_bytes))
        return false;
    uint16_t rx_ring = (uint16_t)config->rx_ring, tx_ring = (uint16_t)config->tx_ring;
    rte_eth_dev_adjust_nb_rx_tx_desc(port, &rx_ring, &tx_ring);
    if (!open_queues(dataplane, port, rx_ring, tx_ring, error, error_bytes))
        return false;
    rc = rte_eth_dev_start(port);
    if (port_fails(port, "not started", rc, error, error_bytes))
        return false;
    rte_eth_promiscuous_enable(port); /* a port that can't hears all anyway */
    return true;
}

bool ports_open(struct dataplane *dataplane, char *error, size_t error_bytes)
{
    int32_t rx = dataplane->config.rx_port, tx = dataplane->config.tx_port;
    if (rx != PORT_INTERNAL && !open_port(dataplane, (uint16_t)rx, error, error_bytes))
        return false;
    if (tx != PORT_INTERNAL && tx != rx && !open_port(dataplane, (uint16_t)tx, error, error_bytes))
        return false;
    dataplane->ports_started = true;
    return true;
}

void ports_close(struct dataplane *dataplane)
{
    int32_t port[2] = {dataplane->config.rx_port, dataplane->config.tx_port};
    for (int i = 0; i < 2; i++) {
        if (port[i] == PORT_INTERNAL || (i == 1 && port[1] == port[0]))
            continue;
        if (!rte_eth_dev_is_valid_port((uint16_t)port[i]))
            continue;
        if (dataplane->ports_started)
            rte_eth_dev_stop((uint16_t)port[i]);
        rte_eth_dev_close((uint16_t)port[i]);
    }
}
