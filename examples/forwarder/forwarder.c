/* SPDX-License-Identifier: Apache-2.0
 *
 * A small DPDK forwarder, to show how planecast profiles, measures and predicts a program of yours
 * (docs/tutorials/your-data-plane.md). Packets come in at port 0 and leave by port 1; of each, the IPv4
 * destination is looked up in a hash table, its entry's packets are counted and its MAC address is
 * written. Unknown destinations get an entry when they come first.
 *
 *   forwarder EAL-OPTIONS -- ENTRIES
 */
#include <rte_eal.h>
#include <rte_ethdev.h>
#include <rte_ether.h>
#include <rte_hash_crc.h>
#include <rte_ip.h>
#include <rte_malloc.h>
#include <rte_mbuf.h>
#include <rte_prefetch.h>
#include <signal.h>
#include <stdlib.h>

enum { BURST = 32, RING = 1024, BUFFERS = 8191, CACHE = 256, TRIES = 8, IN = 0, OUT = 1 };

struct entry { /* a cache line */
    uint32_t destination; /* 0: free */
    struct rte_ether_addr next_hop;
    uint64_t packets;
} __rte_cache_aligned;

static struct entry *table;
static uint32_t mask;
static volatile sig_atomic_t stopped;

static void stop(int signal)
{
    (void)signal;
    stopped = 1;
}

/* Destinations of a burst, and the lines that the look-up will need. */
static __rte_noinline void parse(struct rte_mbuf **packets, uint16_t count, uint32_t *destinations,
                                 uint32_t *slots)
{
    for (uint16_t i = 0; i < count; i++) {
        const struct rte_ipv4_hdr *ip =
            rte_pktmbuf_mtod_offset(packets[i], struct rte_ipv4_hdr *, sizeof(struct rte_ether_hdr));
        destinations[i] = ip->dst_addr;
        slots[i] = rte_hash_crc_4byte(ip->dst_addr, 0) & mask;
        rte_prefetch0(&table[slots[i]]);
    }
}

static struct entry *insert(struct entry *entry, uint32_t destination)
{
    entry->destination = destination;
    entry->next_hop.addr_bytes[0] = 2;
    memcpy(&entry->next_hop.addr_bytes[2], &destination, sizeof destination);
    return entry;
}

/* The entry of each; the last one tried where the table is too full for another. */
static __rte_noinline void lookup(const uint32_t *destinations, const uint32_t *slots,
                                  uint16_t count, struct entry **found)
{
    for (uint16_t i = 0; i < count; i++) {
        for (uint32_t tried = 0; tried < TRIES; tried++) {
            found[i] = &table[(slots[i] + tried) & mask];
            if (found[i]->destination == destinations[i])
                break;
            if (found[i]->destination == 0) {
                insert(found[i], destinations[i]);
                break;
            }
        }
    }
}

static __rte_noinline void rewrite(struct rte_mbuf **packets, uint16_t count, struct entry **found)
{
    for (uint16_t i = 0; i < count; i++) {
        struct rte_ether_hdr *ether = rte_pktmbuf_mtod(packets[i], struct rte_ether_hdr *);
        ether->dst_addr = found[i]->next_hop;
        found[i]->packets++;
    }
}

static void forward(void)
{
    struct rte_mbuf *packets[BURST];
    uint32_t destinations[BURST], slots[BURST];
    struct entry *found[BURST];
    while (!stopped) {
        uint16_t count = rte_eth_rx_burst(IN, 0, packets, BURST);
        if (count == 0)
            continue;
        parse(packets, count, destinations, slots);
        lookup(destinations, slots, count, found);
        rewrite(packets, count, found);
        uint16_t sent = rte_eth_tx_burst(OUT, 0, packets, count);
        rte_pktmbuf_free_bulk(packets + sent, count - sent);
    }
}

static void start(uint16_t port, struct rte_mempool *pool)
{
    const struct rte_eth_conf usual = {0};
    if (rte_eth_dev_configure(port, 1, 1, &usual) < 0 ||
        rte_eth_rx_queue_setup(port, 0, RING, rte_socket_id(), NULL, pool) < 0 ||
        rte_eth_tx_queue_setup(port, 0, RING, rte_socket_id(), NULL) < 0 ||
        rte_eth_dev_start(port) < 0)
        rte_exit(EXIT_FAILURE, "port %u can't be started\n", port);
}

int main(int argc, char **argv)
{
    int used = rte_eal_init(argc, argv);
    if (used < 0)
        rte_exit(EXIT_FAILURE, "EAL can't be started\n");
    uint32_t entries = argc > used + 1 ? (uint32_t)strtoul(argv[used + 1], NULL, 10) : 1 << 16;
    if (entries == 0 || (entries & (entries - 1)) != 0 || rte_eth_dev_count_avail() != 2)
        rte_exit(EXIT_FAILURE, "usage: forwarder EAL-OPTIONS -- ENTRIES (a power of two), 2 ports\n");
    mask = entries - 1;
    table = rte_zmalloc("table", (size_t)entries * sizeof *table, RTE_CACHE_LINE_SIZE);
    struct rte_mempool *pool = rte_pktmbuf_pool_create("buffers", BUFFERS, CACHE, 0,
                                                       RTE_MBUF_DEFAULT_BUF_SIZE, rte_socket_id());
    if (table == NULL || pool == NULL)
        rte_exit(EXIT_FAILURE, "not enough memory\n");
    signal(SIGINT, stop);
    signal(SIGTERM, stop);
    start(IN, pool);
    start(OUT, pool);
    forward();
    return rte_eal_cleanup();
}
