// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <algorithm>
#include <memory>
#include <random>
#include <vector>

#include "test_pool.hpp"
#include "test_stages.hpp"

// Frames of any length from 0, whole bursts and odd ones: twelve bytes change places, no other.
TEST(Macswap, SwapsTheAddressesAndNothingElse)
{
    TestPool pool;
    std::mt19937 random(1);
    struct config config;
    config_defaults(&config);
    config.function = FUNCTION_MACSWAP;
    TestStages stages(config, {"macswap"});
    auto burst = burst_of(FUNCTION_MACSWAP);
    for (const uint16_t shortest : {60, 16, 14, 0}) {
        for (const uint16_t count : {1, 2, 3, 4, 5, 31, 32, 33, 255, 256}) {
            burst->count = count;
            pool.take(burst->packet, count);
            std::vector<std::vector<uint8_t>> expected;
            uint64_t runts = burst->drop_count[DROP_HEADER];
            for (uint16_t i = 0; i < count; i++) {
                std::vector<uint8_t> frame(shortest + random() % 20);
                std::generate(frame.begin(), frame.end(),
                              [&] { return static_cast<uint8_t>(random()); });
                burst->packet[i]->data_len = static_cast<uint16_t>(frame.size());
                burst->frame[i] = rte_pktmbuf_mtod(burst->packet[i], uint8_t *);
                std::copy(frame.begin(), frame.end(), burst->frame[i]);
                if (frame.size() < 14) {
                    runts++;
                    continue;
                }
                std::swap_ranges(frame.begin(), frame.begin() + 6, frame.begin() + 6);
                expected.push_back(frame);
            }
            stages.run("macswap", *burst);
            ASSERT_EQ(burst->count, expected.size());
            EXPECT_EQ(burst->drop_count[DROP_HEADER], runts);
            for (uint16_t i = 0; i < burst->count; i++)
                EXPECT_EQ(std::vector<uint8_t>(burst->frame[i],
                                               burst->frame[i] + burst->packet[i]->data_len),
                          expected[i]);
            if (burst->count > 0)
                rte_pktmbuf_free_bulk(burst->packet, burst->count);
        }
    }
}
