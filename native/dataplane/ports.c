/* SPDX-License-Identifier: Apache-2.0 */
#include "ports.h"

#include <rte_errno.h>
#include <rte_ethdev.h>

#include "interrupts.h"
#include "lcore_map.h"

static bool port_fails(uint16_t port, const char *step, int rc, char *error, size_t error_bytes)
{
    if (rc >= 0)
        return false;
    snprintf(error, error_bytes, "port %u: %s: %s", port, step, rte_strerror(-rc));
    return true;
}

static uint16_t rx_queues(const struct config *config)
{
    return config->rx_by_queue ? (uint16_t)chains_of(config) : 1;
}

/* The chain that polls a port's RX queue: queue q by chain q, or the port by its own chain. */
static uint32_t reader(const struct config *config, uint16_t port, uint16_t queue)
{
    if (config->rx_by_queue)
        return queue;
    for (uint32_t input = 0; input < config->rx.count; input++) {
        if (config->rx.port[input] == port)
            return input % chains_of(config);
    }
    return 0; /* it is only sent to */
}

static bool open_queues(struct dataplane *dataplane, uint16_t port, uint16_t rx_ring,
                        uint16_t tx_ring, char *error, size_t error_bytes)
{
    int socket = rte_eth_dev_socket_id(port);
    const struct config *config = &dataplane->config;
    for (uint16_t q = 0; q < rx_queues(config); q++) {
        uint32_t first = reader(config, port, q) * segments_of(config);
        struct rte_mempool *pool = dataplane->lcore[first]->pool;
        int rc = rte_eth_rx_queue_setup(port, q, rx_ring, (unsigned)socket, NULL, pool);
        if (port_fails(port, "RX queue", rc, error, error_bytes))
            return false;
    }
    for (uint16_t q = 0; q < chains_of(config); q++) {
        int rc = rte_eth_tx_queue_setup(port, q, tx_ring, (unsigned)socket, NULL);
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
    if (rx_queues(config) <= info.max_rx_queues && chains_of(config) <= info.max_tx_queues)
        return true;
    snprintf(error, error_bytes,
             "ports.%s: port %d has %u RX and %u TX queues, but %u lcores want %u and %u", key,
             port, info.max_rx_queues, info.max_tx_queues, config->lcores.count, rx_queues(config),
             chains_of(config));
    return false;
}

bool ports_check(const struct config *config, char *error, size_t error_bytes)
{
    for (uint32_t i = 0; i < config->rx.count; i++) {
        if (!check_port(config, "rx", config->rx.port[i], error, error_bytes) ||
            !check_port(config, "tx", config->tx.port[i], error, error_bytes))
            return false;
    }
    return true;
}

static bool open_port(struct dataplane *dataplane, uint16_t port, char *error, size_t error_bytes)
{
    const struct config *config = &dataplane->config;
    uint16_t queues = rx_queues(config);
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
    rc = rte_eth_dev_configure(port, queues, (uint16_t)chains_of(config), &conf);
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

/* The DPDK ports of a configuration, each once; how many. */
static uint32_t ports_of(const struct config *config, uint16_t *ports)
{
    uint32_t count = 0;
    for (uint32_t i = 0; i < config->rx.count + config->tx.count; i++) {
        int32_t port =
            i < config->rx.count ? config->rx.port[i] : config->tx.port[i - config->rx.count];
        bool known = port == PORT_INTERNAL;
        for (uint32_t j = 0; j < count && !known; j++)
            known = ports[j] == port;
        if (!known)
            ports[count++] = (uint16_t)port;
    }
    return count;
}

bool ports_open(struct dataplane *dataplane, char *error, size_t error_bytes)
{
    uint16_t ports[2 * PORTS_MAX];
    uint32_t count = ports_of(&dataplane->config, ports);
    for (uint32_t i = 0; i < count; i++) {
        if (!open_port(dataplane, ports[i], error, error_bytes))
            return false;
    }
    dataplane->ports_started = true;
    return true;
}

static void close_all(void *argument)
{
    struct dataplane *dataplane = argument;
    uint16_t ports[2 * PORTS_MAX];
    uint32_t count = ports_of(&dataplane->config, ports);
    for (uint32_t i = 0; i < count; i++) {
        if (!rte_eth_dev_is_valid_port(ports[i]))
            continue;
        if (dataplane->ports_started)
            rte_eth_dev_stop(ports[i]);
        rte_eth_dev_close(ports[i]);
    }
}

void ports_close(struct dataplane *dataplane)
{
    interrupts_call(close_all, dataplane);
}
