// SPDX-License-Identifier: Apache-2.0
//
// What packets from a port seldom are: without headroom, in shared or small pools; and a scheduler
// that holds packets.
#include <gtest/gtest.h>
#include <rte_cycles.h>

#include <array>
#include <cstring>
#include <map>
#include <memory>

extern "C" {
#include "../stages/tm.h"
}
#include "inline_functions.h"
#include "test_pool.hpp"
#include "test_stages.hpp"

namespace
{

struct Stages : TestStages {
    explicit Stages(const struct config &config) : TestStages(config, {"downroute", "qinq", "tm"})
    {
    }
};

struct config small()
{
    struct config config;
    config_defaults(&config);
    config.function = FUNCTION_VPE_DOWNSTREAM;
    config.routes = 16;
    config.flows = 64;
    config.lcores.count = 1;
    return config;
}

// Plain IPv4 with no checksum: the in-process source's packets aren't checked.
void fill(burst &burst, uint16_t count, const TestPool &pool, uint32_t source)
{
    burst.count = burst.received = count;
    pool.take(burst.packet, count);
    for (uint32_t i = 0; i < count; i++) {
        auto *frame = reinterpret_cast<uint8_t *>(rte_pktmbuf_append(burst.packet[i], 60));
        std::memset(frame, 0, 60);
        frame[22] = 64;
        frame[26] = static_cast<uint8_t>(source >> 24);
        frame[27] = static_cast<uint8_t>(source >> 16);
        frame[29] = static_cast<uint8_t>(source);
        frame[30] = static_cast<uint8_t>(i << 4);
        frame[59] = static_cast<uint8_t>(i);
        burst.frame[i] = frame;
    }
}

uint32_t route_in(const uint8_t *frame)
{
    return (frame[18] << 8U | frame[19]) - 1U;
}

} // namespace

TEST(Downstream, APacketWithoutHeadroomIsCopied)
{
    TestPool test;
    Stages stages(small());
    auto burst = burst_of(FUNCTION_VPE_DOWNSTREAM);
    fill(*burst, 32, test, 0x10000000);
    for (uint32_t i = 0; i < burst->count; i += 3) { // as if the port had left 0, 3, 6 … bytes
        rte_mbuf *packet = burst->packet[i];
        auto *to = static_cast<uint8_t *>(packet->buf_addr) + i;
        std::memmove(to, burst->frame[i], 60);
        packet->data_off = static_cast<uint16_t>(i);
        burst->frame[i] = to;
    }
    stages.run("downroute", *burst);
    stages.run("qinq", *burst);
    ASSERT_EQ(burst->count, 32);
    for (uint32_t i = 0; i < burst->count; i++) {
        EXPECT_EQ(burst->frame[i], rte_pktmbuf_mtod(burst->packet[i], uint8_t *));
        EXPECT_EQ(burst->packet[i]->data_len, 68);
        EXPECT_EQ(burst->packet[i]->pkt_len, 68U);
        EXPECT_EQ(burst->frame[i][67], i);
        EXPECT_EQ(route_in(burst->frame[i]), i & 15);
        EXPECT_EQ(burst->frame[i][30], 63);
    }
    rte_pktmbuf_free_bulk(burst->packet, burst->count);
}

TEST(Downstream, WithNoBufferForACopyItDrops)
{
    TestPool test;
    Stages stages(small());
    auto burst = burst_of(FUNCTION_VPE_DOWNSTREAM);
    fill(*burst, 4, test, 0x10000000);
    std::array<rte_mbuf *, TestPool::buffers> all{};
    test.take(all.data(), TestPool::buffers - 4);
    burst->packet[2]->data_off = 0;
    burst->frame[2] = rte_pktmbuf_mtod(burst->packet[2], uint8_t *);
    std::memset(burst->frame[2], 0, 60);
    burst->frame[2][22] = 64;
    stages.run("downroute", *burst);
    stages.run("qinq", *burst);
    ASSERT_EQ(burst->count, 3);
    EXPECT_EQ(burst->drop_count[DROP_TX], 1);
    EXPECT_EQ(burst->frame[2][67], 3);
    rte_pktmbuf_free_bulk(burst->packet, burst->count);
    rte_pktmbuf_free_bulk(all.data(), TestPool::buffers - 4);
}

// Whatever the rates let out, each packet is out, dropped or held; and closing gives all back.
TEST(Downstream, TheSchedulersBalanceHoldsAlways)
{
    TestPool test;
    struct config config = small();
    config.tm_pipe_rate = 40000; // a class's 1,600 bytes in 40 ms: 17 packets
    Stages stages(config);
    auto burst = burst_of(FUNCTION_VPE_DOWNSTREAM);
    uint64_t in = 0, out = 0;
    for (int round = 0; round < 2000; round++) {
        const auto count = static_cast<uint16_t>(round * 7 % 33);
        fill(*burst, count, test, 0x10000000 + static_cast<uint32_t>(round % 3));
        in += count;
        stages.run("downroute", *burst);
        stages.run("qinq", *burst);
        stages.run("tm", *burst);
        out += burst->count;
        for (uint16_t i = 0; i < burst->count; i++)
            EXPECT_EQ(burst->frame[i], rte_pktmbuf_mtod(burst->packet[i], uint8_t *));
        rte_pktmbuf_free_bulk(burst->packet, burst->count);
        ASSERT_EQ(in, out + burst->drop_count[DROP_TM] + stages.held("tm"));
        ASSERT_EQ(rte_mempool_in_use_count(test.pool), stages.held("tm"));
    }
    EXPECT_GT(burst->drop_count[DROP_TM], 0U); // three queues of 64 can't hold them all
    EXPECT_GT(stages.held("tm"), 0U);
    EXPECT_LE(stages.held("tm"), 3U * TM_QUEUE_PACKETS);
    // A few periods later some of each have gone. (Of a queue that is exactly full, rte_sched 22.11
    // forgets the packets when it is freed.)
    const uint64_t end = rte_get_tsc_cycles() + 10 * rte_get_tsc_hz();
    while (stages.held("tm") >= 3U * TM_QUEUE_PACKETS - 30U && rte_get_tsc_cycles() < end) {
        burst->count = 0;
        stages.flush("tm", *burst);
        out += burst->count;
        rte_pktmbuf_free_bulk(burst->packet, burst->count);
    }
    EXPECT_EQ(in, out + burst->drop_count[DROP_TM] + stages.held("tm"));
    EXPECT_LT(stages.held("tm"), 3U * TM_QUEUE_PACKETS - 30U);
    EXPECT_GT(stages.held("tm"), 0U);
}

TEST(Downstream, FlushingEmptiesTheScheduler)
{
    TestPool test;
    struct config config = small();
    config.tm_pipe_rate = config.tm_rate;
    Stages stages(config);
    auto burst = burst_of(FUNCTION_VPE_DOWNSTREAM);
    fill(*burst, 60, test, 0x10000000);
    stages.run("downroute", *burst);
    stages.run("tm", *burst);
    uint32_t out = burst->count;
    rte_pktmbuf_free_bulk(burst->packet, burst->count);
    for (int round = 0; round < 100000 && stages.held("tm") > 0; round++) {
        burst->count = 0;
        burst->input = 9; // it says itself whose packets they are
        stages.flush("tm", *burst);
        if (burst->count > 0) {
            EXPECT_EQ(burst->input, 0);
        }
        out += burst->count;
        rte_pktmbuf_free_bulk(burst->packet, burst->count);
    }
    EXPECT_EQ(out, 60U);
    EXPECT_EQ(stages.held("tm"), 0U);
}

// Every prefix of a split knows its own addresses.
TEST(Partition, AnAddressFindsItsPrefix)
{
    for (const uint32_t count : {2U, 3U, 5U, 16U, 17U, 1000U, 4096U, 65535U, 65536U}) {
        for (uint32_t index = 0; index < count; index += 1 + count / 300) {
            const test_prefix prefix = test_partition(count, index);
            const auto last =
                static_cast<uint32_t>(prefix.address + ((1ULL << (32 - prefix.depth)) - 1));
            EXPECT_EQ(test_partition_index(count, prefix.address), index) << count;
            EXPECT_EQ(test_partition_index(count, last), index) << count;
        }
    }
}
