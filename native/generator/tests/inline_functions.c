/* SPDX-License-Identifier: Apache-2.0 */
#include "inline_functions.h"

#include <rte_bus_vdev.h>
#include <rte_ethdev.h>
#include <rte_mempool.h>
#include <stdlib.h>

#include "payload.h"
#include "receiver.h"

static bool make_in(struct stream *stream, struct rte_mempool *pool, uint32_t count, uint64_t tsc,
                    test_look *look, void *opaque)
{
    static struct batch batch;
    for (uint32_t done = 0; done < count;) {
        uint32_t now = count - done < BATCH_MAX ? count - done : BATCH_MAX;
        if (rte_mempool_get_bulk(pool, (void **)batch.mbuf, now) != 0)
            return false;
        stream_make(stream, &batch, 0, now);
        batch.first = 0;
        batch.count = now;
        batch_stamp(&batch, tsc);
        batch.alone = !batch.alone; /* packets are the same either way */
        const struct shape *shape = batch.shape;
        for (uint32_t i = 0; i < now; i++) {
            struct rte_mbuf *mbuf = batch.mbuf[i];
            const uint8_t *bytes = rte_pktmbuf_mtod(mbuf, const uint8_t *);
            bool alike = shape != NULL;
            const struct test_frame frame = {bytes,
                                             rte_pktmbuf_pkt_len(mbuf),
                                             alike ? shape->payload_offset
                                                   : (uint32_t)(batch.payload[i] - bytes),
                                             alike ? shape->stream : batch.stream[i],
                                             alike ? batch.first_sequence + i : batch.sequence[i],
                                             tsc};
            look(opaque, &frame);
            rte_pktmbuf_free(mbuf);
        }
        done += now;
    }
    return true;
}

static void fill(struct rte_mempool *pool, void *opaque, void *object, unsigned index)
{
    (void)pool;
    (void)opaque;
    (void)index;
    payload_fill((uint8_t *)object + MBUF_TO_FRAME, 0, 9088);
}

bool test_make(const struct stream_config *config, uint32_t number, uint32_t count, uint64_t tsc,
               test_look *look, void *opaque)
{
    static struct stream stream;
    char error[256];
    const struct stream_clock clock = {
        .start = 0, .end = UINT64_MAX, .tsc_hz = 1000000000, .link_gbps = 10};
    struct rte_mempool *pool =
        rte_pktmbuf_pool_create("made", 2 * BATCH_MAX - 1, 0, 0, 9216, SOCKET_ID_ANY);
    if (pool == NULL)
        return false;
    rte_mempool_obj_iter(pool, fill, NULL);
    bool fine = stream_open(&stream, config, number, error, sizeof error);
    if (fine) {
        stream_begin(&stream, &clock);
        fine =
            make_in(&stream, pool, count, tsc, look, opaque) && rte_mempool_in_use_count(pool) == 0;
        stream_close(&stream);
    }
    rte_mempool_free(pool);
    return fine;
}

struct test_sighting test_look_at(const uint8_t *bytes, uint32_t length, uint32_t streams)
{
    const struct receiver receiver = {.stream_count = streams, .payload_check = true};
    struct sighting seen = receiver_look(&receiver, bytes, length, length);
    return (struct test_sighting){(int)seen.verdict, seen.stream, seen.sequence, seen.time,
                                  seen.full};
}

struct test_receiver {
    struct receiver receiver;
    struct stream stream;
};

struct test_receiver *test_receiver_open(const struct stream_config *config, uint64_t start,
                                         uint64_t tsc_hz)
{
    struct test_receiver *test = calloc(1, sizeof *test);
    char error[256];
    const struct stream_clock clock = {
        .start = start, .end = UINT64_MAX, .tsc_hz = tsc_hz, .link_gbps = 10};
    if (test == NULL || !stream_open(&test->stream, config, 0, error, sizeof error))
        abort();
    stream_begin(&test->stream, &clock);
    test->receiver.stream = &test->stream;
    test->receiver.stream_count = 1;
    test->receiver.payload_check = true;
    receiver_begin(&test->receiver, start, tsc_hz);
    return test;
}

void test_receiver_count(struct test_receiver *test, const uint8_t *bytes, uint32_t length,
                         uint64_t now)
{
    struct sighting seen = receiver_look(&test->receiver, bytes, length, length);
    receiver_count(&test->receiver, &seen, length, now);
}

struct test_counts test_receiver_close(struct test_receiver *test)
{
    const struct stream_rx *rx = test->stream.rx;
    const struct test_counts counts = {rx->packets,         rx->corrupt,
                                       rx->stale,           test->receiver.foreign,
                                       rx->sequence.unique, rx->latency.max};
    stream_close(&test->stream);
    free(test);
    return counts;
}

/* Aborts when it can't be had. */
static uint16_t open_silent_port(struct rte_mempool *pool)
{
    const struct rte_eth_conf conf = {0};
    uint16_t port = 0;
    bool fine = pool != NULL && rte_vdev_init("net_null_silent", "no-rx=1") == 0 &&
                rte_eth_dev_get_port_by_name("net_null_silent", &port) == 0 &&
                rte_eth_dev_configure(port, 2, 1, &conf) == 0 &&
                rte_eth_tx_queue_setup(port, 0, 64, SOCKET_ID_ANY, NULL) == 0;
    for (uint16_t queue = 0; queue < 2 && fine; queue++)
        fine = rte_eth_rx_queue_setup(port, queue, 64, SOCKET_ID_ANY, NULL, pool) == 0;
    if (!fine || rte_eth_dev_start(port) != 0)
        abort();
    return port;
}

bool test_receiver_idle(const uint64_t *turns, uint32_t count, uint64_t since, uint64_t cycles)
{
    struct rte_mempool *pool =
        rte_pktmbuf_pool_create("silent", 63, 0, 0, RTE_MBUF_DEFAULT_BUF_SIZE, SOCKET_ID_ANY);
    struct port port = {.number = open_silent_port(pool)};
    struct receiver receiver = {.port = &port, .queues = 2, .burst = 32};
    receiver_begin(&receiver, 0, 1000000000);
    for (uint32_t i = 0; i < count; i++)
        receiver_turn(&receiver, turns[i]);
    rte_eth_dev_stop(port.number);
    rte_eth_dev_close(port.number);
    rte_vdev_uninit("net_null_silent");
    rte_mempool_free(pool);
    return receiver_idle_for(&receiver, since, cycles);
}

void test_sequence_see(struct sequence *sequence, uint64_t number)
{
    sequence_see(sequence, number);
}

void test_sequence_see_run(struct sequence *sequence, uint64_t first, uint32_t count)
{
    sequence_see_run(sequence, first, count);
}

uint64_t test_sequence_whole(const struct sequence *sequence, uint32_t lower)
{
    return sequence_whole(sequence, lower);
}

uint32_t test_pattern(const uint32_t *weights, uint32_t count, uint8_t *pattern)
{
    struct sizes sizes = {.count = count};
    for (uint32_t i = 0; i < count; i++)
        sizes.weight[i] = weights[i];
    return stream_pattern(&sizes, pattern);
}
