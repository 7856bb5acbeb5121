// SPDX-License-Identifier: Apache-2.0
//
// A destination without a route: the shipped routes leave none, so one is removed here.
#include <gtest/gtest.h>
#include <rte_lpm.h>

#include <array>
#include <cstring>
#include <memory>

extern "C" {
#include "../stages/upstream.h"
}
#include "test_pool.hpp"
#include "test_stages.hpp"

TEST(Route, AMissDropsAndItsNeighboursGoOn)
{
    TestPool test;
    struct config config;
    config_defaults(&config);
    config.routes = 16;
    TestStages stages(config, {"route"});
    ASSERT_EQ(rte_lpm_delete(rte_lpm_find_existing("routes_0"), 0x30000000, 4), 0);
    auto burst = burst_of(FUNCTION_VPE_UPSTREAM);
    burst->count = burst->received = 48;
    test.take(burst->packet, burst->count);
    for (uint32_t i = 0; i < burst->count; i++) {
        burst->frame[i] = rte_pktmbuf_mtod(burst->packet[i], uint8_t *);
        std::memset(burst->frame[i], 0, 60);
        burst->frame[i][30] = i == 5 ? 1 : 64;              // TTL
        burst->frame[i][38] = static_cast<uint8_t>(i << 4); // destination
        burst->packet[i]->hash.rss = i;
    }
    stages.run("route", *burst);
    EXPECT_EQ(burst->drop_count[DROP_ROUTE_MISS], 3);
    EXPECT_EQ(burst->drop_count[DROP_TTL], 1);
    ASSERT_EQ(burst->count, 44);
    for (uint32_t i = 0; i < burst->count; i++) {
        const uint32_t route = burst->packet[i]->hash.rss & 15;
        EXPECT_NE(route, 3);
        EXPECT_EQ(burst->frame[i][30], 63);
        EXPECT_EQ(burst->frame[i][5], route);
        EXPECT_EQ(burst->frame[i][14] << 12 | burst->frame[i][15] << 4 | burst->frame[i][16] >> 4,
                  16 + route);
    }
    rte_pktmbuf_free_bulk(burst->packet, burst->count);
}
