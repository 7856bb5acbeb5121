// SPDX-License-Identifier: Apache-2.0
//
// The bridge's two stages on crafted bursts, at moments of the test's own choosing.
#include <gtest/gtest.h>
#include <rte_cycles.h>

#include <array>
#include <cstring>
#include <map>
#include <memory>
#include <vector>

extern "C" {
#include "../stages/bridge.h"
}
#include "test_pool.hpp"
#include "test_stages.hpp"

namespace
{

using Address = std::array<uint8_t, 6>;
constexpr Address broadcast = {0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF};

// A station's address; neighbours differ in their last bytes, as those of one vendor do.
Address station(uint32_t number)
{
    return {2,
            0,
            0,
            static_cast<uint8_t>(number >> 16),
            static_cast<uint8_t>(number >> 8),
            static_cast<uint8_t>(number)};
}

struct Sent {
    Address to, from;
    uint16_t bytes = 60;
};

struct Bridge : testing::Test {
    static constexpr uint32_t ageing_s = 80;

    void open(uint32_t entries, uint32_t ports = 4)
    {
        config_defaults(&config);
        config.function = FUNCTION_L2BRIDGE;
        config.bridge_entries = entries;
        config.ageing_s = ageing_s;
        config.rx.count = config.tx.count = ports;
        for (uint32_t i = 0; i < ports; i++)
            config.rx.port[i] = config.tx.port[i] = static_cast<int32_t>(i);
        stages = std::make_unique<TestStages>(config, std::initializer_list{"learn", "forward"});
        table = stages->context<struct bridge>("learn");
        start = rte_rdtsc();
    }

    // Sends frames in by a port; where each of those that continued goes to.
    std::vector<int> send(uint8_t input, const std::vector<Sent> &sent)
    {
        burst->count = burst->received = static_cast<uint16_t>(sent.size());
        burst->input = input;
        burst->now_tsc = start + static_cast<uint64_t>(seconds * static_cast<double>(hz));
        pool.take(burst->packet, burst->count);
        for (size_t i = 0; i < sent.size(); i++) {
            burst->packet[i]->data_len = sent[i].bytes;
            burst->frame[i] = rte_pktmbuf_mtod(burst->packet[i], uint8_t *);
            std::memcpy(burst->frame[i], sent[i].to.data(), 6);
            std::memcpy(burst->frame[i] + 6, sent[i].from.data(), 6);
        }
        stages->run("learn", *burst);
        stages->run("forward", *burst);
        const std::vector<int> out(burst->out, burst->out + burst->count);
        if (burst->count > 0)
            rte_pktmbuf_free_bulk(burst->packet, burst->count);
        return out;
    }
    int send_one(uint8_t input, uint32_t to, uint32_t from)
    {
        const std::vector<int> out = send(input, {{station(to), station(from)}});
        return out.empty() ? -1 : out[0];
    }
    bridge_counters at(uint32_t port) { return bridge_count(table, port); }

    TestPool pool;
    std::unique_ptr<struct burst> burst = burst_of(FUNCTION_L2BRIDGE);
    struct config config {
    };
    std::unique_ptr<TestStages> stages;
    const struct bridge *table = nullptr;
    uint64_t start = 0, hz = rte_get_tsc_hz();
    double seconds = 0;
};

} // namespace

TEST_F(Bridge, LearnsSourcesAndForwardsToThem)
{
    open(64);
    EXPECT_EQ(send_one(0, 2, 1), OUT_ALL);
    EXPECT_EQ(send_one(3, 1, 2), 0);
    EXPECT_EQ(send_one(0, 2, 1), 3);
    EXPECT_EQ(at(0).learned, 1U);
    EXPECT_EQ(at(3).learned, 1U);
    EXPECT_EQ(at(0).unknown, 1U);
    EXPECT_EQ(at(3).unknown, 0U);
    EXPECT_EQ(table->stations, 2U);
}

TEST_F(Bridge, WithinOneBurstSourcesAreLearnedFirst)
{
    open(64);
    EXPECT_EQ(send(1, {{station(9), station(1)}, {station(8), station(9)}}),
              (std::vector<int>{OUT_ALL})); // station 9 is at this port: the first one is filtered
    EXPECT_EQ(burst->drop_count[DROP_FILTERED], 1U);
}

TEST_F(Bridge, WhatWouldGoBackIsFiltered)
{
    open(64);
    send_one(2, 9, 1);
    EXPECT_EQ(send_one(2, 1, 3), -1);
    EXPECT_EQ(burst->drop_count[DROP_FILTERED], 1U);
    EXPECT_EQ(send_one(1, 1, 4), 2);
}

TEST_F(Bridge, GroupsFlood)
{
    open(64);
    const Address multicast = {1, 0, 0x5E, 1, 2, 3}, beyond = {1, 0x80, 0xC2, 0, 0, 0x10};
    EXPECT_EQ(send(0, {{broadcast, station(1)}, {multicast, station(1)}, {beyond, station(1)}}),
              (std::vector<int>{OUT_ALL, OUT_ALL, OUT_ALL}));
    EXPECT_EQ(at(0).group, 3U);
    EXPECT_EQ(at(0).unknown, 0U);
    for (uint8_t last = 0; last < 16; last++) // spanning tree, pause, LLDP and their like
        EXPECT_TRUE(send(0, {{{1, 0x80, 0xC2, 0, 0, last}, station(1)}}).empty());
    EXPECT_EQ(burst->drop_count[DROP_FILTERED], 16U);
}

TEST_F(Bridge, ASourceThatIsNoStationDrops)
{
    open(64);
    const Address group = {3, 1, 2, 3, 4, 5}, none{};
    EXPECT_EQ(send(0, {{station(2), group},
                       {station(2), none},
                       {station(2), broadcast},
                       {station(2), station(1)}}),
              (std::vector<int>{OUT_ALL}));
    EXPECT_EQ(burst->drop_count[DROP_HEADER], 3U);
    EXPECT_EQ(table->stations, 1U);
    EXPECT_EQ(send(0, {{none, station(1)}}), (std::vector<int>{OUT_ALL}));
}

TEST_F(Bridge, RuntsDrop)
{
    open(64);
    EXPECT_EQ(send(0, {{station(2), station(1), 13}, {station(2), station(3), 14}}),
              (std::vector<int>{OUT_ALL}));
    EXPECT_EQ(burst->drop_count[DROP_HEADER], 1U);
    EXPECT_EQ(table->stations, 1U);
}

TEST_F(Bridge, AStationMoves)
{
    open(64);
    send_one(0, 9, 1);
    EXPECT_EQ(send_one(3, 1, 2), 0);
    send_one(2, 9, 1);
    EXPECT_EQ(send_one(3, 1, 2), 2);
    EXPECT_EQ(at(2).moved, 1U);
    EXPECT_EQ(at(0).learned + at(2).learned, 1U);
    EXPECT_EQ(table->stations, 2U);
}

TEST_F(Bridge, SilentStationsAgeAndOthersStay)
{
    open(64);
    send_one(0, 9, 1);
    send_one(0, 9, 2);
    for (seconds = 1; seconds < 200; seconds++) {
        send_one(0, 9, 2); // keeps talking
        const int out = send_one(3, 1, 4);
        if (seconds < ageing_s) {
            EXPECT_EQ(out, 0) << seconds;
        } else if (seconds > ageing_s * 9.0 / 8 + 1) {
            EXPECT_EQ(out, OUT_ALL) << seconds;
        }
        EXPECT_EQ(send_one(3, 2, 4), 0) << seconds;
    }
    EXPECT_EQ(at(0).aged, 1U);
    EXPECT_EQ(table->stations, 2U);
}

// No burst, no sweep: what nobody removed must still not be believed, however long it was.
TEST_F(Bridge, ASilenceAgesAllOfThem)
{
    for (const double silence : {ageing_s * 1.2, 3600.0, 86400.0, 20480.0, 20490.0, 40960.0}) {
        open(4096);
        seconds = 0;
        for (uint32_t i = 1; i <= 100; i++)
            send_one(0, 200, i);
        seconds = silence;
        for (uint32_t i = 1; i <= 100; i++) {
            EXPECT_EQ(send_one(3, i, 201), OUT_ALL) << silence;
            seconds += 0.001;
        }
        for (int i = 0; i < 1000; i++, seconds += 0.1)
            send_one(3, 200, 201); // time for a sweep
        EXPECT_EQ(table->stations, 1U) << silence;
        EXPECT_EQ(at(0).aged, 100U) << silence;
        stages.reset();
    }
}

// Bursts so rare that no sweep comes round while the stamps do, several times.
TEST_F(Bridge, AStampThatCameRoundIsNotNew)
{
    open(1 << 16); // 16,384 buckets: 256 steps a sweep
    send_one(0, 9, 1);
    for (int i = 0; i < 3000; i++) {
        seconds += 100;
        const int out = send_one(3, 1, 2);
        ASSERT_EQ(out, OUT_ALL) << i;
    }
}

TEST_F(Bridge, AFullTableFloodsAndCounts)
{
    open(100);
    for (uint32_t i = 0; i < 150; i++)
        send_one(0, 9999, i);
    EXPECT_EQ(table->stations, 100U);
    EXPECT_EQ(at(0).learned, 100U);
    EXPECT_EQ(at(0).full, 50U);
    EXPECT_EQ(send_one(1, 99, 0), 0);
    EXPECT_EQ(send_one(1, 100, 0), OUT_ALL);
    EXPECT_EQ(at(1).moved, 1U); // a full table still learns where its own are
    seconds = ageing_s * 1.3;
    EXPECT_EQ(send_one(1, 99, 500), OUT_ALL);
    for (int i = 0; i < 100; i++, seconds += 0.2)
        send_one(1, 99, 500);
    EXPECT_EQ(table->stations, 1U);
}

// Both buckets of an address full: found by search, as whoever wants to flood a bridge would.
TEST_F(Bridge, AddressesOfOneBucketFindNoRoom)
{
    open(1024); // 256 buckets
    std::map<const bucket *, std::vector<uint32_t>> by_bucket;
    for (uint32_t i = 0; i < 60'000; i++) {
        uint64_t address = 0;
        const Address bytes = station(i);
        std::memcpy(&address, bytes.data(), 6);
        by_bucket[bridge_bucket(table, address)].push_back(i);
    }
    const auto &crowd = by_bucket.begin()->second;
    ASSERT_GT(crowd.size(), 100U);
    std::vector<uint32_t> known;
    for (const uint32_t i : crowd) {
        const uint64_t before = at(0).learned;
        send_one(0, 99999, i);
        if (at(0).learned > before)
            known.push_back(i);
    }
    EXPECT_GT(known.size(), 8U); // the second bucket
    EXPECT_EQ(known.size() + at(0).full, crowd.size());
    for (const uint32_t i : known)
        EXPECT_EQ(send_one(1, i, 99998), 0);
    const uint64_t learned = at(0).learned;
    for (const uint32_t i : known)
        send_one(0, 99999, i);
    EXPECT_EQ(at(0).learned, learned);
}

// Every station of the profile has its place, at any size: the hash is linear, so addresses that
// count up could meet in half of the buckets.
TEST(BridgeTable, AsManyStationsAsItSays)
{
    for (const uint32_t flows : {3125U, 65536U, 1U << 19}) {
        struct config config;
        config_defaults(&config);
        config.function = FUNCTION_L2BRIDGE;
        config.rx.count = config.tx.count = 2;
        config.rx.port[1] = config.tx.port[1] = PORT_INTERNAL;
        config.active_flows = flows;
        config.bridge_entries = 2 * flows;
        TestStages stages(config, {"learn"});
        const auto *table = stages.context<struct bridge>("learn");
        EXPECT_EQ(table->stations, 2 * flows);
        for (uint32_t port = 0; port < 2; port++) {
            EXPECT_EQ(bridge_count(table, port).learned, flows);
            EXPECT_EQ(bridge_count(table, port).full, 0U);
        }
    }
}
