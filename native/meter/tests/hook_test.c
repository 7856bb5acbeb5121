/* SPDX-License-Identifier: Apache-2.0
 *
 * When a port may be taken hold of: not before its start is over, and not once it was stopped.
 * Polls of one that is watched are counted, each with its time to the next. Queues are measured
 * together, each with flows of its own, until the last of them has its windows. A port in memory
 * grants checksum offloads, and packets say then that theirs were good. A small cache of packet
 * buffers can be emptied, and buffers that go round a pool are distinguished from others.
 */
#include <pthread.h>
#include <rte_eal.h>
#include <rte_ethdev.h>
#include <rte_mbuf.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdio.h>

#include "fresh_cache.h"
#include "hook.h"
#include "lanes.h"
#include "polls.h"
#include "rotation.h"
#include "stage_clock.h"
#include "windows.h"

static int failures;

static void expect(bool wanted, uint16_t port, const char *when)
{
    char error[96] = "";
    if ((hook_ready(port, SIDE_RX, error, sizeof error) == READY) != wanted) {
        printf("port %u is %sready %s: %s\n", port, wanted ? "not " : "", when, error);
        failures++;
    }
}

static void require(bool condition, const char *what)
{
    if (!condition) {
        printf("not so: %s\n", what);
        failures++;
    }
}

static uint16_t poll_once(uint16_t room)
{
    struct rte_mbuf *packets[32];
    uint16_t count = rte_eth_rx_burst(0, 0, packets, room);
    rte_pktmbuf_free_bulk(packets, count);
    return count;
}

static void watch(void)
{
    enum { POLLS = 10, EMPTY = 5, BURST = 32 };
    char error[96] = "";
    struct polls found;
    struct stage_clock clock = {0};
    eth_rx_burst_t driver = rte_eth_fp_ops[0].rx_pkt_burst;
    eth_tx_burst_t sender = rte_eth_fp_ops[0].tx_pkt_burst;
    require(!polls_end(&found), "nothing is watched at first");
    require(polls_watch(0, 0, error, sizeof error), error);
    require(!polls_watch(0, 0, error, sizeof error), "a port is watched once");
    for (int i = 0; i < POLLS; i++)
        poll_once(BURST);
    for (int i = 0; i < EMPTY; i++)
        poll_once(0);
    require(rte_eth_fp_ops[0].tx_pkt_burst != sender, "sending is timed, too");
    uint64_t longest = rte_get_tsc_hz();
    require(polls_end(&found), "it was watched");
    require(rte_eth_fp_ops[0].rx_pkt_burst == driver && rte_eth_fp_ops[0].tx_pkt_burst == sender,
            "the driver's functions are back");
    /* The last poll has no end, and one may have been preempted. */
    require(found.found + found.empty + found.away == POLLS + EMPTY - 1, "all polls count");
    require(found.packets == found.found * BURST, "packets are those of whole polls");
    require(found.found + found.away >= POLLS && found.empty + found.away >= EMPTY - 1,
            "polls with packets and without are apart");
    require(found.busy_cycles > 0 && found.busy_cycles < longest, "their time is known");
    stage_clock_open(&clock, 0);
    require(found.rx_cycles <= found.busy_cycles + 2 * found.found * clock.cost,
            "receiving is a part of it");
    require(found.tx_cycles == 0, "nothing was sent");
    require(polls_watch(0, 0, error, sizeof error) && polls_end(&found) && found.packets == 0,
            "it can be watched again, from nothing");
}

/* Polls that are timed: one in so many, and not at a distance that a program may have, too. */
static void wait_for_timed_polls(void)
{
    enum { EVERY = 8, TIMED = 4096 };
    struct stage_clock clock = {0};
    uint32_t sum = 0, seen[2 * EVERY] = {0};
    stage_clock_open(&clock, EVERY);
    for (int i = 0; i < TIMED; i++) {
        require(clock.waits > 0 && clock.waits < 2 * EVERY, "a distance is within its bounds");
        seen[clock.waits % (2 * EVERY)]++;
        sum += clock.waits;
        stage_clock_wait(&clock);
    }
    for (int distance = 1; distance < 2 * EVERY; distance++)
        require(seen[distance] > 0, "all distances occur");
    require(sum > TIMED * (EVERY - 1) && sum < TIMED * (EVERY + 1), "one poll in so many");
    stage_clock_open(&clock, 1);
    require(stage_clock_due(&clock), "each poll, where each is asked for");
}

enum { QUEUES = 2, FLOWS = 10 };
static atomic_bool ending;
static const uint64_t good = RTE_MBUF_F_RX_IP_CKSUM_GOOD | RTE_MBUF_F_RX_L4_CKSUM_GOOD;
static uint32_t seen[QUEUES][FLOWS], unchecked[QUEUES];

/* Counts the flows of a queue by the last byte of their destination addresses. */
static void *forward(void *number)
{
    struct rte_mbuf *packets[32];
    uint16_t queue = (uint16_t)(uintptr_t)number;
    while (!atomic_load(&ending)) {
        uint16_t count = rte_eth_rx_burst(0, queue, packets, 32);
        for (uint16_t i = 0; i < count; i++) {
            uint8_t last = rte_pktmbuf_mtod(packets[i], uint8_t *)[33];
            if (last > 0) { /* not before the meter */
                seen[queue][(last - 1) % FLOWS]++;
                unchecked[queue] += (packets[i]->ol_flags & good) != good;
            }
        }
        rte_pktmbuf_free_bulk(packets, count);
    }
    return NULL;
}

static void measure_two_queues(void)
{
    enum { WINDOWS = 8, PACKETS = 64 };
    char error[96] = "";
    pthread_t threads[QUEUES];
    /* 10.0.0.1 to 11.0.0.1 and on: Ethernet, IPv4 and UDP headers. */
    const char *asked = " frame=020000000002020000000001080045000028000000004011"
                        "66b90a0000010b00000100350035001400000000 length=60 flows=10 seed=1"
                        " source_step=0 destination_step=1";
    struct windows_wanted wanted = {
        .count = WINDOWS, .packets = PACKETS, .warmup = PACKETS, .burst = 8, .made = true};
    require(frames_open(asked), "the frame can be read");
    require(hook_attach(0, 0, SIDE_RX, error, sizeof error) == READY, error);
    require(lanes_count() == QUEUES, "it has so many lanes");
    for (uintptr_t i = 0; i < QUEUES; i++)
        pthread_create(&threads[i], NULL, forward, (void *)i);
    lanes_idle();
    for (uint32_t i = 0; i < QUEUES; i++)
        require(windows_prepare(&lanes_at(i)->meter, &wanted, i, QUEUES), "there is room");
    require(lanes_measure(10.0), "it is over in time");
    for (uint32_t i = 0; i < QUEUES; i++) {
        const struct meter *meter = &lanes_at(i)->meter;
        require(meter->next == WINDOWS, "each lane has all its windows");
        for (uint32_t w = 0; w < meter->next; w++)
            require(meter->windows[w].packets == PACKETS && meter->windows[w].bursts == 8 &&
                        meter->windows[w].cycles > 0,
                    "of whole polls");
    }
    atomic_store(&ending, true);
    lanes_release();
    for (uint32_t i = 0; i < QUEUES; i++)
        pthread_join(threads[i], NULL);
    for (uint32_t flow = 0; flow < FLOWS; flow++)
        require((seen[0][flow] > 0) != (seen[1][flow] > 0), "a flow comes to one queue");
    require(unchecked[0] + unchecked[1] == 0, "checksums are good");
    struct flow_stream shared = frames_stream(FLOWS + 3, 4 * FLOWS);
    require(shared.first == 3 && shared.groups == 1, "fewer flows than lcores are shared");
}

static uint16_t from_pool(void *pool, struct rte_mbuf **packets, uint16_t room)
{
    uint16_t count = 0;
    while (count < room && (packets[count] = rte_pktmbuf_alloc(pool)) != NULL)
        count++;
    return count;
}

/* With so many buffers left in the cache of a pool, which has room for `size`. */
static void empty_a_cache(const char *name, uint16_t size, uint16_t left, bool emptied)
{
    enum { BUFFERS = 1023 };
    static struct held_buffers held;
    struct rte_mbuf *packets[BUFFERS];
    struct rte_mempool *pool =
        rte_pktmbuf_pool_create(name, BUFFERS, size, 0, RTE_MBUF_DEFAULT_BUF_SIZE, 0);
    require(pool != NULL, "there is a pool");
    const struct rte_mempool_cache *cache = rte_mempool_default_cache(pool, rte_lcore_id());
    rte_pktmbuf_free_bulk(packets, from_pool(pool, packets, 1)); /* fills the cache */
    while (cache != NULL && cache->len > left)
        require(from_pool(pool, packets, 1) == 1, "it has buffers");
    require(fresh_cache(&held, from_pool, pool, 32) == BUFFERS, "all are counted");
    require(cache == NULL || (cache->len == 0) == emptied, name);
    rte_pktmbuf_free_bulk(held.buffers, held.count);
    held.count = 0;
}

static double share_of(uint16_t buffers)
{
    struct rotation rotation = {0};
    static char memory[1024][RTE_CACHE_LINE_SIZE];
    require(rotation_open(&rotation), "there is memory");
    for (uint32_t i = 0; i < 8192; i++) {
        struct rte_mbuf *packet = (struct rte_mbuf *)memory[i % buffers];
        rotation_see(&rotation, &packet, 1, i >= 4096);
    }
    double share = rotation_share(&rotation);
    rotation_close(&rotation);
    return share;
}

static void follow_buffers(void)
{
    empty_a_cache("small", 32, 20, true);
    empty_a_cache("smaller", 32, 1, true);
    empty_a_cache("empty", 32, 0, true);
    empty_a_cache("large", 256, 20, false);
    empty_a_cache("none", 0, 0, false);
    require(share_of(32) == 0 && share_of(256) == 0, "buffers that were freed just now");
    require(share_of(257) == 1 && share_of(1024) == 1, "buffers that take turns");
}

static bool start(struct rte_mempool *pool, uint16_t queues, uint64_t offloads)
{
    struct rte_eth_conf asked = {.rxmode.offloads = offloads};
    if (offloads != 0) { /* as a program for a NIC asks */
        asked.rxmode.mtu = 9000;
        asked.txmode.offloads = RTE_ETH_TX_OFFLOAD_IPV4_CKSUM | RTE_ETH_TX_OFFLOAD_MULTI_SEGS;
    }
    if (rte_eth_dev_configure(0, queues, queues, &asked) != 0)
        return false;
    for (uint16_t i = 0; i < queues; i++)
        if (rte_eth_rx_queue_setup(0, i, 64, 0, NULL, pool) != 0 ||
            rte_eth_tx_queue_setup(0, i, 64, 0, NULL) != 0)
            return false;
    return true;
}

int main(void)
{
    char *words[] = {"hook_test", "--no-huge", "-m",          "128",    "-l",
                     "0",         "--no-pci",  "--no-shconf", "--vdev", "net_null0"};
    if (rte_eal_init(RTE_DIM(words), words) < 0)
        return 2;
    struct rte_mempool *pool =
        rte_pktmbuf_pool_create("pool", 511, 0, 0, RTE_MBUF_DEFAULT_BUF_SIZE, 0);
    if (pool == NULL || !start(pool, 1, 0))
        return 2;
    expect(false, 0, "before its start");
    expect(false, 1, "though it isn't there");
    if (rte_eth_dev_start(0) != 0)
        return 2;
    expect(true, 0, "after its start");

    watch();
    wait_for_timed_polls();
    follow_buffers();

    /* As it is in the middle of the start: the link is up, the driver's functions not in place. */
    struct rte_eth_fp_ops driver = rte_eth_fp_ops[0];
    rte_eth_fp_ops[0] = rte_eth_fp_ops[1];
    expect(false, 0, "without its driver's functions");
    rte_eth_fp_ops[0] = driver;
    expect(true, 0, "with them");

    if (rte_eth_dev_stop(0) != 0)
        return 2;
    expect(false, 0, "after its stop");

    if (!start(pool, QUEUES, RTE_ETH_RX_OFFLOAD_CHECKSUM) || rte_eth_dev_start(0) != 0)
        return 2;
    expect(false, 0, "with several queues");
    measure_two_queues();
    rte_eal_cleanup();
    return failures != 0;
}
