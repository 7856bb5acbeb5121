/* SPDX-License-Identifier: Apache-2.0
 *
 * Forwards as programs for a NIC do: it asks its ports for checksums, long frames in several
 * buffers, quick freeing and packet types, ends where they are refused, drops what isn't checked or
 * no IPv4, and sends what it has buffered by its clock.
 */
#include <rte_cycles.h>
#include <rte_eal.h>
#include <rte_ethdev.h>
#include <rte_mbuf.h>
#include <stdbool.h>
#include <stdlib.h>

#ifndef CACHE
#define CACHE 256 /* packet buffers of the pool's cache */
#endif
enum { BURST = 32, RING = 1024, BUFFERS = 8191, IN = 0, OUT = 1, MTU = 9000 };

static const struct rte_eth_conf asked = {
    .rxmode = {.mtu = MTU, .offloads = RTE_ETH_RX_OFFLOAD_CHECKSUM | RTE_ETH_RX_OFFLOAD_SCATTER},
    .txmode = {.offloads = RTE_ETH_TX_OFFLOAD_IPV4_CKSUM | RTE_ETH_TX_OFFLOAD_MULTI_SEGS |
                           RTE_ETH_TX_OFFLOAD_MBUF_FAST_FREE}};

static bool knows_ipv4(uint16_t port)
{
    uint32_t types[16];
    int count = rte_eth_dev_get_supported_ptypes(port, RTE_PTYPE_L3_MASK, NULL, 0);
    if (count <= 0 || count > 16 ||
        rte_eth_dev_get_supported_ptypes(port, RTE_PTYPE_L3_MASK, types, count) != count)
        return false;
    for (int i = 0; i < count; i++)
        if ((types[i] & ~RTE_PTYPE_L3_MASK) != 0)
            return false;
    return RTE_ETH_IS_IPV4_HDR(types[0]);
}

static void start(uint16_t port, struct rte_mempool *pool)
{
    struct rte_eth_dev_info info;
    if (rte_eth_dev_info_get(port, &info) != 0 ||
        (asked.rxmode.offloads & ~info.rx_offload_capa) != 0 ||
        (asked.txmode.offloads & ~info.tx_offload_capa) != 0 || info.max_mtu < MTU ||
        !knows_ipv4(port))
        rte_exit(EXIT_FAILURE, "port %u is no NIC\n", port);
    info.default_rxconf.offloads = asked.rxmode.offloads;
    info.default_txconf.offloads = asked.txmode.offloads;
    if (rte_eth_dev_configure(port, 1, 1, &asked) < 0 || rte_eth_dev_set_mtu(port, MTU) != 0 ||
        rte_eth_rx_queue_setup(port, 0, RING, rte_socket_id(), &info.default_rxconf, pool) < 0 ||
        rte_eth_tx_queue_setup(port, 0, RING, rte_socket_id(), &info.default_txconf) < 0 ||
        rte_eth_dev_start(port) < 0)
        rte_exit(EXIT_FAILURE, "port %u can't be started\n", port);
}

static uint16_t checked(struct rte_mbuf **packets, uint16_t count)
{
    uint16_t kept = 0;
    for (uint16_t i = 0; i < count; i++) {
        if ((packets[i]->ol_flags & RTE_MBUF_F_RX_IP_CKSUM_MASK) == RTE_MBUF_F_RX_IP_CKSUM_GOOD &&
            RTE_ETH_IS_IPV4_HDR(packets[i]->packet_type))
            packets[kept++] = packets[i];
        else
            rte_pktmbuf_free(packets[i]);
    }
    return kept;
}

int main(int argc, char **argv)
{
    struct rte_mbuf *packets[2 * BURST];
    uint16_t held = 0;
    if (rte_eal_init(argc, argv) < 0)
        return 1;
    struct rte_mempool *pool = rte_pktmbuf_pool_create("buffers", BUFFERS, CACHE, 0,
                                                       RTE_MBUF_DEFAULT_BUF_SIZE, rte_socket_id());
    if (pool == NULL)
        return 1;
    start(IN, pool);
    start(OUT, pool);
    const uint64_t period = rte_get_tsc_hz() / 20000;
    for (uint64_t sent_at = rte_rdtsc();;) {
        held += checked(packets + held, rte_eth_rx_burst(IN, 0, packets + held, BURST));
        if (held >= BURST || (held > 0 && rte_rdtsc() - sent_at > period)) {
            uint16_t sent = rte_eth_tx_burst(OUT, 0, packets, held);
            rte_pktmbuf_free_bulk(packets + sent, held - sent);
            held = 0;
            sent_at = rte_rdtsc();
        }
    }
}
