/* SPDX-License-Identifier: Apache-2.0 */
#include "ports.h"

#include <rte_errno.h>
#include <rte_ethdev.h>
#include <string.h>

#include "interrupts.h"

static bool fails(uint16_t port, const char *step, int rc, char *error, size_t error_bytes)
{
    if (rc >= 0)
        return false;
    snprintf(error, error_bytes, "port %u: %s: %s", port, step, rte_strerror(-rc));
    return true;
}

static bool check(const char *key, const struct port_choice *port, char *error, size_t error_bytes)
{
    if (port->number < 0 || rte_eth_dev_is_valid_port((uint16_t)port->number))
        return true;
    snprintf(error, error_bytes,
             "ports.%s: there is no DPDK port %d; name one after --, such as --vdev net_ring0", key,
             port->number);
    return false;
}

bool ports_check(const struct config *config, char *error, size_t error_bytes)
{
    return check("tx", &config->tx, error, error_bytes) &&
           check("rx", &config->rx, error, error_bytes);
}

static bool open_dpdk(const struct config *config, uint16_t port, uint16_t queues,
                      struct rte_mempool *pool, char *error, size_t error_bytes)
{
    struct rte_eth_dev_info info;
    int rc = rte_eth_dev_info_get(port, &info);
    if (fails(port, "no device information", rc, error, error_bytes))
        return false;
    struct rte_eth_conf conf = {0};
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

/* A memory interface's server may come later: it is called before each run. */
static bool open_port(struct port *port, const struct config *config, bool receives,
                      struct rte_mempool *pool, char *error, size_t error_bytes)
{
    const struct port_choice *choice = receives ? &config->rx : &config->tx;
    uint16_t queues = receives ? (uint16_t)config->rx_queues : 1;
    port->is_memif = choice->number == PORT_MEMIF;
    port->open = true;
    if (port->is_memif) {
        uint32_t slots = receives ? config->rx_ring : config->tx_ring;
        memif_client_init(&port->memif, choice->socket, slots, queues);
        memif_client_connect(&port->memif, error, error_bytes);
        return true;
    }
    port->number = (uint16_t)choice->number;
    return open_dpdk(config, port->number, queues, pool, error, error_bytes);
}

bool ports_open(struct ports *ports, const struct config *config, struct rte_mempool *pool,
                char *error, size_t error_bytes)
{
    bool sends = config->tx.number != PORT_NONE, receives = config->rx.number != PORT_NONE;
    *ports = (struct ports){0};
    if (sends && receives && config_one_port(config)) {
        ports->tx = ports->rx = &ports->port[0];
        return open_port(ports->rx, config, true, pool, error, error_bytes);
    }
    ports->tx = sends ? &ports->port[0] : NULL;
    ports->rx = receives ? &ports->port[1] : NULL;
    return (!sends || open_port(ports->tx, config, false, pool, error, error_bytes)) &&
           (!receives || open_port(ports->rx, config, true, pool, error, error_bytes));
}

static void close_dpdk(void *argument)
{
    uint16_t number = ((struct port *)argument)->number;
    rte_eth_dev_stop(number);
    rte_eth_dev_close(number);
}

void ports_close(struct ports *ports)
{
    for (int i = 0; i < 2; i++) {
        struct port *port = &ports->port[i];
        if (port->open && port->is_memif)
            memif_client_close(&port->memif);
        if (port->open && !port->is_memif && rte_eth_dev_is_valid_port(port->number))
            interrupts_call(close_dpdk, port);
        port->open = false;
    }
}

/* To call the server of a memory interface of our own is to ask whether it is up. */
static bool is_up(struct port *port)
{
    char nothing[256];
    struct rte_eth_link link = {0};
    if (port == NULL)
        return true;
    if (port->is_memif)
        return memif_client_connect(&port->memif, nothing, sizeof nothing);
    return rte_eth_link_get_nowait(port->number, &link) == 0 && link.link_status == RTE_ETH_LINK_UP;
}

bool ports_up(struct ports *ports)
{
    bool tx = is_up(ports->tx), rx = is_up(ports->rx);
    return tx && rx;
}

static void restart(void *argument)
{
    uint16_t number = ((struct port *)argument)->number;
    rte_eth_dev_stop(number);
    rte_eth_dev_start(number); /* fails while there is no peer: the next time, perhaps */
}

static void call_peer(struct port *port)
{
    struct rte_eth_dev_info info;
    if (is_up(port) || port->is_memif)
        return;
    if (rte_eth_dev_info_get(port->number, &info) != 0 ||
        strcmp(info.driver_name, "net_memif") != 0)
        return;
    interrupts_call(restart, port);
}

void ports_call_peers(struct ports *ports)
{
    call_peer(ports->tx);
    if (ports->rx != ports->tx)
        call_peer(ports->rx);
}

uint64_t port_missed(const struct port *port)
{
    struct rte_eth_stats stats;
    if (port == NULL || port->is_memif || rte_eth_stats_get(port->number, &stats) != 0)
        return 0;
    return stats.imissed + stats.rx_nombuf;
}
