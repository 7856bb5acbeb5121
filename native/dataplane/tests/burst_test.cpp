// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <array>
#include <memory>
#include <random>
#include <vector>

extern "C" {
#include "../stages/upstream.h"
}
#include "test_pool.hpp"
#include "test_stages.hpp"

namespace
{

// Every column of packet i holds something that shows i.
void fill(burst &burst, uint16_t count, const TestPool &pool)
{
    struct upstream_columns *columns = upstream_columns(&burst);
    burst.count = burst.received = count;
    pool.take(burst.packet, count);
    for (uint16_t i = 0; i < count; i++) {
        burst.packet[i]->hash.rss = i;
        burst.frame[i] = rte_pktmbuf_mtod(burst.packet[i], uint8_t *);
        burst.out[i] = static_cast<uint8_t>(i);
        columns->flow_id[i] = 1000U + i;
        columns->signature[i] = 2000U + i;
        columns->entry[i] = reinterpret_cast<struct class_entry *>(4000UL + i);
        columns->flow[i] = 5000 + i;
        columns->colour[i] = static_cast<uint8_t>(i);
    }
}

void expect_packet(burst &burst, uint16_t place, uint16_t i)
{
    const struct upstream_columns *columns = upstream_columns(&burst);
    EXPECT_EQ(burst.packet[place]->hash.rss, i);
    EXPECT_EQ(burst.frame[place], rte_pktmbuf_mtod(burst.packet[place], uint8_t *));
    EXPECT_EQ(burst.out[place], static_cast<uint8_t>(i));
    EXPECT_EQ(columns->flow_id[place], 1000U + i);
    EXPECT_EQ(columns->signature[place], 2000U + i);
    EXPECT_EQ(columns->entry[place], reinterpret_cast<struct class_entry *>(4000UL + i));
    EXPECT_EQ(columns->flow[place], 5000 + i);
    EXPECT_EQ(columns->colour[place], static_cast<uint8_t>(i));
}

} // namespace

TEST(Burst, DropKeepsColumnsTogether)
{
    TestPool test;
    auto burst = burst_of(FUNCTION_VPE_UPSTREAM);
    std::mt19937 random(1);
    std::array<uint64_t, DROP_CAUSES> dropped{};
    for (const uint16_t count : {0, 1, 2, 31, 32, 33, 255, 256}) {
        for (const unsigned percent : {0U, 10U, 50U, 90U, 100U}) {
            fill(*burst, count, test);
            std::array<uint8_t, BURST_MAX> verdict{};
            std::vector<uint16_t> kept;
            for (uint16_t i = 0; i < count; i++) {
                if (random() % 100 < percent)
                    verdict[i] = static_cast<uint8_t>(1 + random() % (DROP_CAUSES - 1));
                if (verdict[i] == DROP_NONE)
                    kept.push_back(i);
                else
                    dropped[verdict[i]]++;
            }
            burst_drop(burst.get(), verdict.data());
            ASSERT_EQ(burst->count, kept.size());
            EXPECT_EQ(burst->received, count);
            EXPECT_EQ(rte_mempool_in_use_count(test.pool), kept.size());
            for (uint16_t place = 0; place < kept.size(); place++)
                expect_packet(*burst, place, kept[place]);
            for (int cause = 0; cause < DROP_CAUSES; cause++)
                EXPECT_EQ(burst->drop_count[cause], dropped[cause]);
            rte_pktmbuf_free_bulk(burst->packet, burst->count);
        }
    }
}

TEST(Burst, EveryCauseHasAName)
{
    for (int cause = 0; cause < DROP_CAUSES; cause++)
        EXPECT_NE(drop_cause_name[cause], nullptr);
}
