// SPDX-License-Identifier: Apache-2.0
//
// What is fast in ip4 against what is slow and plain: eight headers at once against one by one,
// tables against a walk through all routes.
#include <gtest/gtest.h>

#include <array>
#include <cstring>
#include <map>
#include <memory>
#include <random>
#include <set>
#include <utility>
#include <vector>

extern "C" {
#include "../ip4_routes.h"
#include "../stages/ip4.h"
#include "../stages/ip4_rewrite.h"
}
#include "test_pool.hpp"
#include "test_stages.hpp"

namespace
{

using Frame = std::vector<uint8_t>;
using Routes = std::unique_ptr<prefix[], decltype(&std::free)>;
constexpr int frame_bytes = 60;

struct config config_of(uint32_t routes, uint32_t depth, uint32_t flows, uint32_t step)
{
    struct config config;
    config_defaults(&config);
    config.function = FUNCTION_IP4;
    config.routes = routes;
    config.route_depth = depth;
    config.flows = flows;
    config.destination_step = step;
    config.next_hops = 1000;
    return config;
}

uint32_t mask_of(unsigned depth)
{
    return static_cast<uint32_t>(UINT64_MAX << (32 - depth));
}

void put_checksum(uint8_t *header)
{
    header[10] = header[11] = 0;
    uint32_t sum = 0;
    for (int i = 0; i < 20; i += 2)
        sum += header[i] << 8 | header[i + 1];
    while (sum >> 16 != 0)
        sum = (sum & 0xFFFF) + (sum >> 16);
    header[10] = static_cast<uint8_t>(~sum >> 8);
    header[11] = static_cast<uint8_t>(~sum);
}

// Right, but for one thing in a few.
Frame make_frame(std::mt19937 &random)
{
    Frame frame(frame_bytes, 0);
    const std::array<uint8_t, 24> start = {2, 0, 0,    0, 0, 1,  2, 0, 0, 0, 0,  2,
                                           8, 0, 0x45, 0, 0, 46, 0, 0, 0, 0, 64, 17};
    std::copy(start.begin(), start.end(), frame.begin());
    for (int i = 26; i < 34; i++)
        frame[i] = static_cast<uint8_t>(random());
    frame[26] = static_cast<uint8_t>(1 + random() % 126);
    frame[30] = static_cast<uint8_t>(128 + random() % 96);
    if (random() % 64 == 0)
        frame[random() % 34] = static_cast<uint8_t>(random());
    if (random() % 64 == 0)
        frame[random() % 2 == 0 ? 26 : 30] =
            std::array<uint8_t, 6>{0, 1, 126, 127, 223, 224}[random() % 6];
    if (random() % 64 == 0)
        frame[14] = static_cast<uint8_t>(0x46 + random() % 6); // options, and still inside
    put_checksum(&frame[14]);
    if (random() % 64 == 0)
        frame[14 + random() % 20] ^= static_cast<uint8_t>(1U << random() % 8);
    if (random() % 64 == 0)
        frame.resize(1 + random() % 40);
    return frame;
}

} // namespace

TEST(Ip4, EightAtOnceAgreeWithOneByOne)
{
    TestPool test;
    std::mt19937 random(1);
    std::map<int, int> met;
    TestStages stages(config_of(2, 8, 1, 0), {"check"});
    auto burst = burst_of(FUNCTION_IP4);
    const struct ip4_columns *columns = ip4_columns(burst.get());
    for (int round = 0; round < 5000; round++) {
        burst->count = burst->received = static_cast<uint16_t>(1 + random() % 70);
        test.take(burst->packet, burst->count);
        std::vector<rte_mbuf *> good;
        std::array<uint64_t, DROP_CAUSES> expected{};
        std::copy(std::begin(burst->drop_count), std::end(burst->drop_count), expected.begin());
        for (uint32_t i = 0; i < burst->count; i++) {
            const Frame frame = make_frame(random);
            rte_mbuf *mbuf = burst->packet[i];
            burst->frame[i] = rte_pktmbuf_mtod(mbuf, uint8_t *);
            std::memcpy(burst->frame[i], frame.data(), frame.size());
            mbuf->data_len = static_cast<uint16_t>(frame.size());
            mbuf->pkt_len = mbuf->data_len;
            mbuf->vlan_tci = 0xFFFF; // next to the lengths, and none of them
            const int verdict = ip4_verdict(mbuf, burst->frame[i]);
            expected[verdict]++;
            met[verdict]++;
            if (verdict == DROP_NONE)
                good.push_back(mbuf);
        }
        expected[DROP_NONE] = burst->drop_count[DROP_NONE];
        stages.run("check", *burst);
        ASSERT_EQ(burst->count, good.size());
        for (uint32_t i = 0; i < burst->count; i++) {
            ASSERT_EQ(burst->packet[i], good[i]);
            const uint8_t *header = burst->frame[i] + 14;
            EXPECT_EQ(columns->destination[i], static_cast<uint32_t>(header[16]) << 24 |
                                                   header[17] << 16 | header[18] << 8 | header[19]);
            EXPECT_EQ(std::memcmp(&columns->hop_word[i], header + 8, 4), 0);
        }
        for (int cause = 0; cause < DROP_CAUSES; cause++)
            ASSERT_EQ(burst->drop_count[cause], expected[cause]) << drop_cause_name[cause];
        rte_pktmbuf_free_bulk(burst->packet, burst->count);
    }
    for (const int cause : {DROP_NONE, DROP_HEADER, DROP_OPTIONS, DROP_CHECKSUM, DROP_MARTIAN})
        EXPECT_GT(met[cause], 100) << drop_cause_name[cause];
}

TEST(Ip4, TablesAgreeWithAWalkThroughAllRoutes)
{
    TestPool test;
    std::mt19937 random(2);
    auto burst = burst_of(FUNCTION_IP4);
    struct ip4_columns *columns = ip4_columns(burst.get());
    for (int table = 0; table < 24; table++) {
        const std::array<uint32_t, 6> depths = {DEPTH_MIXED, DEPTH_MIXED, 9, 24, 25, 32};
        struct config config =
            config_of(2 + random() % 500, depths[table % 6], 1 + random() % 1000, random());
        config.route_lookup = table % 12 < 6 ? ROUTE_LOOKUP_LPM : ROUTE_LOOKUP_FIB;
        TestStages stages(config, {"next_hop"});
        const Routes routes(ip4_routes(&config), std::free);
        for (int round = 0; round < 50; round++) {
            burst->count = burst->received = static_cast<uint16_t>(1 + random() % 256);
            test.take(burst->packet, burst->count);
            std::map<const rte_mbuf *, std::pair<uint32_t, uint32_t>> expected;
            for (uint32_t i = 0; i < burst->count; i++) {
                const prefix near = routes[random() % config.routes];
                columns->destination[i] =
                    random() % 4 == 0 ? random() : near.address + random() % 5 - 2;
                unsigned longest = 0;
                uint32_t hop = IP4_NO_ROUTE;
                for (uint32_t r = 0; r < config.routes; r++) {
                    const bool matches =
                        (columns->destination[i] & mask_of(routes[r].depth)) == routes[r].address;
                    if (matches && routes[r].depth > longest) {
                        longest = routes[r].depth;
                        hop = r % config.next_hops;
                    }
                }
                if (hop != IP4_NO_ROUTE)
                    expected[burst->packet[i]] = {columns->destination[i], hop};
            }
            const uint64_t before = burst->drop_count[DROP_ROUTE_MISS];
            stages.run("next_hop", *burst);
            ASSERT_EQ(burst->count, expected.size());
            EXPECT_EQ(burst->drop_count[DROP_ROUTE_MISS] - before, burst->received - burst->count);
            for (uint32_t i = 0; i < burst->count; i++) {
                const auto [destination, hop] = expected.at(burst->packet[i]);
                EXPECT_EQ(columns->destination[i], destination);
                EXPECT_EQ(columns->next_hop[i], hop) << std::hex << destination;
            }
            if (burst->count > 0)
                rte_pktmbuf_free_bulk(burst->packet, burst->count);
        }
    }
}

TEST(Ip4, EveryRouteIsAnotherOne)
{
    struct Case {
        uint32_t routes, depth, flows, step;
    };
    for (const Case &c : {Case{2, 0, 1, 0}, Case{3, 0, 1, 0}, Case{512, 0, 64, 0x4001},
                          Case{65536, 0, 62500, 0x4001}, Case{4096, 0, 65536, 0x40000},
                          Case{256, 8, 65536, 0x40000}, Case{65536, 32, 65536, 1},
                          Case{1000, 24, 1, 0}, Case{4096, 0, 1, 0}}) {
        const struct config config = config_of(c.routes, c.depth, c.flows, c.step);
        const Routes routes(ip4_routes(&config), std::free);
        ASSERT_NE(routes, nullptr);
        std::set<std::pair<uint32_t, unsigned>> seen;
        std::set<uint32_t> groups;
        std::set<unsigned> depths;
        for (uint32_t i = 0; i < c.routes; i++) {
            const prefix route = routes[i];
            EXPECT_EQ(route.address & ~mask_of(route.depth), 0U);
            EXPECT_TRUE(seen.emplace(route.address, route.depth).second);
            depths.insert(route.depth);
            if (route.depth > 24)
                groups.insert(route.address >> 8);
        }
        EXPECT_EQ(ip4_groups(routes.get(), c.routes), groups.size());
        if (c.depth != DEPTH_MIXED) {
            EXPECT_EQ(depths, std::set<unsigned>{c.depth});
        } else if (c.routes >= 512) {
            EXPECT_EQ(depths.size(), 25U);
        }
    }
}

TEST(Ip4, PacketsAreCountedByNextHop)
{
    TestPool test;
    struct config config = config_of(64, 8, 64, 1U << 24);
    config.next_hops = 3;
    TestStages stages(config, {"rewrite"});
    auto burst = burst_of(FUNCTION_IP4);
    struct ip4_columns *columns = ip4_columns(burst.get());
    burst->count = burst->received = 10;
    test.take(burst->packet, burst->count);
    for (uint32_t i = 0; i < burst->count; i++) {
        burst->frame[i] = rte_pktmbuf_mtod(burst->packet[i], uint8_t *);
        burst->packet[i]->pkt_len = 100 + i;
        columns->next_hop[i] = i % 3;
        columns->hop_word[i] = i == 4 ? 1 : 64; // the second packet of next hop 1 ends here
    }
    stages.run("rewrite", *burst);
    EXPECT_EQ(burst->count, 9);
    EXPECT_EQ(burst->drop_count[DROP_TTL], 1);
    const ip4_count *count = stages.context<ip4_rewrite>("rewrite")->count;
    EXPECT_EQ(count[0].packets, 4U);
    EXPECT_EQ(count[0].bytes, 100U + 103 + 106 + 109);
    EXPECT_EQ(count[1].packets, 2U);
    EXPECT_EQ(count[1].bytes, 101U + 107);
    EXPECT_EQ(count[2].packets, 3U);
    rte_pktmbuf_free_bulk(burst->packet, burst->count);
}
